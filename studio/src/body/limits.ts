/**
 * The outlines of joints' limits, in the joint's rest frame: what it may do is drawn where it turns. The same numbers,
 * in the same frames, as the solvers keep.
 */
import type { Joint, Vec3 } from "../../../bindings/wasm/types.ts";
import { across, anyAcross, exp, length, rotate, scale, unit } from "../math.ts";

/** A direction across a hinge's axis, of unit length: along `limb` where that leads away from the axis. */
export function pointer(axis: Vec3, limb: Vec3): Vec3 {
  const away = across(limb, axis);
  return length(away) > 0.2 * length(limb) ? unit(away) : anyAcross(axis);
}

/** The range that is drawn: a whole round where there is no limit. */
export function drawnRange(joint: Pick<Joint, "limits">): { lo: number; hi: number; whole: boolean } {
  const lo = joint.limits.lo ?? -Infinity;
  const hi = joint.limits.hi ?? Infinity;
  if (hi - lo >= 2 * Math.PI) return { lo: -Math.PI, hi: Math.PI, whole: true };
  return { lo, hi, whole: false };
}

/** Unit vectors from `lo` to `hi` about the axis, beginning where `zero` is at angle 0. */
export function arc(axis: Vec3, zero: Vec3, lo: number, hi: number): Vec3[] {
  const steps = Math.max(2, Math.ceil((hi - lo) / 0.08));
  return Array.from({ length: steps + 1 }, (_, i) => rotate(exp(scale(axis, lo + ((hi - lo) * i) / steps)), zero));
}

/** Where a ball's axis points along the rim of its swing ellipse, once round; null: it may swing any way. */
export function swingRim(joint: Pick<Joint, "limits" | "limitFrame">, steps = 64): Vec3[] | null {
  const { swingX, swingY } = joint.limits;
  if (swingX >= Math.PI && swingY >= Math.PI) return null;
  return Array.from({ length: steps }, (_, i) => {
    const angle = (2 * Math.PI * i) / steps;
    return rotate(joint.limitFrame, rotate(exp([swingX * Math.cos(angle), swingY * Math.sin(angle), 0]), [0, 0, 1]));
  });
}
