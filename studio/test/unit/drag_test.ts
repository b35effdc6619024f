import assert from "node:assert/strict";
import { test } from "node:test";

import type { Ray } from "../../src/body/drag.ts";
import { meet, pulled, rolled, turned } from "../../src/body/drag.ts";
import type { Quat, Vec3 } from "../../src/math.ts";
import { between, exp, log, multiply, normalized, rotate, scale, sub, unit } from "../../src/math.ts";

const near = (a: readonly number[], b: readonly number[], by = 1e-9): void =>
  assert.ok(a.every((x, i) => Math.abs(x - b[i]) < by), `${a} is not ${b}`);

const eye: Vec3 = [0, 0, 5];
const through = (p: Vec3, from = eye): Ray => ({ from, along: sub(p, from) });

test("a ray meets a plane before it, not behind it nor along it", () => {
  near(meet(through([1, 1, 0]), [0, 0, 0], [0, 0, 1])!, [1, 1, 0]);
  assert.equal(meet(through([1, 1, 6]), [0, 0, 0], [0, 0, 1]), null);
  assert.equal(meet(through([1, 0, 5]), [0, 0, 0], [0, 0, 1]), null);
});

test("a hinge that faces the eye follows the pointer round", () => {
  const turn = pulled({ type: "hinge" }, [0, 0, 0], [0, 0, 1], through([1, 0, 0]), through([0, 1, 0]));
  assert.ok(Math.abs(turn - Math.PI / 2) < 1e-9);
});

test("a hinge seen along its plane turns the way its near side is pulled", () => {
  // The near side of a wheel about x, seen from the front, goes down when the wheel turns by a positive angle.
  assert.ok(pulled({ type: "hinge" }, [0, 0, 0], [1, 0, 0], through([0, 0.5, 0]), through([0, 0.4, 0])) > 0);
});

test("a slider goes along its axis as far as the pointer", () => {
  assert.ok(Math.abs(pulled({ type: "slider" }, [0, 0, 0], [1, 0, 0], through([0.2, 0, 0]), through([0.7, 0, 0])) - 0.5) < 1e-9);
});

test("a ball carries the grasped place after the pointer", () => {
  const turn = rolled([0, 0, 0], through([0, 0, 1]), through([0.5, 0, Math.sqrt(0.75)]), 1);
  near(rotate(turn, [0, 0, 1]), [0.5, 0, Math.sqrt(0.75)], 1e-6);
  // Beside the ball it is turned about the line of sight, like a wheel.
  const [x, y, z] = log(rolled([0, 0, 0], through([3, 0, 0]), through([0, 3, 0]), 1));
  assert.ok(z > Math.abs(x) && z > Math.abs(y));
});

test("a turn in the world is a turn of the value", () => {
  const rest: Quat = normalized([1, 0.2, -0.5, 0.1]);
  const value: Quat = normalized([0.9, -0.3, 0.2, 0.4]);
  const turn = exp([0.3, -0.2, 0.5]);
  const after = multiply(rest, turned(value, multiply(rest, value), turn));
  near(after, multiply(turn, multiply(rest, value)), 1e-9);
});

test("rotations: exp and log, and the smallest between two directions", () => {
  near(log(exp([0.3, -0.2, 2])), [0.3, -0.2, 2]);
  near(log(exp([0, 0, 0])), [0, 0, 0]);
  const [a, b] = [unit([1, 2, 3]), unit([-3, 1, 0.5])];
  near(rotate(between(a, b), a), b);
  near(rotate(between(a, scale(a, -1)), a), scale(a, -1));
});
