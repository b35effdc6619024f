/** What the pose makes of the wish, in words, and the joints that are at their limits. */
import type { Explanation } from "../../../bindings/wasm/types.ts";
import { degrees } from "../math.ts";
import type { Desk, Part } from "./desk.ts";
import { h } from "./dom.ts";

/** A hand's fingers may all be at their limits: the explanation must stay in sight. */
const chipsShown = 3;

export function words(desk: Desk): Part {
  const badge = h("span", { class: "badge" });
  const text = h("div", { class: "sentences" });
  const limits = h("div", { class: "chips", "aria-label": "Joints at their limits" });
  const element = h("section", { class: "words", "aria-label": "Explanation" }, h("div", { class: "row" }, badge, limits), text);
  let key = "";
  let until = 0;
  return {
    element,
    update(now) {
      const { frame, state } = now;
      if (frame.time < until) return;
      until = frame.time + 0.2;
      const { explanation } = frame.body;
      const [kind, label] = verdict(now);
      const sentences = sentencesOf(now, kind === "busy");
      const at = explanation?.atLimit ?? [];
      const next = JSON.stringify([kind, label, sentences, at]);
      if (next === key) return;
      key = next;
      badge.className = `badge ${kind}`;
      badge.textContent = label;
      text.replaceChildren(...sentences.map((sentence) => h("p", { title: sentence }, sentence)));
      limits.replaceChildren(...(state.edit ? [] : chips(desk, at)));
    },
  };
}

/** Limits that are in the way come first; of many more only the number. */
function chips(desk: Desk, at: Explanation["atLimit"]): HTMLElement[] {
  const nameOf = (joint: number): string => desk.character.joints[joint].name;
  const sorted = [...at].sort((a, b) => Number(b.blocking) - Number(a.blocking));
  const others = sorted.slice(chipsShown);
  const shown = sorted.slice(0, chipsShown).map(({ joint, which, blocking }) => h("button", {
    type: "button", class: blocking ? "chip blocking" : "chip",
    title: `${nameOf(joint)}: ${blocking ? "the target would be nearer if this limit gave way" : "at its limit, but not in the way"}`,
    onclick: () => desk.act({ do: "select", joint: nameOf(joint) }),
  }, `${which === "lo" ? "↓" : which === "hi" ? "↑" : "◠"} ${nameOf(joint)}`));
  if (others.length === 0) return shown;
  return [...shown, h("span", { class: "quiet", title: others.map(({ joint }) => nameOf(joint)).join(", ") }, `+${others.length}`)];
}

/** On its way it says how far it is; why it stops short is said when it has stopped. */
function sentencesOf({ frame: { body }, state }: Desk, busy: boolean): readonly string[] {
  if (state.edit) return ["The solver rests while you draw. Keep the posture, or cancel, and it goes on from here."];
  if (body.fault) return [body.fault];
  const { goals, words: all } = body.explanation ?? { goals: [], words: [] };
  if (!busy || body.residual === null) return all;
  const far = state.goal === "reach" ? 1000 * body.residual : degrees(body.residual);
  const left = `${far < 10 ? far.toFixed(1) : far.toFixed(0)}${state.goal === "reach" ? " mm" : "°"}`;
  return [`${left} to go.`, ...all.slice(goals.length)];
}

/** In a word: of the pose as it is shown, not of what the solver wants. */
function verdict({ frame, state }: Desk): [string, string] {
  if (state.edit) return ["busy", "drawing"];
  const { fault, explanation, reposing, status, residual, speed } = frame.body;
  if (fault) return ["bad", "can't"];
  if (residual !== null && residual <= (explanation?.goals[0]?.tolerance ?? 0)) return ["good", "on target"];
  if (reposing) return ["busy", "re-posing"];
  if (status === "reached" || speed > 0.05) return ["busy", "on its way"];
  return ["bad", "out of reach"];
}
