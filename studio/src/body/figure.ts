/** A pose as a small drawing: lines from joint to joint, seen from the front and a little aside. */
import type { Character } from "../../../bindings/wasm/types.ts";
import type { Vec3 } from "../math.ts";
import { add, dot, placeAt, scale, unit } from "../math.ts";
import type { Shape } from "./shape.ts";
import { endDirection, endPlace, places } from "./shape.ts";

export interface Figure {
  /** In a square of 100 by 100, y down. */
  readonly lines: readonly (readonly [x1: number, y1: number, x2: number, y2: number])[];
  /** From an end-point the way it looks. */
  readonly looks: readonly (readonly [x1: number, y1: number, x2: number, y2: number])[];
}

type Body = Pick<Character, "joints" | "ends">;

export function figureOf(body: Body, shape: Shape, world: ArrayLike<number>): Figure {
  const right = unit(add(scale(shape.left, 0.78), scale(shape.front, -0.62)));
  const all = places(body, world);
  const middle = (along: Vec3): number => {
    const values = all.map((p) => dot(along, p));
    return (Math.min(...values) + Math.max(...values)) / 2;
  };
  // Side by side the drawings stand on one floor, each in the middle of its paper.
  // The tallest leaves room above for the way it looks.
  const zoom = 76 / shape.span;
  const across = middle(right);
  const onPaper = (p: Vec3): [number, number] => [50 + zoom * (dot(right, p) - across), 93 - zoom * (dot(shape.up, p) - shape.floor)];
  const line = (a: Vec3, b: Vec3) => [...onPaper(a), ...onPaper(b)].map((x) => Math.round(10 * x) / 10) as
    unknown as readonly [number, number, number, number];
  const lines = body.joints.flatMap((joint, j) =>
    joint.parent < 0 ? [] : [line(placeAt(world, joint.parent), placeAt(world, j))]);
  for (const end of body.ends) lines.push(line(placeAt(world, end.joint), endPlace(end, world)));
  const looks = body.ends.slice(0, 1).map((end) => {
    const place = endPlace(end, world);
    return line(place, add(place, scale(endDirection(end, world), 0.16 * shape.size)));
  });
  return { lines, looks };
}
