// The lamp looks at a point, curiously: node bindings/wasm/examples/node.mjs, after scripts/page or
//   cmake --preset wasm && cmake --build --preset wasm && (cd bindings/wasm && npm ci && npm run build)
import { readFile } from "node:fs/promises";
import { loadGestik } from "../../../build/wasm/gestik.mjs";

const gestik = await loadGestik(await readFile(new URL("../../../build/wasm/gestik.wasm", import.meta.url)));
const lamp = gestik.bundled("lamp");

const solved = lamp.solve({ goals: [{ kind: "aim", target: [0.4, 0.3, 0.5] }], posture: "curious" });
console.log(`${solved.status} (${solved.solver})`);
lamp.joints.forEach((joint, j) => console.log(`  ${joint.name}: ${solved.q[j].toFixed(3)} rad`));
for (const sentence of solved.explanation.words) console.log(sentence);

// The same target for a second, frame by frame, as a body that may not jump would follow it.
const tracker = lamp.tracker(lamp.posture("curious"));
const filter = lamp.filter(lamp.posture("curious"), "calm");
const wish = { goals: [{ kind: "aim", target: [0.4, 0.3, 0.5] }], posture: "curious" };
let q;
for (let frame = 0; frame < 60; ++frame) q = filter.step(tracker.step(wish, 1 / 60).q, 1 / 60);
console.log(`after a second, calmly: ${Array.from(q, (x) => x.toFixed(3)).join(", ")}`);
