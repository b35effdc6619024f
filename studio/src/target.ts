/** Where the target is just now, and how it is turned: by pointer, hand or path. */
import type { Place } from "../../bindings/wasm/types.ts";
import type { Ray } from "./body/drag.ts";
import { meet } from "./body/drag.ts";
import type { Shape } from "./body/shape.ts";
import { endDirection, endPlace, stageOf } from "./body/shape.ts";
import type { Quat, Vec3 } from "./math.ts";
import { add, between, distance, length, multiply, orientationAt, scale, sub, unit } from "./math.ts";
import { along, wander } from "./state/path.ts";
import type { State } from "./state/state.ts";

export interface Aimed {
  readonly place: Vec3;
  readonly turn: Quat;
}

export interface Scene {
  readonly shape: Shape;
  readonly end: Place;
  /** Of the posture that is kept: where the end-point comes from. */
  readonly atHome: ArrayLike<number>;
  /** Of the body as it is shown. */
  readonly world: ArrayLike<number>;
  /** The pointer's ray and the way the camera looks; null: nobody has pointed for a while. */
  readonly pointer: { readonly ray: Ray; readonly view: Vec3 } | null;
  /** Seconds that the path has been gone along. */
  readonly gone: number;
  /** Seconds that the page has been open. */
  readonly time: number;
}

/** Where the target is moved from by keys and by numbers that are written: a path by its middle. */
export const anchorOf = ({ mover, target }: State, shape: Shape, shown: Vec3): Vec3 =>
  (mover === "pointer" ? shown : stageOf(shape, target).middle);

export function aimed(state: State, scene: Scene): Aimed {
  const place = placeNow(state, scene);
  return { place, turn: state.mover === "hand" ? state.turn : turnTowards(place, scene) };
}

function placeNow(state: State, scene: Scene): Vec3 {
  const stage = stageOf(scene.shape, state.target);
  if (state.mover === "pointer")
    return scene.pointer ? pointedAt(state, scene, scene.pointer) : wander(stageOf(scene.shape, null), scene.time);
  return along(state.mover, state.recorded, stage, scene.gone, state.pace) ?? stage.middle;
}

/**
 * To be looked at, the target floats between the character and the eye of the beholder, so that the character looks at
 * the pointer as one sees it. To be reached, it stays at the character's own depth.
 */
function pointedAt(state: State, { shape, end, world }: Scene, { ray, view }: NonNullable<Scene["pointer"]>): Vec3 {
  const depth = state.goal === "reach" ? meet(ray, add(shape.middle, scale(shape.front, 0.1 * shape.size)), view) : null;
  if (depth) return depth;
  const way = unit(ray.along);
  return add(ray.from, scale(way, 0.5 * distance(ray.from, endPlace(end, world))));
}

/** The orientation the end has at home, turned the shortest way to look at a place. */
function turnTowards(place: Vec3, { end, atHome }: Scene): Quat {
  const from = endPlace(end, atHome);
  const way = sub(place, from);
  const home = multiply(orientationAt(atHome, end.joint), end.pose.orientation);
  return length(way) > 1e-9 ? multiply(between(endDirection(end, atHome), unit(way)), home) : home;
}
