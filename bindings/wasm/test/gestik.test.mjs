import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { GestikError, loadGestik } from "../../../build/wasm/gestik.mjs";

const bytes = readFileSync(new URL("../../../build/wasm/gestik.wasm", import.meta.url));
const gestik = await loadGestik(bytes);
const look = { goals: [{ kind: "aim", target: [0.4, 0.3, 0.5] }], posture: "curious" };
const near = (a, b, tolerance = 1e-12) => Math.abs(a - b) <= tolerance;
const refused = (what, words) => assert.throws(what, (error) => error instanceof GestikError && words.test(error.message));

test("the module wants nothing of its host but to say a last word", () => {
  const wanted = WebAssembly.Module.imports(new WebAssembly.Module(bytes)).map(({ name }) => name);
  assert.deepEqual(wanted.sort(), ["fd_close", "fd_seek", "fd_write"]);
});

test("it loads from an address, a response and a module", async () => {
  const address = `data:application/wasm;base64,${bytes.toString("base64")}`;
  assert.equal((await loadGestik(address)).version, gestik.version);
  assert.equal((await loadGestik(fetch(address))).version, gestik.version);
  assert.equal((await loadGestik(new WebAssembly.Module(bytes))).version, gestik.version);
});

test("solvers say what they can do and have sliders' worth of fields", () => {
  const poise = gestik.solver("poise");
  assert.deepEqual(poise.goals, { reach: false, orient: true, aim: true });
  const style = poise.fields.find((field) => field.name === "style");
  assert.deepEqual([style.kind, style.lo, style.hi, style.default], ["real", 0, 1, 1]);
  for (const { name, summary, fields } of gestik.solvers()) {
    assert.ok(summary, name);
    for (const field of fields) {
      assert.ok(field.help, `${name}.${field.name}`);
      assert.ok(field.lo === null || field.default >= field.lo, `${name}.${field.name}`);
    }
  }
  assert.deepEqual(gestik.filterPresets().map((preset) => preset.name), ["light", "heavy", "nervous", "calm"]);
});

test("a character tells what it is", () => {
  const lamp = gestik.bundled("lamp");
  assert.equal(lamp.up, "y");
  assert.deepEqual(lamp.joints.map((joint) => joint.parent), [-1, 0, 1, 2, 3]);
  assert.deepEqual(lamp.joints[2].limits, { lo: -0.5, hi: 2.5, swingX: Math.PI, swingY: Math.PI });
  assert.deepEqual(lamp.joints[1].rest, { position: [0, 0.03, 0], orientation: [1, 0, 0, 0] });
  assert.equal(lamp.joints[3].motion.jerk, 1200);
  assert.equal(lamp.ends[0].name, "head");
  assert.equal(lamp.postures.length, 10);
  const humanoid = gestik.bundled("humanoid");
  assert.equal(humanoid.joints[1].qSize, 4);
  assert.equal(humanoid.neutral.length, humanoid.qSize);
});

test("a question gets an answer, a pose and words", () => {
  const lamp = gestik.bundled("lamp");
  const solved = lamp.solve(look);
  assert.equal(solved.status, "reached");
  assert.equal(solved.solver, "poise");
  assert.ok(solved.microseconds > 0);
  assert.equal(solved.world.length, 7 * 5);
  assert.deepEqual(lamp.forward(solved.q), solved.world);
  assert.ok(solved.erik.orientation < 1e-3 && solved.erik.posture < 0.1);
  assert.ok(solved.explanation.goals[0].met);
  assert.match(solved.explanation.words.join(" "), /Given up: base_yaw \(\+45\.0°\)/);
  assert.equal(lamp.solve({ ...look, explain: false }).explanation, undefined);
  const measured = lamp.measure(look, solved.q);
  assert.ok(near(measured.residuals[0], solved.explanation.goals[0].residual));
  assert.ok(near(measured.erik.posture, solved.erik.posture));
});

test("what can't be reached is explained", () => {
  const lamp = gestik.bundled("lamp");
  const far = lamp.solve({ goals: [{ kind: "reach", target: [3, 0, 0] }] });
  assert.equal(far.status, "stalled");
  assert.equal(far.explanation.goals[0].reason, "out_of_reach");
  assert.ok(far.explanation.goals[0].why);
});

