/** What the pose makes of the wish, in words, and the joints that are at their limits. */
import type { Desk, Part } from "./desk.ts";
import { h } from "./dom.ts";

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
      const { frame, state, character } = now;
      if (frame.time < until) return;
      until = frame.time + 0.2;
      const { explanation } = frame.body;
      const [kind, label] = verdict(now);
      const sentences = state.edit ? ["The solver rests while you draw. Keep the posture, or cancel, and it goes on from here."]
        : frame.body.fault ? [frame.body.fault] : explanation?.words ?? [];
      const at = explanation?.atLimit ?? [];
      const next = JSON.stringify([kind, label, sentences, at]);
      if (next === key) return;
      key = next;
      badge.className = `badge ${kind}`;
      badge.textContent = label;
      text.replaceChildren(...sentences.map((sentence) => h("p", {}, sentence)));
      limits.replaceChildren(...(state.edit ? [] : at).map(({ joint, which, blocking }) => h("button", {
        type: "button", class: blocking ? "chip blocking" : "chip",
        title: blocking ? "The target would be nearer if this limit gave way" : "At its limit, but not in the way",
        onclick: () => desk.act({ do: "select", joint: character.joints[joint].name }),
      }, `${character.joints[joint].name} ${which === "lo" ? "↓" : which === "hi" ? "↑" : "◠"}`)));
    },
  };
}

/** In a word: of the pose as it is shown, not of what the solver wants. */
function verdict({ frame, state }: Desk): [string, string] {
  if (state.edit) return ["busy", "drawing"];
  const { fault, explanation, reposing, status } = frame.body;
  if (fault) return ["bad", "can't"];
  if (explanation?.goals.every(({ met }) => met)) return ["good", "on target"];
  if (reposing) return ["busy", "re-posing"];
  if (status === "reached") return ["busy", "on its way"];
  return ["bad", "out of reach"];
}
