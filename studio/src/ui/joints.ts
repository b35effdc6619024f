/** Every joint: where it is between its limits and how strongly it holds on; in the editor, a slider to move it. */
import type { BallAngles, Character, Joint } from "../../../bindings/wasm/types.ts";
import { drawnRange } from "../body/limits.ts";
import { clamp, degrees } from "../math.ts";
import type { Desk, Part } from "./desk.ts";
import { h, iconButton, setText } from "./dom.ts";
import { scaleOf } from "./scale.ts";
import { Slider } from "./slider.ts";

export function jointList(desk: Desk): Part {
  const editor = editTools(desk);
  const list = h("ul", { class: "joints" });
  const reset = iconButton("reset", "All joints hold on normally", () => desk.act({ do: "reset weights" }), "Reset weights");
  const hint = h("p", { class: "hint" }, "Weights say how strongly a joint holds on to the posture: 0 is free, 1 normal.");
  const live = h("div", {}, hint, h("div", { class: "row tools" }, reset));
  const element = h("section", { class: "scroll" }, editor.element, live, list);
  let rows: Row[] = [];
  let character: unknown = null;
  return {
    element,
    update(now) {
      if (now.character !== character) {
        character = now.character;
        rows = now.character.joints.flatMap((joint, j) => (joint.type === "fixed" ? [] : [new Row(desk, joint, j)]));
        list.replaceChildren(...rows.map((row) => row.element));
      }
      const editing = now.state.edit !== null;
      editor.element.hidden = !editing;
      live.hidden = editing;
      reset.disabled = Object.keys(now.state.weights).length === 0;
      editor.update(now);
      const q = now.state.edit?.q ?? now.frame.body.q;
      const at = now.character.atLimits(q);
      for (const row of rows) row.update(now, q, at[row.index] !== "none");
    },
  };
}

/** Name, keep, leave. */
function editTools(desk: Desk): Part {
  const name = h("input", { type: "text", id: "posture-name", maxlength: 60, spellcheck: "false", "aria-label": "Name of the posture" });
  name.addEventListener("input", () => desk.act({ do: "name edit", name: name.value }, "name"));
  name.addEventListener("keydown", (event) => {
    if (event.key === "Enter") keep.click();
  });
  const keep = h("button", { type: "button", class: "main", id: "keep-posture", onclick: () => desk.act({ do: "end edit", keep: true }) }, "Keep posture");
  const leave = h("button", { type: "button", id: "leave-editor", onclick: () => desk.act({ do: "end edit", keep: false }) }, "Cancel");
  const hint = h("p", { class: "hint" }, "Drag a joint in the scene, or move its slider. Limits hold.");
  return {
    element: h("div", { class: "editor" }, h("label", { class: "field" }, h("span", {}, "Posture"), name), h("div", { class: "row" }, keep, leave), hint),
    update({ state }) {
      const wanted = state.edit?.name ?? "";
      if (name.value !== wanted) name.value = wanted;
      keep.disabled = wanted.trim() === "";
    },
  };
}

class Row {
  readonly element: HTMLElement;
  private readonly meters: { meter: HTMLElement; read: (q: ArrayLike<number>) => number; lo: number; hi: number }[] = [];
  private readonly sliders: { slider: Slider; read: (q: ArrayLike<number>) => number }[] = [];
  private readonly weight: Slider;
  private readonly parts: readonly JointPart[];
  private readonly value: HTMLElement;
  private readonly live: HTMLElement;
  private readonly edit: HTMLElement;

  constructor(private readonly desk: Desk, private readonly joint: Joint, readonly index: number) {
    const { name } = joint;
    const gesture = `weigh ${name}`;
    this.weight = new Slider("weight", `How strongly ${name} holds on to the posture`, scaleOf({ lo: 0, hi: 5, default: 1, kind: "real" }), {
      changed: (weight) => desk.act({ do: "weigh joint", joint: name, weight }, gesture),
      ended: () => desk.endGesture(),
    });
    this.weight.input.setAttribute("aria-label", `Weight of ${name}`);
    this.value = h("span", { class: "value" });
    this.live = h("div", { class: "live" });
    this.edit = h("div", { class: "edit" });
    this.parts = partsOf(desk.character, joint, index);
    for (const part of this.parts) this.add(part);
    this.live.append(this.weight.element);
    this.element = h("li", {
      "data-joint": name,
      onpointerenter: () => desk.hover(index),
      onpointerleave: () => desk.hover(-1),
    }, h("button", { type: "button", class: "joint-name", onclick: () => this.select() }, name), this.value, this.live, this.edit);
  }

