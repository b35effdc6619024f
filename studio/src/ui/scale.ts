/** How a setting's values lie along a slider: those one tries are in the middle, whatever the range. */
import type { Field } from "../../../bindings/wasm/types.ts";
import { clamp } from "../math.ts";

export interface Scale {
  readonly lo: number;
  readonly hi: number;
  /** From 0..1 along the slider to a value, and back. */
  readonly value: (t: number) => number;
  readonly place: (value: number) => number;
}

export function scaleOf(field: Pick<Field, "lo" | "hi" | "default" | "kind">): Scale {
  const reach = 10 * Math.max(1, Math.abs(field.default));
  const lo = field.lo ?? Math.min(field.default, 0) - reach;
  const hi = field.hi ?? Math.max(field.default, 0) + reach;
  if (!(hi > lo)) return { lo, hi: lo, value: () => lo, place: () => 0 };
  const whole = field.kind === "real" ? neat : Math.round;
  const inside = (x: number): number => clamp(whole(x), lo, hi);
  if (lo > 0 && hi / lo >= 1000) {
    const span = Math.log(hi / lo);
    return { lo, hi, value: (t) => inside(lo * Math.exp(clamp(t, 0, 1) * span)), place: (x) => clamp(Math.log(x / lo) / span, 0, 1) };
  }
  // A power that puts the default in the middle, where it would otherwise be squeezed against the lower end.
  const share = (field.default - lo) / (hi - lo);
  const power = share > 0 && share < 0.1 ? Math.log(share) / Math.log(0.5) : 1;
  return {
    lo, hi,
    value: (t) => inside(lo + (hi - lo) * clamp(t, 0, 1) ** power),
    place: (x) => clamp((x - lo) / (hi - lo), 0, 1) ** (1 / power),
  };
}

/** Three digits that count: what a slider gives need not be 0.30000000000000004. */
export const neat = (x: number): number => Number(x.toPrecision(3));

/** For reading. */
export function shortNumber(x: number): string {
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return x.toExponential(1).replace("e+", "e");
  return String(Number(x.toPrecision(3)));
}
