import assert from "node:assert/strict";
import { test } from "node:test";

import type { Known } from "../../src/state/fit.ts";
import { fit, keptPosture } from "../../src/state/fit.ts";
import { initial } from "../../src/state/state.ts";

const known = {
  character: {
    name: "lamp", qSize: 2, neutral: [0, 0], postures: [{ name: "rest", q: [0, 0] }],
    joints: [{ name: "base" }, { name: "elbow" }], ends: [{ name: "head" }],
  },
  fields: new Map([
    ["tracker", []],
    ["erik", [{ name: "steps", kind: "integer", lo: 1, hi: 10, default: 2, help: "" }, { name: "ease", kind: "real", lo: 0, hi: null, default: 2, help: "" }]],
  ]),
  presets: [{ name: "light", summary: "", settings: {} }],
} as unknown as Known;

const home = { ...initial, posture: "rest" };

test("what fits stays as it is, without a remark", () => {
  const state = { ...home, end: "head", weights: { elbow: 2 }, solver: "erik", settings: { erik: { steps: 3, ease: 100 } }, selected: "base" };
  assert.deepEqual(fit(state, known), { state, remarks: [] });
});

test("what is not there is put right, and said", () => {
  const { state, remarks } = fit({
    ...home, end: "tail", posture: "rude", solver: "magic", ghost: "boo", motion: "jelly", selected: "nose", weights: { nose: 3 },
    edit: { name: "x", q: [1] }, drawn: [{ name: "long", q: [1, 2, 3] }], mover: "recorded",
  }, known);
  assert.deepEqual(state, { ...initial, posture: null });
  for (const word of ["tail", "rude", "magic", "boo", "jelly", "long", "'x'"]) assert.ok(remarks.some((remark) => remark.includes(word)), word);
});

test("a posture that is being drawn is shown with the joints", () => {
  const { state, remarks } = fit({ ...home, edit: { name: "x", q: [1, 2] } }, known);
  assert.equal(state.panel, "joints");
  assert.deepEqual(remarks, []);
});

test("settings that a solver would refuse are left out", () => {
  const settings = { erik: { steps: 2.5, ease: -1, other: 1 }, gone: { a: 1 } };
  assert.deepEqual(fit({ ...home, settings }, known).state.settings, {});
});

test("the posture that is kept", () => {
  const own = known.character.postures;
  assert.equal(keptPosture({ ...initial, posture: null }, own)?.name, "rest");
  assert.equal(keptPosture({ ...initial, posture: "" }, own), null);
  assert.equal(keptPosture({ ...initial, posture: "x", drawn: [{ name: "x", q: [1, 1] }] }, own)?.name, "x");
  assert.equal(keptPosture({ ...initial, posture: null }, []), null);
});
