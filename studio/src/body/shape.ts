/** The size and place of a body, whatever its units: views are laid out by it. */
import type { Character, Place, Vec3 } from "../../../bindings/wasm/types.ts";
import { add, cross, dot, orientationAt, placeAt, rotate, scale, sub, unit } from "../math.ts";
import type { Stage } from "../state/path.ts";

export interface Shape {
  /** Unit vectors of the character's own axes: up, the way it looks, and its left. */
  readonly up: Vec3;
  readonly front: Vec3;
  readonly left: Vec3;
  /** The largest extent of its postures. */
  readonly size: number;
  /** The largest of any single one. */
  readonly span: number;
  /** The middle of them, and the height of the floor along `up`. */
  readonly middle: Vec3;
  readonly floor: number;
}

type Jointed = Pick<Character, "joints" | "ends">;
type Body = Jointed & Pick<Character, "up" | "postures" | "neutral" | "forward">;

/** How many ways a joint moves. */
const freedom = { fixed: 0, hinge: 1, slider: 1, ball: 3 } as const;
const axes = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] } as const;

export function endPlace(end: Place, world: ArrayLike<number>): Vec3 {
  return add(placeAt(world, end.joint), rotate(orientationAt(world, end.joint), end.pose.position));
}

/**
 * What looks when nobody says: a head that can turn two ways, else what most joints move (robots have many an end-point
 * that nothing moves); the last joint of a body without end-points.
 */
export function firstEnd({ joints, ends }: Jointed): Place {
  const last = joints.length - 1;
  const movers = (joint: number): number => {
    let count = 0;
    for (let j = joint; j >= 0; j = joints[j].parent) count += freedom[joints[j].type];
    return count;
  };
  const most = Math.max(...ends.map(({ joint }) => movers(joint)));
  return ends.find(({ name, joint }) => /head/i.test(name) && movers(joint) > 1) ?? ends.find(({ joint }) => movers(joint) === most)
    ?? { name: joints[last].name, joint: last, pose: { position: [0, 0, 0], orientation: [1, 0, 0, 0] }, aim: [0, 1, 0] };
}

export function endDirection(end: Place, world: ArrayLike<number>): Vec3 {
  return rotate(orientationAt(world, end.joint), rotate(end.pose.orientation, end.aim));
}

/** All joints and end-points of a pose. */
export function places(body: Jointed, world: ArrayLike<number>): Vec3[] {
  return [...body.joints.map((_, j) => placeAt(world, j)), ...body.ends.map((end) => endPlace(end, world))];
}

/** The lowest and highest numbers along each axis. */
function corners(all: readonly Vec3[]): [lo: Vec3, hi: Vec3] {
  const corner = (pick: (...values: number[]) => number): Vec3 =>
    [0, 1, 2].map((i) => pick(...all.map((p) => p[i]))) as unknown as Vec3;
  return [corner(Math.min), corner(Math.max)];
}

export function shapeOf(body: Body): Shape {
  const up = axes[body.up];
  const poses = body.postures.length > 0 ? body.postures.slice(0, 12).map(({ q }) => q) : [body.neutral];
  const each = poses.map((q) => places(body, body.forward(q)));
  const [lo, hi] = corners(each.flat());
  const size = Math.max(...sub(hi, lo)) || 1;
  const lowest = dot(up, [0, 1, 2].map((i) => (up[i] > 0 ? lo[i] : 0)) as unknown as Vec3);
  const front = frontOf(body, up);
  return {
    up,
    front,
    left: cross(up, front),
    size,
    span: Math.max(...each.map((all) => Math.max(...sub(...(corners(all).reverse() as [Vec3, Vec3]))))) || 1,
    middle: scale(add(lo, hi), 0.5),
    floor: lowest > 0 && lowest < 0.4 * size ? 0 : lowest,
  };
}

/** Ours look along +Z, robots along +X; a body whose end-point looks level says it itself. */
function frontOf(body: Body, up: Vec3): Vec3 {
  const usual: Vec3 = body.up === "z" ? [1, 0, 0] : body.up === "y" ? [0, 0, 1] : [0, 1, 0];
  const end = body.ends[0];
  if (!end || body.up !== "z") return usual;
  const look = endDirection(end, body.forward(body.neutral));
  const level = sub(look, scale(up, dot(look, up)));
  return Math.hypot(...level) > 0.7 ? unit(level) : usual;
}

/** Where a target is put at first, and paths lie: before the character, a little above its middle. */
export function stageOf(shape: Shape, middle: Vec3 | null): Stage {
  const { up, front, left, size } = shape;
  const before = add(shape.middle, add(scale(front, 0.75 * size), scale(up, 0.12 * size)));
  return { middle: middle ?? before, side: left, up, radius: 0.3 * size };
}
