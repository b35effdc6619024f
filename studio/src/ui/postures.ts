/** The postures as small drawings, one of them kept; and the way to draw one's own. */
import type { Figure } from "../body/figure.ts";
import { figureOf } from "../body/figure.ts";
import type { NamedPose } from "../state/state.ts";
import type { Desk, Part } from "./desk.ts";
import { h, iconButton, svg } from "./dom.ts";

export function postureList(desk: Desk): Part {
  const list = h("div", { class: "postures", role: "radiogroup", "aria-label": "Posture to keep" });
  const edit = iconButton("edit", "Edit the chosen posture", () => beginEdit(desk, true), "Edit");
  const fresh = iconButton("plus", "Draw a new posture, from the pose as it is", () => beginEdit(desk, false), "New");
  const element = h("section", { class: "scroll" }, h("div", { class: "row tools" }, edit, fresh), list);
  let key: unknown[] = [];
  return {
    element,
    update({ character, state, kept, postures }) {
      edit.disabled = kept === null;
      const now = [character, state.drawn, kept?.name, document.activeElement];
      if (now.slice(0, 3).every((part, i) => part === key[i])) return;
      key = now;
      const held = list.contains(document.activeElement);
      list.replaceChildren(...postures.map((posture) => card(desk, posture, kept?.name === posture.name)), noneCard(desk, kept === null));
      if (held) list.querySelector<HTMLElement>("input:checked")?.focus();
    },
  };
}

/** A name that is not taken yet. */
export function freshName(wanted: string, taken: readonly string[]): string {
  for (let i = 1; ; ++i) {
    const name = i === 1 ? wanted : `${wanted} ${i}`;
    if (!taken.includes(name)) return name;
  }
}

function beginEdit(desk: Desk, chosen: boolean): void {
  const { kept, postures, frame } = desk;
  const posture: NamedPose = chosen && kept
    ? kept : { name: freshName("my posture", postures.map(({ name }) => name)), q: [...frame.body.q] };
  desk.act({ do: "begin edit", posture });
}

function card(desk: Desk, posture: NamedPose, taken: boolean): HTMLElement {
  const drawn = desk.state.drawn.some(({ name }) => name === posture.name);
  const own = desk.character.postures.some(({ name }) => name === posture.name);
  const input = h("input", {
    type: "radio", name: "posture", value: posture.name, checked: taken,
    onchange: () => desk.act({ do: "choose posture", posture: posture.name }),
  });
  const element = h("label", { class: "card", "data-posture": posture.name }, input,
    drawing(figureOf(desk.character, desk.shape, desk.character.forward(posture.q))),
    h("span", { class: "name" }, posture.name));
  if (drawn) {
    const words = own ? `Go back to ${desk.character.name}'s own '${posture.name}'` : `Forget '${posture.name}'`;
    const forget = iconButton("close", words, () => desk.act({ do: "forget posture", name: posture.name }));
    forget.classList.add("forget");
    element.classList.add("drawn");
    return h("div", { class: "holder" }, element, forget);
  }
  return h("div", { class: "holder" }, element);
}

function noneCard(desk: Desk, taken: boolean): HTMLElement {
  const input = h("input", {
    type: "radio", name: "posture", value: "", checked: taken,
    onchange: () => desk.act({ do: "choose posture", posture: "" }),
  });
  return h("div", { class: "holder" }, h("label", { class: "card none", "data-posture": "" }, input,
    h("span", { class: "nothing", "aria-hidden": "true" }, "–"), h("span", { class: "name" }, "no posture")));
}

function drawing({ lines, looks }: Figure): SVGElement {
  const line = ([x1, y1, x2, y2]: readonly number[], kind: string): SVGElement => svg("line", { x1, y1, x2, y2, class: kind });
  return svg("svg", { viewBox: "0 0 100 100", class: "figure", "aria-hidden": "true" },
    ...looks.map((look) => line(look, "look")), ...lines.map((limb) => line(limb, "limb")));
}
