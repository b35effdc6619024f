/** The right-hand side: what to look at, with how much style, by which solver, moving how. */
import type { Field, SolverInfo } from "../../../bindings/wasm/types.ts";
import type { Vec3 } from "../math.ts";
import type { GoalKind, Mover, ShownLimits } from "../state/state.ts";
import { anchorOf } from "../target.ts";
import type { Desk, Part } from "./desk.ts";
import { Choice, h, iconButton, Menu } from "./dom.ts";
import { scaleOf, shortNumber } from "./scale.ts";
import { Slider } from "./slider.ts";

export function controls(desk: Desk): Part {
  const parts = [targetPart(desk), stylePart(desk), solverPart(desk), motionPart(desk), viewPart(desk)];
  return {
    element: h("div", { class: "scroll" }, ...parts.map(({ element }) => element)),
    update: (now) => parts.forEach((part) => part.update(now)),
  };
}

function section(title: string, ...content: Node[]): HTMLElement {
  return h("section", { "aria-label": title }, h("h2", {}, title), ...content);
}

const labelled = (name: string, control: HTMLElement): HTMLElement =>
  h("label", { class: "field" }, h("span", {}, name), control);

// --- target ---

function targetPart(desk: Desk): Part {
  const goal = new Choice<GoalKind>("Goal", [
    { value: "aim", text: "Aim", title: "The end-point looks at the target" },
    { value: "reach", text: "Reach", title: "The end-point goes to the target" },
    { value: "orient", text: "Orient", title: "The end-point takes the target's orientation" },
  ], (kind) => desk.act({ do: "choose goal", goal: kind }));
  const end = new Menu("End-point", (name) => desk.act({ do: "choose end", end: name }), "end");
  const mover = new Choice<Mover>("What moves the target", [
    { value: "pointer", text: "Pointer", title: "The target follows the pointer (F)" },
    { value: "hand", text: "Hand", title: "Drag the target, or use the arrow keys" },
    { value: "circle", text: "Circle", title: "The target goes round" },
    { value: "eight", text: "Eight", title: "The target draws a figure of eight" },
    { value: "recorded", text: "Yours", title: "The target repeats what you recorded" },
  ], (value) => desk.act({ do: "choose mover", mover: value, ...(value !== "pointer" && { target: desk.state.target ?? homeOf(desk) }) }));
  const play = iconButton("pause", "Pause", () => desk.act({ do: "play", playing: !desk.state.playing }));
  const record = iconButton("record", "Record a path: press, drag the target, press again", () => desk.record(!desk.recording), "Record");
  record.id = "record";
  const pace = new Slider("pace", "How fast the path is gone along", scaleOf({ lo: 0.1, hi: 5, default: 1, kind: "real" }), {
    changed: (value) => desk.act({ do: "set pace", pace: value }, "pace"),
    ended: () => desk.endGesture(),
  });
  const place = new Triple(desk);
  const path = h("div", { class: "row" }, play, pace.element);
  const endRow = labelled("end-point", end.element);
  return {
    element: section("Target", goal.element, endRow, mover.element, path, place.element, h("div", { class: "row tools" }, record)),
    update(now) {
      const { state, character } = now;
      goal.update(state.goal);
      end.update(character.ends.map(({ name }) => ({ value: name, text: name })), now.end.name);
      endRow.hidden = character.ends.length < 2;
      mover.update(state.mover, (value) => value === "recorded" && state.recorded.length < 2);
      path.hidden = !["circle", "eight", "recorded"].includes(state.mover);
      swapIcon(play, state.playing ? "pause" : "play", state.playing ? "Pause" : "Play");
      pace.update(state.pace);
      place.update(now);
      record.classList.toggle("on", now.recording);
      record.setAttribute("aria-pressed", String(now.recording));
    },
  };
}

const homeOf = (desk: Desk): Vec3 => desk.frame.target;

function swapIcon(button: HTMLButtonElement, name: "play" | "pause", label: string): void {
  if (button.title === label) return;
  button.title = label;
  button.setAttribute("aria-label", label);
  button.replaceChildren(...iconButton(name, label, () => undefined).childNodes);
}

