import assert from "node:assert/strict";
import { test } from "node:test";

import { distance } from "../../src/math.ts";
import type { Stage } from "../../src/state/path.ts";
import { along, thinned, wander } from "../../src/state/path.ts";
import { initial } from "../../src/state/state.ts";
import { anchorOf } from "../../src/target.ts";

const stage: Stage = { middle: [1, 2, 3], side: [1, 0, 0], up: [0, 1, 0], radius: 0.5 };

test("a circle stays at its radius, comes back, and goes faster at a higher pace", () => {
  for (let t = 0; t < 7; t += 0.37) assert.ok(Math.abs(distance(along("circle", [], stage, t, 1)!, stage.middle) - 0.5) < 1e-12);
  assert.ok(distance(along("circle", [], stage, 0, 1)!, along("circle", [], stage, 6, 1)!) < 1e-12);
  assert.deepEqual(along("circle", [], stage, 1, 2), along("circle", [], stage, 2, 1));
});

test("a figure of eight passes its middle twice a round", () => {
  assert.ok(distance(along("eight", [], stage, 3, 1)!, stage.middle) < 1e-12);
  assert.ok(distance(along("eight", [], stage, 1.5, 1)!, stage.middle) > 0.3);
});

test("a recording is played as it was, and over again", () => {
  const recorded = [{ t: 0, p: [0, 0, 0] }, { t: 1, p: [1, 0, 0] }, { t: 2, p: [1, 1, 0] }] as const;
  assert.deepEqual(along("recorded", recorded, stage, 0.5, 1), [0.5, 0, 0]);
  assert.deepEqual(along("recorded", recorded, stage, 1.25, 1), [1, 0.25, 0]);
  assert.deepEqual(along("recorded", recorded, stage, 0.25, 2), [0.5, 0, 0]);
  assert.ok(distance(along("recorded", recorded, stage, 2.5 + 0.5, 1)!, [0.5, 0, 0]) < 1e-12);
  const [x, y] = along("recorded", recorded, stage, 2.25, 1)!;
  assert.ok(Math.abs(x - 0.5) < 1e-12 && Math.abs(y - 0.5) < 1e-12);
  assert.equal(along("recorded", [], stage, 1, 1), null);
});

test("samples at one moment do no harm", () => {
  const recorded = [{ t: 0, p: [0, 0, 0] }, { t: 0, p: [1, 0, 0] }] as const;
  for (const t of [0, 0.1, 0.7]) assert.ok(along("recorded", recorded, stage, t, 1)!.every(Number.isFinite));
});

test("pointer and hand have no path", () => {
  assert.equal(along("pointer", [], stage, 1, 1), null);
  assert.equal(along("hand", [], stage, 1, 1), null);
});

test("a target that nobody moves stays near and moves slowly", () => {
  for (let t = 0; t < 60; t += 1 / 60) {
    assert.ok(distance(wander(stage, t), stage.middle) < 2 * stage.radius);
    assert.ok(distance(wander(stage, t), wander(stage, t + 1 / 60)) < 0.03 * stage.radius);
  }
});

test("long recordings are thinned, from their beginning to their end", () => {
  const long = Array.from({ length: 5000 }, (_, i) => ({ t: 7 + i / 60, p: [i, 0, 0] as const }));
  const thin = thinned(long);
  assert.equal(thin.length, 240);
  assert.equal(thin[0].t, 0);
  assert.deepEqual(thin.at(-1)!.p, [4999, 0, 0]);
  assert.deepEqual(thinned([]), []);
  assert.equal(thinned(long.slice(0, 1)).length, 1);
});

test("keys and numbers move a path by its middle, and the pointer's target from where it is", () => {
  const shape = { up: [0, 1, 0], front: [0, 0, 1], left: [1, 0, 0], size: 1, span: 1, middle: [0, 0.5, 0], floor: 0 } as const;
  const at = [5, 6, 7] as const;
  assert.deepEqual(anchorOf({ ...initial, mover: "pointer", target: [1, 2, 3] }, shape, at), at);
  assert.deepEqual(anchorOf({ ...initial, mover: "circle", target: [1, 2, 3] }, shape, at), [1, 2, 3]);
  assert.deepEqual(anchorOf({ ...initial, mover: "circle", target: null }, shape, at), [0, 0.62, 0.75]);
});