  update({ state }: Desk, q: ArrayLike<number>, atLimit: boolean): void {
    const editing = state.edit !== null;
    this.live.hidden = editing;
    this.edit.hidden = !editing;
    this.element.classList.toggle("at-limit", atLimit);
    this.element.classList.toggle("chosen", state.selected === this.joint.name);
    const weight = state.weights[this.joint.name] ?? 1;
    this.element.classList.toggle("weighted", weight !== 1);
    setText(this.value, this.words(q));
    if (editing) for (const { slider, read } of this.sliders) slider.update(read(q));
    else {
      for (const { meter, read, lo, hi } of this.meters)
        meter.style.setProperty("--at", `${clamp((100 * (read(q) - lo)) / (hi - lo), 0, 100)}%`);
      this.weight.update(weight);
    }
  }

  private select(): void {
    const { name } = this.joint;
    this.desk.act({ do: "select", joint: this.desk.state.selected === name ? null : name });
  }

  private add({ label, lo, hi, read, write, shown }: JointPart): void {
    const meter = h("div", { class: "meter" });
    this.meters.push({ meter, read, lo, hi });
    this.live.append(meter);
    const { name } = this.joint;
    const scale = { lo, hi, value: (t: number) => lo + t * (hi - lo), place: (x: number) => clamp((x - lo) / (hi - lo), 0, 1) };
    const slider = new Slider(label, `${name}: ${label}`, scale, {
      changed: (value) => this.pose(write, value),
      ended: () => this.desk.endGesture(),
    }, shown);
    slider.input.setAttribute("aria-label", label === "value" ? name : `${name} ${label}`);
    this.sliders.push({ slider, read });
    this.edit.append(slider.element);
  }

  private pose(write: JointPart["write"], value: number): void {
    const { edit } = this.desk.state;
    if (!edit) return;
    const q = [...edit.q];
    write(q, value);
    this.desk.act({ do: "pose", q: [...this.desk.character.clamp(q)] }, `pose ${this.joint.name}`);
  }

  private words(q: ArrayLike<number>): string {
    if (this.joint.type === "slider") return millimetres(q[this.joint.q]);
    return this.parts.map((part) => part.shown(part.read(q))).join(" ");
  }
}

interface JointPart {
  readonly label: string;
  readonly lo: number;
  readonly hi: number;
  readonly read: (q: ArrayLike<number>) => number;
  readonly write: (q: number[], value: number) => void;
  readonly shown: (value: number) => string;
}

const angle = (x: number): string => `${degrees(x).toFixed(0)}°`.replace("-0°", "0°");
const millimetres = (x: number): string => `${(1000 * x).toFixed(0)} mm`;

/** A hinge or slider has one number; a ball two of swing and one of twist. */
function partsOf(character: Character, joint: Joint, index: number): JointPart[] {
  const { lo, hi } = drawnRange(joint);
  if (joint.type === "ball") {
    const angles = (q: ArrayLike<number>): BallAngles => character.ballAngles(index, Array.from(q).slice(joint.q, joint.q + 4));
    const { swingX, swingY } = joint.limits;
    const ranges = [["swing x", -swingX, swingX], ["swing y", -swingY, swingY], ["twist", lo, hi]] as const;
    return ranges.map(([label, least, most], i) => ({
      label, lo: least, hi: most, shown: angle,
      read: (q) => angles(q)[i],
      write: (q, value) => {
        const changed = angles(q).map((old, k) => (k === i ? value : old)) as unknown as BallAngles;
        q.splice(joint.q, 4, ...character.ballFromAngles(index, changed));
      },
    }));
  }
  const slides = joint.type === "slider";
  const bounds = slides ? { lo: joint.limits.lo ?? -1, hi: joint.limits.hi ?? 1 } : { lo, hi };
  return [{
    label: "value", ...bounds, shown: slides ? millimetres : angle,
    read: (q) => q[joint.q],
    write: (q, value) => { q[joint.q] = value; },
  }];
}
