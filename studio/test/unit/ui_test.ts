import assert from "node:assert/strict";
import { test } from "node:test";

import { calmMean } from "../../src/run/performer.ts";
import { niceTop, Trace } from "../../src/run/trace.ts";
import { scaleOf, shortNumber } from "../../src/ui/scale.ts";

const real = { kind: "real" } as const;

test("a slider's ends are the range's, and places come back", () => {
  for (const field of [
    { ...real, lo: 0, hi: 1, default: 0.5 }, { ...real, lo: 1e-9, hi: 1, default: 1e-4 }, { ...real, lo: 0, hi: 1000, default: 2 },
    { ...real, lo: null, hi: null, default: 3 }, { kind: "integer", lo: 1, hi: 100, default: 8 } as const,
    { ...real, lo: 0, hi: 10, default: 0 }, { ...real, lo: 0.01, hi: 1, default: 1 },
  ]) {
    const scale = scaleOf(field);
    assert.equal(scale.value(0), field.lo ?? scale.lo);
    assert.equal(scale.value(1), field.hi ?? scale.hi);
    for (const t of [0.1, 0.35, 0.8]) {
      const value = scale.value(t);
      assert.ok(value >= scale.lo && value <= scale.hi);
      if (field.kind === "integer") assert.ok(Number.isInteger(value));
      else assert.ok(Math.abs(scale.place(value) - t) < 0.01, `${JSON.stringify(field)} at ${t}`);
    }
    assert.ok(scale.place(field.default) >= 0 && scale.place(field.default) <= 1);
  }
});

test("a default near the lower end of a wide range is in the middle", () => {
  assert.ok(Math.abs(scaleOf({ ...real, lo: 0, hi: 1000, default: 4 }).place(4) - 0.5) < 1e-9);
});

test("a range of one value does no harm", () => {
  assert.equal(scaleOf({ ...real, lo: 2, hi: 2, default: 2 }).value(0.7), 2);
});

test("numbers for reading", () => {
  assert.deepEqual([0, 0.1234, 12.345, 1e-7, 250000, -3].map(shortNumber), ["0", "0.123", "12.3", "1.0e-7", "2.5e5", "-3"]);
});

test("the plot's top does not wobble", () => {
  assert.equal(niceTop([3], 1), 5);
  assert.equal(niceTop([4.9], 1), 5);
  assert.equal(niceTop([], 1), 1);
  assert.equal(niceTop([1000], 1), 1000);
  assert.equal(niceTop([0.3], 0.1), 0.5);
});

test("a hiccup does not count as the time of a solve", () => {
  assert.equal(calmMean([10, 20, 10, 20, 40_000]), 15);
  assert.equal(calmMean([7]), 7);
});

test("a trace keeps the last seconds, of body and ghost", () => {
  const trace = new Trace(1);
  const sample = (goal: number | null) => ({ goal, posture: null, speed: 1, time: 2 });
  for (let i = 0; i <= 100; ++i) trace.add(i / 10, sample(i), i > 95 ? sample(null) : null);
  const line = trace.line("goal", "body");
  assert.deepEqual(line[0], [9, 90]);
  assert.deepEqual(line.at(-1), [10, 100]);
  assert.equal(trace.line("goal", "ghost").length, 0);
  assert.equal(trace.line("speed", "ghost").length, 5);
  assert.equal(trace.latest("posture", "body"), null);
  trace.clear();
  assert.equal(trace.line("goal", "body").length, 0);
});
