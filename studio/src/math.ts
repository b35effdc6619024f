/** Vectors and quaternions as plain numbers, for state and geometry that need no renderer. Quaternions are w, x, y, z. */
import type { Quat, Vec3 } from "../../bindings/wasm/types.ts";

export type { Quat, Vec3 };

export const identity: Quat = [1, 0, 0, 0];

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vec3, s: number): Vec3 => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a: Vec3): number => Math.hypot(...a);
export const distance = (a: Vec3, b: Vec3): number => length(sub(a, b));

export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** Of unit length, or `otherwise` where there is no direction. */
export function unit(a: Vec3, otherwise: Vec3 = [0, 0, 1]): Vec3 {
  const l = length(a);
  return l > 1e-12 ? scale(a, 1 / l) : otherwise;
}

/** The part of `a` at right angles to the unit vector `axis`. */
export const across = (a: Vec3, axis: Vec3): Vec3 => sub(a, scale(axis, dot(a, axis)));

/** Some unit vector at right angles to `a`. */
export function anyAcross(a: Vec3): Vec3 {
  const small: Vec3 = Math.abs(a[0]) < Math.abs(a[1]) ? [1, 0, 0] : [0, 1, 0];
  return unit(cross(a, Math.abs(dot(small, a)) < 0.9 ? small : [0, 0, 1]));
}

export const lerp = (a: Vec3, b: Vec3, t: number): Vec3 => add(a, scale(sub(b, a), t));

export const multiply = (a: Quat, b: Quat): Quat => [
  a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
  a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
  a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
  a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
];

export const conjugate = (a: Quat): Quat => [a[0], -a[1], -a[2], -a[3]];

export function normalized(a: Quat): Quat {
  const l = Math.hypot(...a);
  return l > 1e-12 ? [a[0] / l, a[1] / l, a[2] / l, a[3] / l] : identity;
}

export function rotate(q: Quat, p: Vec3): Vec3 {
  const axis: Vec3 = [q[1], q[2], q[3]];
  const t = scale(cross(axis, p), 2);
  return add(add(p, scale(t, q[0])), cross(axis, t));
}

/** The rotation by |v| about v. */
export function exp(v: Vec3): Quat {
  const angle = length(v);
  const s = angle > 1e-9 ? Math.sin(angle / 2) / angle : 0.5;
  return [Math.cos(angle / 2), v[0] * s, v[1] * s, v[2] * s];
}

/** The rotation vector, at most half a turn, of a unit quaternion. */
export function log(q: Quat): Vec3 {
  const sign = q[0] < 0 ? -1 : 1;
  const v: Vec3 = [q[1] * sign, q[2] * sign, q[3] * sign];
  const s = length(v);
  return s > 1e-12 ? scale(v, (2 * Math.atan2(s, q[0] * sign)) / s) : scale(v, 2);
}

/** The smallest rotation that takes one unit vector to another. */
export function between(from: Vec3, to: Vec3): Quat {
  const c = dot(from, to);
  if (c < -1 + 1e-9) return [0, ...anyAcross(from)];
  return normalized([1 + c, ...cross(from, to)]);
}

export const clamp = (x: number, lo: number, hi: number): number => Math.min(hi, Math.max(lo, x));
export const degrees = (radians: number): number => (radians * 180) / Math.PI;

/** One joint's world pose out of seven numbers a joint: w, x, y, z, then the place. */
export const orientationAt = (world: ArrayLike<number>, joint: number): Quat =>
  [world[7 * joint], world[7 * joint + 1], world[7 * joint + 2], world[7 * joint + 3]];
export const placeAt = (world: ArrayLike<number>, joint: number): Vec3 =>
  [world[7 * joint + 4], world[7 * joint + 5], world[7 * joint + 6]];