/** The place of the target in three numbers, to read and to write. */
class Triple {
  readonly element = h("div", { class: "triple" });
  private readonly inputs: HTMLInputElement[];

  constructor(desk: Desk) {
    this.inputs = ["x", "y", "z"].map((axis, i) => {
      const input = h("input", { type: "number", step: "any", "aria-label": `Target ${axis}, metres`, "data-axis": axis });
      input.addEventListener("change", () => {
        const target = [...anchorOf(desk.state, desk.shape, desk.frame.target)] as [number, number, number];
        target[i] = input.valueAsNumber;
        if (target.every((x) => Math.abs(x) < 1e6)) desk.act({ do: "put target", target });
      });
      this.element.append(h("label", {}, h("span", {}, axis), input));
      return input;
    });
  }

  update({ frame }: Desk): void {
    this.inputs.forEach((input, i) => {
      const text = frame.target[i].toFixed(2);
      if (document.activeElement !== input && input.value !== text) input.value = text;
    });
  }
}

// --- style ---

function stylePart(desk: Desk): Part {
  const style = new Slider("style", "0: the goal alone; 1: the posture as far as the goal allows", scaleOf({ lo: 0, hi: 1, default: 0.5, kind: "real" }), {
    changed: (value) => desk.act({ do: "set style", style: value }, "style"),
    ended: () => desk.endGesture(),
  }, (value) => `${Math.round(100 * value)} %`);
  style.input.id = "style";
  style.element.querySelector(".name")!.remove();
  const ends = h("div", { class: "ends", "aria-hidden": "true" }, h("span", {}, "goal alone"), h("span", {}, "full posture"));
  return { element: section("Style", style.element, ends), update: ({ state }) => style.update(state.style) };
}

// --- solver ---

function solverPart(desk: Desk): Part {
  const solver = new Menu("Solver", (name) => desk.act({ do: "choose solver", solver: name }), "solver");
  const about = h("p", { class: "hint", id: "about-solver" });
  const settings = new Settings(desk, "");
  const ghost = new Menu("Ghost's solver", (name) => desk.act({ do: "choose ghost", solver: name || null }), "ghost");
  const ghostSettings = new Settings(desk, "ghost ");
  const fault = h("p", { class: "fault", role: "status" });
  return {
    element: section("Solver", solver.element, about, settings.element,
      h("div", { class: "field ghost-field" }, h("span", { class: "ghost-dot" }, "ghost"), ghost.element), ghostSettings.element, fault),
    update(now) {
      const { state, frame } = now;
      const names = [...now.fields.keys()];
      const options = names.map((name) => ({ value: name, text: name === "tracker" ? "tracker (never jumps)" : name, off: !canMove(now, name) }));
      solver.update(options, state.solver);
      ghost.update([{ value: "", text: "none" }, ...options], state.ghost ?? "");
      const words = aboutSolver(now, state.solver);
      if (about.textContent !== words) about.textContent = words;
      settings.update(now, state.solver);
      ghostSettings.update(now, state.ghost === state.solver ? null : state.ghost);
      const faults = [frame.body.fault, frame.ghost?.fault && `Ghost: ${frame.ghost.fault}`].filter(Boolean).join(" ");
      if (fault.textContent !== faults) fault.textContent = faults;
      fault.hidden = faults === "";
    },
  };
}

function aboutSolver({ gestik }: Desk, name: string): string {
  if (name === "tracker") return "Follows a moving target from frame to frame: keeps several ways to meet it, and never jumps between them.";
  const { summary, source } = gestik.solver(name);
  return `${summary[0].toUpperCase()}${summary.slice(1)} (${source}).`;
}

/** Whether a solver takes this goal and these joints at all. */
export function canMove({ gestik, character, state }: Desk, name: string): boolean {
  if (name === "tracker") return true;
  const info: SolverInfo = gestik.solver(name);
  return info.goals[state.goal] && character.joints.every(({ type }) => type === "fixed" || info.joints[type]);
}

/** Sliders made from a solver's fields. */
class Settings {
  readonly element: HTMLDetailsElement;
  private readonly body = h("div", {});
  private readonly title = h("summary", {});
  private shown: string | null = "?";
  private updates: ((values: Readonly<Record<string, number>>) => void)[] = [];

