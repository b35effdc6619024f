/**
 * The whole state as the address's part after #, and back. What is as it comes is left out, so a link says what is
 * special about it: #posture=shy&solver=erik&erik.iterations=20. A file travels along, compressed.
 */
import type { Quat, Vec3 } from "../math.ts";
import { clamp, normalized } from "../math.ts";
import type { Camera, NamedPose, Sample, State } from "./state.ts";
import { initial } from "./state.ts";

/** A file in a link may not be larger than this when it is unpacked. */
const largestFile = 8e6;

const choices = {
  goal: ["aim", "reach", "orient"],
  mover: ["pointer", "hand", "circle", "eight", "recorded"],
  limits: ["none", "touched", "all"],
  panel: ["postures", "joints"],
  theme: ["auto", "light", "dark"],
} as const;

export async function toLink(state: State): Promise<string> {
  const link = new URLSearchParams();
  const put = (key: string, value: string, normal: string): void => {
    if (value !== normal) link.append(key, value);
  };
  put("character", state.character, initial.character);
  if (state.file !== null) link.append("file", await packed(state.file));
  for (const { name, q } of state.drawn) link.append("drawn", `${listed(q)} ${name}`);
  for (const key of ["goal", "mover", "limits", "panel", "theme"] as const) put(key, state[key], initial[key]);
  if (state.end !== null) link.append("end", state.end);
  if (!state.playing) link.append("paused", "1");
  if (state.target) link.append("target", listed(state.target));
  put("turn", listed(state.turn), listed(initial.turn));
  put("pace", String(state.pace), String(initial.pace));
  if (state.recorded.length > 0)
    link.append("recorded", state.recorded.map(({ t, p }) => listed([t, ...p])).join(";"));
  if (state.posture !== null) put("posture", state.posture, state.character === initial.character ? "curious" : "\n");
  put("style", String(state.style), String(initial.style));
  for (const [joint, weight] of Object.entries(state.weights)) link.append("weight", `${weight} ${joint}`);
  put("solver", state.solver, initial.solver);
  if (state.ghost !== null) link.append("ghost", state.ghost);
  for (const [solver, settings] of Object.entries(state.settings))
    for (const [field, value] of Object.entries(settings)) link.append(`${solver}.${field}`, String(value));
  put("motion", state.motion, initial.motion);
  put("responsiveness", String(state.responsiveness), String(initial.responsiveness));
  put("smoothness", String(state.smoothness), String(initial.smoothness));
  if (state.edit) link.append("edit", `${listed(state.edit.q)} ${state.edit.name}`);
  if (state.selected !== null) link.append("selected", state.selected);
  if (!state.plot) link.append("plot", "0");
  put("camera", viewed(state.camera), viewed(initial.camera));
  return link.toString().replaceAll("%2C", ",").replaceAll("%3B", ";");
}

