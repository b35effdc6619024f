import { loadGestik } from "../../../build/wasm/gestik.mjs";

const gestik = await loadGestik(new URL("../../../build/wasm/gestik.wasm", import.meta.url));
const lamp = gestik.bundled("lamp");
const tracker = lamp.tracker(lamp.posture("curious"));
const filter = lamp.filter(lamp.posture("curious"), "light");

const canvas = document.querySelector("canvas");
const pen = canvas.getContext("2d");
let target = [0.3, 0.3, 0.5];

// A metre is as high as the window; the lamp stands at the bottom, in the middle.
const scale = () => innerHeight;
addEventListener("pointermove", (event) => {
  target = [(event.clientX - innerWidth / 2) / scale(), (innerHeight - event.clientY) / scale(), 0.5];
});

function draw(world) {
  canvas.width = innerWidth;
  canvas.height = innerHeight;
  pen.lineWidth = 12;
  pen.lineCap = pen.lineJoin = "round";
  pen.beginPath();
  for (let j = 0; j < lamp.joints.length; ++j) {
    const [x, y] = world.subarray(7 * j + 4);
    pen.lineTo(innerWidth / 2 + x * scale(), innerHeight - y * scale());
  }
  pen.stroke();
}

let before = performance.now();
requestAnimationFrame(function frame(now) {
  const seconds = Math.min((now - before) / 1000, 0.1);
  before = now;
  const wish = { goals: [{ kind: "aim", target }], posture: "curious" };
  draw(lamp.forward(filter.step(tracker.step(wish, seconds).q, seconds)));
  requestAnimationFrame(frame);
});
