/** Turning a joint by hand: what its value becomes when the place under the pointer is pulled along. */
import type { Joint } from "../../../bindings/wasm/types.ts";
import type { Quat, Vec3 } from "../math.ts";
import { across, add, conjugate, cross, dot, exp, length, log, multiply, rotate, scale, sub, unit } from "../math.ts";

export interface Ray {
  readonly from: Vec3;
  readonly along: Vec3;
}

/** Where a ray meets a plane; null where they are (nearly) parallel or it lies behind. */
export function meet(ray: Ray, onPlane: Vec3, normal: Vec3): Vec3 | null {
  const slope = dot(ray.along, normal);
  if (Math.abs(slope) < 0.05 * length(ray.along)) return null;
  const t = dot(sub(onPlane, ray.from), normal) / slope;
  return t > 0 ? add(ray.from, scale(ray.along, t)) : null;
}

/**
 * A hinge or slider: how much its value changes between two rays. A hinge seen from the side, along whose plane one
 * looks, turns by how far the rays are apart.
 */
export function pulled(joint: Pick<Joint, "type">, place: Vec3, axis: Vec3, was: Ray, is: Ray): number {
  if (joint.type === "slider") return alongAxis(place, axis, is) - alongAxis(place, axis, was);
  const view = unit(sub(place, is.from));
  if (Math.abs(dot(view, axis)) > 0.25) {
    const [a, b] = [meet(was, place, axis), meet(is, place, axis)];
    if (a && b) return angleAbout(axis, sub(a, place), sub(b, place));
  }
  const [a, b] = [meet(was, place, view), meet(is, place, view)];
  if (!a || !b) return 0;
  const reach = Math.max(length(sub(a, place)), 1e-9);
  return dot(sub(b, a), unit(cross(axis, view))) * -1 / reach;
}

/** A ball: the turn, in world axes, that carries the grasped place after the pointer, on a sphere about the joint. */
export function rolled(place: Vec3, was: Ray, is: Ray, radius: number): Quat {
  const [a, b] = [onSphere(place, was, radius), onSphere(place, is, radius)];
  return exp(scale(unit(cross(a, b)), Math.atan2(length(cross(a, b)), dot(a, b))));
}

/** A ball's value after a turn in world axes. */
export function turned(value: Quat, worldFromJoint: Quat, turn: Quat): Quat {
  const inJoint = rotate(conjugate(worldFromJoint), log(turn));
  return multiply(value, exp(inJoint));
}

function angleAbout(axis: Vec3, from: Vec3, to: Vec3): number {
  const [a, b] = [across(from, axis), across(to, axis)];
  return Math.atan2(dot(axis, cross(a, b)), dot(a, b));
}

/** The place on the axis that is nearest to the ray, as a distance along the axis. */
function alongAxis(place: Vec3, axis: Vec3, ray: Ray): number {
  const d = unit(ray.along);
  const w = sub(ray.from, place);
  const b = dot(axis, d);
  const denominator = 1 - b * b;
  return denominator < 1e-3 ? 0 : (dot(axis, w) - b * dot(d, w)) / denominator;
}

/** As a vector from the middle: the near side of the sphere, or its rim for a ray that misses it. */
function onSphere(middle: Vec3, ray: Ray, radius: number): Vec3 {
  const d = unit(ray.along);
  const w = sub(ray.from, middle);
  const near = -dot(w, d);
  const off = add(w, scale(d, near));
  const h = radius * radius - dot(off, off);
  return h > 0 ? add(off, scale(d, -Math.sqrt(h))) : scale(unit(off), radius);
}