  constructor(private readonly desk: Desk, private readonly prefix: string) {
    this.element = h("details", { class: "settings" }, this.title, this.body);
  }

  update({ state, fields }: Desk, solver: string | null): void {
    if (solver !== this.shown) this.build(solver, solver === null ? [] : fields.get(solver) ?? []);
    const values = solver === null ? {} : state.settings[solver] ?? {};
    for (const update of this.updates) update(values);
  }

  private build(solver: string | null, fields: readonly Field[]): void {
    this.shown = solver;
    this.element.hidden = solver === null || fields.length === 0;
    this.title.textContent = `${this.prefix}settings`;
    this.updates = [];
    if (solver === null) return;
    const reset = iconButton("reset", "All settings as they come", () => this.desk.act({ do: "reset settings", solver }), "Reset");
    this.updates.push((values) => (reset.disabled = Object.keys(values).length === 0));
    this.body.replaceChildren(...fields.map((field) => this.control(solver, field)), reset);
  }

  private control(solver: string, field: Field): HTMLElement {
    const set = (value: number, gesture?: string): void => this.desk.act({ do: "set", solver, field: field.name, value }, gesture);
    const label = field.name.replaceAll("_", " ");
    if (field.kind === "boolean") {
      const box = h("input", { type: "checkbox", "data-field": field.name });
      box.addEventListener("change", () => set(box.checked ? 1 : 0));
      this.updates.push((values) => (box.checked = (values[field.name] ?? field.default) !== 0));
      return h("label", { class: "check", title: field.help }, box, label);
    }
    const slider = new Slider(label, field.help, scaleOf(field), {
      changed: (value) => set(value, `set ${solver}.${field.name}`),
      ended: () => this.desk.endGesture(),
    }, shortNumber);
    slider.input.dataset.field = field.name;
    this.updates.push((values) => slider.update(values[field.name] ?? field.default));
    return slider.element;
  }
}

// --- motion ---

function motionPart(desk: Desk): Part {
  const preset = new Menu("Way of moving", (name) => choose(name), "motion");
  const knob = (name: "responsiveness" | "smoothness"): Slider => {
    const field = desk.gestik.filterFields().find((each) => each.name === name)!;
    return new Slider(name, field.help, scaleOf(field), {
      changed: (value) => desk.act({ do: "choose motion", motion: "own", ...current(), [name]: value }, name),
      ended: () => desk.endGesture(),
    });
  };
  const current = () => ({ responsiveness: desk.state.responsiveness, smoothness: desk.state.smoothness });
  const choose = (name: string): void => {
    const settings = desk.gestik.filterPresets().find((each) => each.name === name)?.settings;
    desk.act({ do: "choose motion", motion: name, ...current(), ...settings });
  };
  const knobs = { responsiveness: knob("responsiveness"), smoothness: knob("smoothness") };
  const about = h("p", { class: "hint" });
  return {
    element: section("Motion", preset.element, about, knobs.responsiveness.element, knobs.smoothness.element),
    update({ state, gestik }) {
      const presets = gestik.filterPresets();
      preset.update([...presets.map(({ name }) => ({ value: name, text: name })), { value: "own", text: "your own" },
        { value: "none", text: "no filter: the bare answers" }], state.motion);
      const words = presets.find(({ name }) => name === state.motion)?.summary
        ?? (state.motion === "none" ? "Answers are shown as they come. Some solvers jump." : "");
      if (about.textContent !== words) about.textContent = words;
      about.hidden = words === "";
      for (const name of ["responsiveness", "smoothness"] as const) {
        knobs[name].element.hidden = state.motion === "none";
        knobs[name].update(state[name]);
      }
    },
  };
}

// --- view ---

function viewPart(desk: Desk): Part {
  const limits = new Choice<ShownLimits>("Limits", [
    { value: "none", text: "Hidden" },
    { value: "touched", text: "Touched", title: "Of joints at a limit, chosen or under the pointer" },
    { value: "all", text: "All" },
  ], (value) => desk.act({ do: "show limits", limits: value }));
  return { element: section("Limits", limits.element), update: ({ state }) => limits.update(state.limits) };
}
