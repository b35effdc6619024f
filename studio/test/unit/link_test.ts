import assert from "node:assert/strict";
import { test } from "node:test";

import { fromLink, toLink } from "../../src/state/link.ts";
import type { State } from "../../src/state/state.ts";
import { initial } from "../../src/state/state.ts";

const special: State = {
  character: "my lämp & co",
  file: JSON.stringify({ gestik: 1, name: "my lämp", joints: [] }),
  drawn: [{ name: "so, la la; #1", q: [0.125, -2] }, { name: "b", q: [1, 0] }],
  goal: "orient",
  end: "left hand",
  mover: "recorded",
  playing: false,
  target: [0.1, -0.2, 3],
  turn: [0, 1, 0, 0],
  pace: 2.5,
  recorded: [{ t: 0, p: [1, 2, 3] }, { t: 0.5, p: [1, 2.5, 3] }],
  posture: "so, la la; #1",
  style: 0.25,
  weights: { elbow: 2, "a b": 0 },
  solver: "erik",
  ghost: "lm",
  settings: { erik: { steps: 4, ease: 0.5 }, lm: { damping: 1e-7 } },
  motion: "own",
  responsiveness: 0.5,
  smoothness: 0.3,
  edit: { name: "new one", q: [0.5, 0.25] },
  selected: "elbow",
  limits: "all",
  panel: "joints",
  plot: false,
  camera: { turn: -1.5, rise: 0.25, distance: 4 },
  theme: "dark",
};

test("the state as it comes is an empty link", async () => {
  assert.equal(await toLink(initial), "");
  assert.deepEqual(await fromLink(""), initial);
});

test("a link shows the same thing, whatever is in it", async () => {
  assert.deepEqual(await fromLink(`#${await toLink(special)}`), special);
});

test("each part of the state is in the link by itself", async () => {
  for (const key of Object.keys(special) as (keyof State)[]) {
    const state: State = { ...initial, [key]: special[key] };
    // A character of a file has no posture to begin with unless the link names it.
    if (key === "file" || key === "character") Object.assign(state, { posture: null });
    assert.deepEqual(await fromLink(await toLink(state)), state, key);
  }
});

test("no posture, the first posture and a posture are three things", async () => {
  for (const posture of ["", "shy"]) assert.equal((await fromLink(await toLink({ ...initial, posture }))).posture, posture);
  for (const posture of [null, "", "curious"]) {
    const state = { ...initial, character: "snake", posture };
    assert.equal((await fromLink(await toLink(state))).posture, posture);
  }
});

test("a link is readable where it can be", async () => {
  assert.equal(await toLink({ ...initial, posture: "shy", target: [1, 0.5, 2], mover: "hand" }), "mover=hand&target=1,0.5,2&posture=shy");
});

test("nonsense in a link is as if it had not been there", async () => {
  const state = await fromLink("#goal=jump&target=1,2&turn=a,b,c,d&pace=NaN&style=Infinity&weight=x&weight=-1%20elbow&camera=1&drawn=1&recorded=1,2;3&"
    + "erik.=1&.x=1&erik.a=one&recorded=3,0,0,0;1,0,0,0&%E0%A4=1&theme=pink");
  assert.deepEqual(state, initial);
});

test("a link can't reach beyond the state", async () => {
  await fromLink("#__proto__.polluted=1&constructor.polluted=1&weight=2%20__proto__");
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
  assert.equal((Object as unknown as Record<string, unknown>).polluted, undefined);
});

test("numbers out of range are brought inside", async () => {
  const state = await fromLink("#pace=1e9&style=-1&camera=0,99,0&smoothness=-1");
  assert.equal(state.pace, 5);
  assert.equal(state.style, 0);
  assert.equal(state.camera.rise, 1.5);
  assert.equal(state.smoothness, 0);
});

test("a damaged file in a link is refused in words", async () => {
  await assert.rejects(fromLink("#file=abcd"), /damaged/);
  await assert.rejects(fromLink("#file=%%%"), /damaged/);
});

test("a file that unpacks to a flood is refused", async () => {
  const link = await toLink({ ...initial, file: " ".repeat(9e6) });
  assert.ok(link.length < 20_000);
  await assert.rejects(fromLink(link), /damaged/);
});