test("style and weights hold the posture more or less", () => {
  const lamp = gestik.bundled("lamp");
  const curious = lamp.posture("curious");
  const off = (q) => Math.hypot(...lamp.difference(curious, q));
  const seed = lamp.posture("sleepy");
  const [free, half, held] = [0, 0.5, 1].map((style) => off(lamp.solve({ ...look, seed, style }).q));
  assert.ok(free > half && half > held, `${free} ${half} ${held}`);
  const stiff = lamp.solve({ ...look, weights: [100, 1, 1, 1, 1] });
  assert.ok(Math.abs(stiff.q[0] - curious[0]) < Math.abs(lamp.solve(look).q[0] - curious[0]));
  assert.equal(lamp.solve({ ...look, held: ["base_yaw"] }).q[0], curious[0]);
  refused(() => lamp.solve({ ...look, style: 2 }), /style must be from 0 to 1/);
});

test("settings and budgets count, and wrong ones are refused by name", () => {
  const lamp = gestik.bundled("lamp");
  assert.equal(lamp.solve({ ...look, solver: "ccd", iterations: 1 }).iterations, 1);
  assert.notDeepEqual(lamp.solve({ ...look, settings: { measure: 1, twist: 1 } }).q, lamp.solve(look).q);
  refused(() => lamp.solve({ ...look, settings: { stile: 1 } }), /no setting of poise 'stile'; there are: style/);
  refused(() => lamp.solve({ ...look, settings: { steps: 1.5 } }), /'steps' must be a whole number/);
  refused(() => lamp.solve({ ...look, settings: { style: -1 } }), /'style' is out of its range/);
  refused(() => lamp.solve({ ...look, solver: "pois" }), /no solver 'pois'/);
  refused(() => lamp.solve({ ...look, posture: "curios" }), /no posture 'curios'/);
  refused(() => lamp.solve({ goals: [{ kind: "aim", end: "hed", target: [0, 0, 0] }] }), /'hed'; there are: head/);
  refused(() => lamp.solve({ goals: [{ kind: "look", target: [0, 0, 0] }] }), /no kind of goal 'look'/);
  refused(() => lamp.solve({ goals: [{ kind: "orient", target: [0, 0, 1] }] }), /has 3 numbers, not 4/);
  refused(() => lamp.solve({ ...look, seed: [1, 2] }), /seed has 2 numbers, not 5/);
});

test("what a solver does not take comes back with the reason and a legal pose", () => {
  const lamp = gestik.bundled("lamp");
  const reach = lamp.solve({ goals: [{ kind: "reach", target: [0, 0.3, 0.2] }], solver: "poise" });
  assert.equal(reach.status, "unsupported");
  assert.match(reach.fault, /^poise: .*reach/);
  const bad = lamp.solve({ goals: [{ kind: "aim", target: [NaN, 0, 0] }], seed: [9, 9, 9, NaN, -9] });
  assert.equal(bad.status, "bad_problem");
  assert.deepEqual(lamp.clamp(bad.q), bad.q);
  assert.equal(lamp.solve(look).status, "reached");
});

test("poses are clamped, compared and put into words of limits", () => {
  const lamp = gestik.bundled("lamp");
  assert.deepEqual([...lamp.clamp([9, -9, 0, NaN, Infinity])], [2.6, -1.3, 0, 0, 1.2]);
  assert.deepEqual(lamp.atLimits([2.6, 0, -0.5, 0, 0]), ["hi", "none", "lo", "none", "none"]);
  const humanoid = gestik.bundled("humanoid");
  const turn = [0.9, 0.1, 0.2, 0.374165738677394];
  const back = humanoid.ballFromAngles(1, humanoid.ballAngles(1, turn));
  turn.forEach((x, i) => assert.ok(near(back[i], x, 1e-9)));
  refused(() => humanoid.ballAngles(0, turn), /no ball/);
  assert.equal(humanoid.difference(humanoid.neutral, humanoid.neutral).length, 3 * 14 + 6);
});

