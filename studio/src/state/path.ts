/** Ways for the target to go. */
import type { Vec3 } from "../math.ts";
import { add, lerp, scale } from "../math.ts";
import type { Mover, Sample } from "./state.ts";

/** Where paths lie: about a middle, in the plane of two unit vectors, so large. */
export interface Stage {
  readonly middle: Vec3;
  readonly side: Vec3;
  readonly up: Vec3;
  readonly radius: number;
}

const secondsPerRound = 6;

/** The target after so many seconds; null where this mover has no path. */
export function along(mover: Mover, recorded: readonly Sample[], stage: Stage, seconds: number, pace: number): Vec3 | null {
  const angle = (2 * Math.PI * seconds * pace) / secondsPerRound;
  switch (mover) {
    case "circle":
      return onStage(stage, Math.sin(angle), -Math.cos(angle));
    case "eight":
      return onStage(stage, 1.4 * Math.sin(angle), 0.7 * Math.sin(2 * angle));
    case "recorded":
      return played(recorded, seconds * pace);
    case "pointer":
    case "hand":
      return null;
  }
}

/** What a target does that nobody moves: it wanders, never twice the same way in a minute. */
export const wander = (stage: Stage, seconds: number): Vec3 =>
  onStage(stage, 0.75 * Math.sin(0.53 * seconds) + 0.2 * Math.sin(1.31 * seconds), 0.35 * Math.sin(0.79 * seconds + 1));

const onStage = (stage: Stage, x: number, y: number): Vec3 =>
  add(stage.middle, add(scale(stage.side, x * stage.radius), scale(stage.up, y * stage.radius)));

/** Over and over, with a way back from the last sample to the first that takes half a second. */
function played(recorded: readonly Sample[], seconds: number): Vec3 | null {
  if (recorded.length === 0) return null;
  const wayBack = 0.5;
  const last = recorded[recorded.length - 1];
  const t = seconds % (last.t + wayBack);
  const next = recorded.findIndex((sample) => sample.t > t);
  if (next < 0) return lerp(last.p, recorded[0].p, (t - last.t) / wayBack);
  if (next === 0) return recorded[0].p;
  const [a, b] = [recorded[next - 1], recorded[next]];
  return lerp(a.p, b.p, (t - a.t) / (b.t - a.t));
}

/** At most so many samples, evenly chosen, the time counted from the first: what a link has room for. */
export function thinned(samples: readonly Sample[], most = 240): Sample[] {
  const step = Math.max(1, (samples.length - 1) / (most - 1));
  const count = Math.min(samples.length, most);
  const start = samples[0]?.t ?? 0;
  return Array.from({ length: count }, (_, i) => samples[Math.round(i * step)]).map(({ t, p }) => ({
    t: rounded(t - start), p: [rounded(p[0]), rounded(p[1]), rounded(p[2])],
  }));
}

const rounded = (x: number): number => Number(x.toPrecision(5));
