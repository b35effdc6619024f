/** Opens the studio: loads the module, lays out the page, and lets it run. */
import { loadGestik } from "../../bindings/wasm/gestik.ts";
import { askServer, ending } from "./files.ts";
import { fromLink } from "./state/link.ts";
import type { ShownLimits, State } from "./state/state.ts";
import { initial } from "./state/state.ts";
import { Studio, wordsOf } from "./studio.ts";
import { bar } from "./ui/bar.ts";
import { controls } from "./ui/controls.ts";
import type { Part } from "./ui/desk.ts";
import { h, iconButton, setText } from "./ui/dom.ts";
import { helpDialog } from "./ui/help.ts";
import { jointList } from "./ui/joints.ts";
import { Messages } from "./ui/messages.ts";
import { plot } from "./ui/plot.ts";
import { postureList } from "./ui/postures.ts";
import { words } from "./ui/words.ts";

/** The longest step that is taken at once: after a pause the body goes on, it does not leap. */
const longestStep = 0.1;

async function open(): Promise<void> {
  const page = document.querySelector<HTMLElement>("#studio")!;
  const messages = new Messages();
  const [gestik, server] = await Promise.all([loadGestik(new URL("gestik.wasm", document.baseURI)), askServer()]);
  const first = await firstState(server, messages);
  const studio = new Studio(gestik, first, { plain: new URLSearchParams(location.search).has("plain") }, messages, server);
  layOut(page, studio, messages);
  // The event knows the new address; the one in the bar may have been brought up to date since.
  addEventListener("hashchange", (event) => void studio.follow(new URL(event.newURL).hash));
  keys(studio);
  drops(page, studio);
  play(studio);
  // For tests and for the curious: what there is and what happens, to read.
  Object.assign(window, { gestikStudio: studio });
}

/** The link's, or what the server was asked to show, or the lamp. */
async function firstState(server: Awaited<ReturnType<typeof askServer>>, messages: Messages): Promise<State> {
  try {
    if (location.hash.length > 1) return await fromLink(location.hash);
  } catch (error) {
    messages.say(wordsOf(error), "bad");
  }
  if (!server?.file && (!server?.character || server.character === initial.character)) return initial;
  return { ...initial, posture: null, character: server.character ?? "character", file: server.file ?? null };
}

function layOut(page: HTMLElement, studio: Studio, messages: Messages): void {
  const help = helpDialog();
  const top = bar(studio, () => help.showModal());
  const left = leftSide(studio);
  const right = controls(studio);
  const low = lowSide(studio);
  const tip = tipPart();
  page.replaceChildren(studio.view.canvas, top.element, left.element, h("aside", { class: "side right panel", "aria-label": "Controls" }, right.element),
    low.element, tip.element, messages.element, help);
  studio.add(top, left, right, low, tip);
  const fitScene = (): void => {
    const { height } = low.element.getBoundingClientRect();
    studio.resize(page.clientWidth, page.clientHeight, { left: 248, right: 264, top: 60, bottom: height + 12 });
  };
  new ResizeObserver(fitScene).observe(page);
  new ResizeObserver(fitScene).observe(low.element);
  fitScene();
}

function leftSide(studio: Studio): Part {
  const panels = { postures: postureList(studio), joints: jointList(studio) };
  const tab = (panel: "postures" | "joints", text: string): HTMLButtonElement => {
    panels[panel].element.id = `panel-${panel}`;
    return h("button", { type: "button", role: "tab", "aria-controls": `panel-${panel}`, onclick: () => studio.act({ do: "show panel", panel }) }, text);
  };
  const tabs = { postures: tab("postures", "Postures"), joints: tab("joints", "Joints") };
  return {
    element: h("aside", { class: "side left panel", "aria-label": "Postures and joints" },
      h("div", { class: "tabs", role: "tablist" }, tabs.postures, tabs.joints), panels.postures.element, panels.joints.element),
    update(desk) {
      for (const name of ["postures", "joints"] as const) {
        const shown = desk.state.panel === name;
        tabs[name].setAttribute("aria-selected", String(shown));
        panels[name].element.hidden = !shown;
        if (shown) panels[name].update(desk);
      }
      tabs.postures.disabled = desk.state.edit !== null;
    },
  };
}

