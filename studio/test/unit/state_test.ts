import assert from "node:assert/strict";
import { test } from "node:test";

import { act, begin, endGesture, redo, undo } from "../../src/state/history.ts";
import type { Action } from "../../src/state/reduce.ts";
import { reduce } from "../../src/state/reduce.ts";
import type { State } from "../../src/state/state.ts";
import { allPostures, initial } from "../../src/state/state.ts";

const after = (...actions: Action[]): State => actions.reduce(reduce, initial);

test("putting the target takes it out of the pointer's hands", () => {
  assert.equal(after({ do: "put target", target: [1, 2, 3] }).mover, "hand");
  assert.deepEqual(after({ do: "put target", target: [1, 2, 3] }).target, [1, 2, 3]);
});

test("putting the target of a path moves the path", () => {
  assert.equal(after({ do: "choose mover", mover: "circle" }, { do: "put target", target: [1, 2, 3] }).mover, "circle");
});

test("a weight of one is none", () => {
  const weighed = after({ do: "weigh joint", joint: "elbow", weight: 3 });
  assert.deepEqual(weighed.weights, { elbow: 3 });
  assert.deepEqual(reduce(weighed, { do: "weigh joint", joint: "elbow", weight: 1 }).weights, {});
});

test("numbers stay in their ranges", () => {
  assert.equal(after({ do: "set style", style: 7 }).style, 1);
  assert.equal(after({ do: "set pace", pace: -1 }).pace, 0.1);
  assert.equal(after({ do: "weigh joint", joint: "elbow", weight: -1 }).weights.elbow, 0);
});

test("a posture that is kept is drawn, chosen, and takes the place of one of its name", () => {
  const kept = after(
    { do: "begin edit", posture: { name: "shy", q: [1, 2] } }, { do: "pose", q: [3, 4] }, { do: "name edit", name: " bold " }, { do: "end edit", keep: true });
  assert.deepEqual(kept.drawn, [{ name: "bold", q: [3, 4] }]);
  assert.equal(kept.posture, "bold");
  assert.equal(kept.edit, null);
  const again = [
    { do: "begin edit", posture: { name: "bold", q: [5, 6] } }, { do: "end edit", keep: true }] as const;
  assert.deepEqual(again.reduce<State>(reduce, kept).drawn, [{ name: "bold", q: [5, 6] }]);
});

test("a posture without a name, or that is not wanted, is not kept", () => {
  assert.deepEqual(after({ do: "begin edit", posture: { name: " ", q: [1] } }, { do: "end edit", keep: true }).drawn, []);
  assert.deepEqual(after({ do: "begin edit", posture: { name: "a", q: [1] } }, { do: "end edit", keep: false }).drawn, []);
});

test("posing and naming without an editor do nothing", () => {
  assert.equal(after({ do: "pose", q: [1] }), initial);
  assert.equal(after({ do: "name edit", name: "x" }), initial);
});

test("another character forgets what was said about the old one, and keeps the solver", () => {
  const other = after({ do: "weigh joint", joint: "elbow", weight: 3 }, { do: "choose solver", solver: "erik" },
    { do: "put target", target: [1, 1, 1] }, { do: "take character", name: "snake", file: null });
  assert.deepEqual(other.weights, {});
  assert.equal(other.target, null);
  assert.equal(other.posture, null);
  assert.equal(other.solver, "erik");
});

test("a recording of one moment is none", () => {
  assert.equal(after({ do: "keep recording", samples: [{ t: 0, p: [0, 0, 0] }] }), initial);
});

test("drawn postures stand in the place of the character's own", () => {
  const all = allPostures([{ name: "a", q: [1] }, { name: "b", q: [2] }], [{ name: "a", q: [3] }, { name: "c", q: [4] }]);
  assert.deepEqual(all, [{ name: "a", q: [3] }, { name: "b", q: [2] }, { name: "c", q: [4] }]);
});

test("undo and redo go back and forth", () => {
  const start = begin(initial);
  const shy = act(start, { do: "choose posture", posture: "shy" });
  const proud = act(shy, { do: "choose posture", posture: "proud" });
  assert.equal(undo(proud).present.posture, "shy");
  assert.equal(undo(undo(proud)).present.posture, "curious");
  assert.equal(redo(undo(proud)).present.posture, "proud");
  assert.equal(undo(start), start);
  assert.equal(redo(start), start);
  assert.equal(act(undo(proud), { do: "set style", style: 0.5 }).future.length, 0);
});

test("one gesture is one step; two are two", () => {
  let history = begin(initial);
  for (const style of [0.9, 0.8, 0.7]) history = act(history, { do: "set style", style }, "style");
  assert.equal(undo(history).present.style, 1);
  history = act(endGesture(history), { do: "set style", style: 0.2 }, "style");
  assert.equal(undo(history).present.style, 0.7);
});

test("undo leaves alone how one looks", () => {
  const camera = { turn: 1, rise: 0.5, distance: 3 };
  let history = act(begin(initial), { do: "choose posture", posture: "shy" });
  history = act(history, { do: "look from", camera });
  history = act(history, { do: "choose theme", theme: "dark" });
  assert.equal(history.past.length, 1);
  const back = undo(history).present;
  assert.equal(back.posture, "curious");
  assert.deepEqual(back.camera, camera);
  assert.equal(back.theme, "dark");
});

test("what changes nothing is no step", () => {
  assert.equal(act(begin(initial), { do: "pose", q: [1] }).past.length, 0);
});
