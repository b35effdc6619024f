// The module against the tool: the same answers on every scene, and at most four times the time.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { loadGestik } from "../../../build/wasm/gestik.js";

const root = new URL("../../../", import.meta.url);
const tool = process.env.GESTIK_TOOL ?? fileURLToPath(new URL("build/release/gestik", root));
const gestik = await loadGestik(readFileSync(new URL("build/wasm/gestik.wasm", root)));

const scenes = readdirSync(new URL("scenes/", root)).filter((name) => name.endsWith(".json"));

/** The words of `gestik solve` for a problem. Its goals take one tolerance for all and one --symmetric. */
function wordsFor(character, problem, solver) {
  const words = ["solve", character, "--solver", solver, "--json", "--quiet"];
  for (const { kind, end, target, direction, symmetric, tolerance } of problem.goals) {
    if (end) words.push("--end", end);
    words.push(direction ? "--aim-direction" : `--${kind}`, target.join(","));
    if (symmetric) words.push("--symmetric");
    if (tolerance && !words.includes("--tolerance")) words.push("--tolerance", String(tolerance));
  }
  if (problem.posture) words.push("--posture", problem.posture);
  if (problem.seed) words.push("--seed", problem.seed.join(","));
  for (const joint of problem.held ?? []) words.push("--hold", joint);
  return words;
}

/** The tool's answer; nothing where it says that the solver does not take the problem. */
function native(words) {
  try {
    return JSON.parse(execFileSync(tool, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }));
  } catch (failed) {
    if (failed.status === 3) return JSON.parse(failed.stdout);
    if (failed.status === 2 && /takes|can't move|shape/.test(failed.stderr)) return undefined;
    throw failed;
  }
}

/** The median of a few, as the tool measures it; a quick solve is repeated until clocks see it. */
function timed(character, question) {
  const once = character.solve(question);
  const repeats = Math.max(1, Math.min(1000, Math.ceil(2000 / once.microseconds)));
  const times = Array.from({ length: 5 }, () => character.solve({ ...question, repeats, explain: false }).microseconds);
  return { ...once, microseconds: times.sort((a, b) => a - b)[2] };
}

test("scenes: the answers of the tool, in at most four times its time", { skip: !existsSync(tool) && "no tool" }, () => {
  const ratios = new Map();
  let compared = 0;
  for (const file of scenes) {
    const scene = JSON.parse(readFileSync(new URL(`scenes/${file}`, root), "utf8"));
    const isFile = scene.character.endsWith(".json");
    const path = isFile ? fileURLToPath(new URL(`scenes/${scene.character}`, root)) : scene.character;
    const character = isFile ? gestik.load(readFileSync(path, "utf8"), { file: path }) : gestik.bundled(path);
    for (const problem of scene.problems) {
      for (const { name: solver } of gestik.solvers()) {
        const label = `${file}, ${problem.name}, ${solver}`;
        const expected = native(wordsFor(path, problem, solver));
        const solved = timed(character, { ...problem, solver });
        assert.equal(solved.status === "unsupported", expected === undefined, `${label}: ${solved.fault}`);
        if (!expected) continue;
        assert.equal(solved.status, expected.status, label);
        const off = Math.max(...expected.q.map((x, i) => Math.abs(x - solved.q[i])));
        assert.ok(off <= 1e-6, `${label}: off by ${off}`);
        if (!ratios.has(solver)) ratios.set(solver, []);
        ratios.get(solver).push(solved.microseconds / expected.microseconds);
        ++compared;
      }
    }
  }
  const mean = (list) => Math.exp(list.reduce((sum, ratio) => sum + Math.log(ratio), 0) / list.length);
  for (const [solver, list] of ratios) console.log(`${solver}: ${mean(list).toFixed(2)} times native (${list.length} problems)`);
  const all = mean([...ratios.values()].flat());
  console.log(`all: ${all.toFixed(2)} times native, ${compared} answers compared`);
  assert.ok(compared > 150);
  assert.ok(all <= 4, `${all} times native`);
  for (const [solver, list] of ratios) assert.ok(mean(list) <= 4, `${solver}: ${mean(list)} times native`);
});