function lowSide(studio: Studio): Part {
  const lines = plot();
  const text = words(studio);
  const toggle = iconButton("chart", "Show or hide the plots", () => studio.act({ do: "show plot", plot: !studio.state.plot }));
  const element = h("section", { class: "low panel", "aria-label": "What happens" }, text.element, lines.element, toggle);
  return {
    element,
    update(desk) {
      const { plot: shown } = desk.state;
      document.documentElement.style.setProperty("--low", shown ? "124px" : "44px");
      document.documentElement.classList.toggle("no-plot", !shown);
      toggle.setAttribute("aria-pressed", String(shown));
      lines.element.hidden = !shown;
      text.update(desk);
      if (shown) lines.update(desk);
    },
  };
}

const pointed = { aim: "looks", reach: "reaches", orient: "turns" } as const;

/** One line about what one can do now. */
function tipPart(): Part {
  const element = h("p", { class: "tip" });
  return {
    element,
    update({ state, recording }) {
      setText(element, recording ? "Recording: move the target, then press Record again."
        : state.edit ? "Drag a limb to turn its joint."
        : state.mover === "pointer" ? `Move the pointer: it ${pointed[state.goal]}. Click to leave the target there.`
        : state.mover === "hand" ? "Drag the target. F: follow the pointer again."
        : "");
    },
  };
}

const nextLimits: Readonly<Record<ShownLimits, ShownLimits>> = { none: "touched", touched: "all", all: "none" };

/** Keys that work wherever nothing is being typed. */
function keys(studio: Studio): void {
  addEventListener("keydown", (event) => {
    const command = event.ctrlKey || event.metaKey;
    const typing = event.target instanceof HTMLElement && event.target.matches("input[type=text], input[type=number], textarea");
    const key = event.key.toLowerCase();
    const done = (): void => event.preventDefault();
    if (command && key === "s") return done(), void studio.save();
    if (typing) return;
    if (command && key === "z") return done(), event.shiftKey ? studio.redo() : studio.undo();
    if (command && key === "y") return done(), studio.redo();
    if (command || event.altKey || document.querySelector("dialog[open]")) return;
    const { state } = studio;
    if (key === "?") return document.querySelector("dialog")?.showModal();
    if (event.target instanceof HTMLSelectElement) return; // A menu takes letters, arrows and Space for itself.
    if (key === "escape" && state.edit) return studio.act({ do: "end edit", keep: false });
    if (key === "l") return studio.act({ do: "show limits", limits: nextLimits[state.limits] });
    if (state.edit) return;
    if (key === "f") return studio.act(state.mover === "pointer" ? { do: "put target", target: studio.frame.target } : { do: "choose mover", mover: "pointer" });
    if (key === "r") return studio.record(!studio.recording);
    if (key === "e" && studio.kept) return studio.act({ do: "begin edit", posture: studio.kept });
    if (key === " " && !(event.target instanceof HTMLElement && event.target.matches("button, input, summary")))
      return done(), studio.act({ do: "play", playing: !state.playing });
    const posture = /^[1-9]$/.test(key) ? studio.postures[Number(key) - 1] : undefined;
    if (posture) studio.act({ do: "choose posture", posture: posture.name });
  });
}

/** Files may be dropped anywhere. */
function drops(page: HTMLElement, studio: Studio): void {
  const sign = h("div", { class: "drop", hidden: true }, "Drop a character: gestik JSON, BVH, URDF or glTF");
  page.append(sign);
  let depth = 0;
  const show = (by: number): void => {
    depth = Math.max(0, depth + by);
    sign.hidden = depth === 0;
  };
  addEventListener("dragenter", (event) => (event.preventDefault(), show(1)));
  addEventListener("dragleave", () => show(-1));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    show(-depth);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return studio.say("That was no file: drop a character's file, such as lamp.json or arm.urdf.");
    const known = files.find(({ name }) => ["json", "bvh", "urdf", "glb", "gltf"].includes(ending(name)));
    void studio.open([known ?? files[0]]);
  });
}

function play(studio: Studio): void {
  let last = performance.now();
  const frame = (now: number): void => {
    const seconds = Math.min(Math.max((now - last) / 1000, 0), longestStep);
    last = now;
    // First the next one: whatever goes wrong in this frame, the studio lives on.
    requestAnimationFrame(frame);
    if (seconds > 0) studio.step(seconds);
  };
  studio.step(1 / 60);
  requestAnimationFrame(frame);
}

open().catch((error: unknown) => {
  const waiting = document.querySelector("#waiting");
  const words = `The studio could not start: ${wordsOf(error)}`;
  if (waiting) waiting.textContent = words;
  else console.error(words);
});
