/** All that moves on the stage: body, ghost, limits and target of one character in one set of colours. */
import type { Character } from "../../../bindings/wasm/types.ts";
import type { Shape } from "../body/shape.ts";
import type { Vec3 } from "../math.ts";
import type { Shown } from "../run/performer.ts";
import type { State } from "../state/state.ts";
import type { Aimed } from "../target.ts";
import { BodyView, noMarks } from "./body_view.ts";
import { LimitsView } from "./limits_view.ts";
import type { Palette } from "./palette.ts";
import type { SceneView } from "./scene.ts";
import type { TargetEvents } from "./target_view.ts";
import { TargetView } from "./target_view.ts";

export interface Play {
  readonly body: Shown;
  readonly ghost: Shown | null;
  readonly target: Aimed;
  readonly state: State;
  readonly hovered: number;
  readonly atLimits: readonly ("none" | "lo" | "hi" | "swing")[];
  readonly path: readonly Vec3[] | null;
}

export class Actors {
  readonly body: BodyView;
  readonly target: TargetView;
  private readonly ghost: BodyView;
  private readonly limits: LimitsView;
  private last: unknown[] = [];

  constructor(private readonly view: SceneView, private readonly character: Character, shape: Shape, palette: Palette, events: TargetEvents) {
    this.body = new BodyView(character, shape, palette, false);
    this.ghost = new BodyView(character, shape, palette, true);
    this.limits = new LimitsView(character, shape, palette);
    this.target = new TargetView(view, shape, palette, events);
    view.stage.add(this.body.root, this.ghost.root, this.limits.root);
  }

  update({ body, ghost, target, state, hovered, atLimits, path }: Play): void {
    const chosen = this.character.joints.findIndex(({ name }) => name === state.selected);
    const atLimit = new Set(atLimits.flatMap((at, j) => (at === "none" ? [] : [j])));
    this.body.pose(body.world);
    this.body.mark({ atLimit, chosen, hovered });
    this.ghost.root.visible = ghost !== null;
    if (ghost) {
      this.ghost.pose(ghost.world);
      this.ghost.mark(noMarks);
    }
    this.limits.update(body.q, body.world, (j) => state.limits === "all"
      || (state.limits === "touched" && (atLimit.has(j) || j === chosen || j === hovered)), atLimit);
    this.target.update(target.place, target.turn, state.goal, state.mover === "hand" && state.edit === null, state.mover === "pointer" && state.goal !== "reach");
    this.target.showPath(path);
    this.target.root.visible = state.edit === null;
    this.touchIfMoved([...body.q, ...(ghost?.q ?? []), ...target.place, ...target.turn]);
  }

  dispose(): void {
    this.body.dispose();
    this.ghost.dispose();
    this.limits.dispose();
    this.target.dispose();
  }

  /** A body at rest is not drawn over and over. */
  private touchIfMoved(now: number[]): void {
    if (now.length === this.last.length && now.every((x, i) => Math.abs(x - (this.last[i] as number)) < 1e-7)) return;
    this.last = now;
    this.view.touch();
  }
}