test("a tracker follows and never jumps, a filter keeps its limits", () => {
  const lamp = gestik.bundled("lamp");
  const start = lamp.posture("curious"), seconds = 1 / 60;
  const tracker = lamp.tracker(start, { speed: 3 }), filter = lamp.filter(start, "light");
  let before = start, moved = start;
  for (let frame = 0; frame < 240; ++frame) {
    const side = Math.floor(frame / 60) % 2 ? 1 : -1;
    const tracked = tracker.step({ goals: [{ kind: "aim", target: [0.4 * side, 0.3, 0.4] }], posture: "curious" }, seconds);
    tracked.q.forEach((x, i) => assert.ok(Math.abs(x - before[i]) <= 3 * seconds + 1e-12));
    const q = filter.step(tracked.q, seconds);
    q.forEach((x, i) => assert.ok(Math.abs(x - moved[i]) <= lamp.joints[i].motion.velocity * seconds + 1e-9));
    [before, moved] = [tracked.q, q];
  }
  tracker.reset(start);
  assert.deepEqual(tracker.step(look, 0).q, start);
  refused(() => tracker.set({ sped: 1 }), /no setting 'sped'/);
  refused(() => filter.set("lazy"), /no preset 'lazy'/);
  filter.set({ smoothness: 0.5 });
  filter.reset(start);
  assert.deepEqual(filter.step(start, seconds), start);
  tracker.free();
  filter.free();
});

test("postures are authored, saved and read again", () => {
  const lamp = gestik.bundled("lamp");
  const q = [0.1, 0.2, 0.3, 0.4, 0.5];
  lamp.setPostures([...lamp.postures, { name: "mine, \"naïve\"", q }]);
  assert.deepEqual([...lamp.posture("mine, \"naïve\"")], q);
  const again = gestik.load(lamp.save(), { file: "mine.json" });
  assert.deepEqual(again.postures, lamp.postures);
  assert.equal(again.save(), lamp.save());
  refused(() => lamp.setPostures([{ name: "short", q: [1] }]), /'short' has 1 numbers, not 5/);
  lamp.setPostures([{ name: "twice", q }, { name: "twice", q }]);
  refused(() => lamp.save(), /twice/);
});

test("BVH and glTF are read too, by ending or by how they begin", () => {
  const bvh = `HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}
MOTION\nFrames: 2\nFrame Time: 0.5\n0 0 0\n90 0 0\n`;
  for (const options of [{}, { file: "walk.bvh", unit: 0.01 }]) {
    const hips = gestik.load(bvh, options);
    assert.equal(hips.clips[0].frames, 2);
    assert.ok(near(hips.clips[0].values[7], Math.SQRT1_2));
  }
  const gltf = JSON.stringify({ asset: { version: "2.0" }, nodes: [{ name: "n" }], skins: [{ joints: [0] }] });
  assert.equal(gestik.load(new TextEncoder().encode(gltf), { file: "n.gltf" }).joints[0].name, "n");
});

test("broken files are refused with a line and words", () => {
  refused(() => gestik.load("", { file: "a.json" }), /a\.json:1: the file is empty/);
  refused(() => gestik.load('{"gestik": 1,\n "name": 3}', { file: "a.json" }), /a\.json:/);
  refused(() => gestik.load("HIERARCHY"), /ROOT/);
  refused(() => gestik.load("<robot/>", { file: "a.urdf" }), /JSON/);
  refused(() => gestik.load(new Uint8Array([103, 108, 84, 70]), { file: "a.glb" }), /cut short/);
  refused(() => gestik.load("[".repeat(1e6)), /nested deeper/);
  refused(() => gestik.bundled("lamb"), /no bundled character 'lamb'/);
});

test("memory comes back: thousands of characters, trackers and filters", () => {
  for (let i = 0; i < 2000; ++i) {
    const lamp = gestik.bundled("lamp");
    lamp.tracker().free();
    lamp.filter().free();
    lamp.free();
    if (i === 0) refused(() => lamp.solve(look), /was freed/);
  }
});