/** Never fails: what makes no sense is as if it had not been there. Throws only for a file that can't be unpacked. */
export async function fromLink(hash: string): Promise<State> {
  const link = new URLSearchParams(hash.replace(/^#/, ""));
  const text = (key: string): string | null => link.get(key);
  const number = (key: string, normal: number, lo: number, hi: number): number => {
    const value = Number(link.get(key) ?? Number.NaN);
    return Number.isFinite(value) ? clamp(value, lo, hi) : normal;
  };
  const choice = <K extends keyof typeof choices>(key: K): State[K] => {
    const value = text(key);
    return ((choices[key] as readonly string[]).includes(value ?? "") ? value : initial[key]) as State[K];
  };
  const file = text("file");
  const character = text("character") ?? initial.character;
  const camera = numbers(text("camera"), 3);
  const turn = numbers(text("turn"), 4);
  const atHome = character === initial.character && file === null;
  return {
    ...initial,
    character,
    file: file === null ? null : await unpacked(file),
    drawn: link.getAll("drawn").flatMap(namedPose),
    goal: choice("goal"),
    end: text("end"),
    mover: choice("mover"),
    playing: text("paused") !== "1",
    target: numbers(text("target"), 3) as Vec3 | null,
    turn: turn ? normalized(turn as unknown as Quat) : initial.turn,
    pace: number("pace", initial.pace, 0.1, 5),
    recorded: samples(text("recorded")),
    posture: text("posture") ?? (atHome ? initial.posture : null),
    style: number("style", initial.style, 0, 1),
    weights: Object.fromEntries(link.getAll("weight").flatMap(namedNumber)),
    solver: text("solver") ?? initial.solver,
    ghost: text("ghost"),
    settings: settingsOf(link),
    motion: text("motion") ?? initial.motion,
    responsiveness: number("responsiveness", initial.responsiveness, 0.01, 1),
    smoothness: number("smoothness", initial.smoothness, 0, 10),
    edit: namedPose(text("edit") ?? "")[0] ?? null,
    selected: text("selected"),
    limits: choice("limits"),
    panel: choice("panel"),
    plot: text("plot") !== "0",
    camera: camera ? { turn: camera[0], rise: clamp(camera[1], -1.5, 1.5), distance: clamp(camera[2], 0.3, 20) } : initial.camera,
    theme: choice("theme"),
  };
}

/** With all digits: what comes back has the same bits. */
const listed = (values: readonly number[]): string => values.join(",");
const viewed = ({ turn, rise, distance }: Camera): string => [turn, rise, distance].map((x) => x.toFixed(3)).join(",");

/** As many finite numbers as wanted, or null. */
function numbers(text: string | null, count?: number): number[] | null {
  if (!text) return null;
  const values = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  return values.every((x) => Math.abs(x) < 1e30) && (count === undefined || values.length === count) ? values : null;
}

/** "0.1,0.2 a name" */
function namedPose(text: string): NamedPose[] {
  const space = text.indexOf(" ");
  const q = numbers(text.slice(0, space));
  const name = text.slice(space + 1);
  return space > 0 && q && name ? [{ name, q }] : [];
}

function namedNumber(text: string): [string, number][] {
  return namedPose(text).flatMap(({ name, q }) => (q.length === 1 && q[0] >= 0 ? [[name, Math.min(q[0], 10)]] : []));
}

function samples(text: string | null): Sample[] {
  const all = (text ?? "").split(";").flatMap((part) => {
    const values = numbers(part, 4);
    return values ? [{ t: values[0], p: values.slice(1) as unknown as Vec3 }] : [];
  });
  return all.every((sample, i) => i === 0 || sample.t >= all[i - 1].t) ? all : [];
}

function settingsOf(link: URLSearchParams): Record<string, Record<string, number>> {
  // Maps, not objects: a link may well call a solver __proto__.
  const settings = new Map<string, Map<string, number>>();
  for (const [key, text] of link) {
    const [solver, field] = key.split(".");
    const value = numbers(text, 1)?.[0];
    if (!solver || !field || value === undefined) continue;
    if (!settings.has(solver)) settings.set(solver, new Map());
    settings.get(solver)!.set(field, value);
  }
  return Object.fromEntries([...settings].map(([solver, values]) => [solver, Object.fromEntries(values)]));
}

// The file's text is packed once and remembered: it is the same in every link until another file comes.
let last = { text: "", packed: "" };

async function packed(text: string): Promise<string> {
  if (last.text !== text) {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    last = { text, packed: btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "") };
  }
  return last.packed;
}

async function unpacked(code: string): Promise<string> {
  const wrong = new Error("The link is damaged: the character's file in it can't be read. Ask for the link again, or for the file.");
  try {
    const binary = atob(code.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for (let size = 0; ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > largestFile) {
        await reader.cancel();
        throw wrong;
      }
      parts.push(value as Uint8Array<ArrayBuffer>);
    }
    return await new Blob(parts).text();
  } catch {
    throw wrong;
  }
}
