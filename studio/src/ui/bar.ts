/** The top: whose studio this is, which character, and what one does with it as a whole. */
import type { Theme } from "../state/state.ts";
import type { Desk, Part } from "./desk.ts";
import { h, iconButton, Menu } from "./dom.ts";

const nextTheme: Readonly<Record<Theme, Theme>> = { auto: "light", light: "dark", dark: "auto" };

export function bar(desk: Desk, help: () => void): Part {
  const character = new Menu("Character", (name) => desk.act({ do: "take character", name, file: null }), "character");
  const files = h("input", { type: "file", multiple: false, hidden: true, accept: ".json,.bvh,.urdf,.gltf,.glb", "aria-label": "Open a character's file", tabindex: -1 });
  files.addEventListener("change", () => {
    desk.open([...(files.files ?? [])]);
    files.value = "";
  });
  const undo = iconButton("undo", "Undo (Ctrl Z)", () => desk.undo());
  const redo = iconButton("redo", "Redo (Ctrl Shift Z)", () => desk.redo());
  const theme = iconButton("theme", "Colours", () => desk.act({ do: "choose theme", theme: nextTheme[desk.state.theme] }));
  const save = iconButton("save", "Save the character's file (Ctrl S)", () => desk.save(), "Save");
  const element = h("header", { class: "bar panel" },
    h("h1", {}, mark(), h("span", {}, "Gestik"), h("span", { class: "quiet" }, "studio")),
    character.element,
    iconButton("open", "Open a file: gestik JSON, BVH, URDF or glTF (or drop one anywhere)", () => files.click(), "Open"), files,
    h("span", { class: "gap" }),
    undo, redo,
    iconButton("link", "Copy a link that shows just this", () => desk.share(), "Share"),
    save, theme, iconButton("help", "Keys and hints (?)", help));
  return {
    element,
    update({ state, gestik, character: { name: shown }, canUndo, canRedo, savesTo }) {
      const own = gestik.bundledNames();
      const options = own.map((name) => ({ value: name, text: name }));
      character.update(state.file === null ? options : [{ value: "\n", text: shown || state.character }, ...options], state.file === null ? state.character : "\n");
      undo.disabled = !canUndo;
      redo.disabled = !canRedo;
      const words = `Colours: ${state.theme === "auto" ? "as the system has them" : state.theme}`;
      if (theme.title !== words) {
        theme.title = words;
        theme.setAttribute("aria-label", words);
      }
      const where = savesTo ? `Save the character to ${savesTo} (Ctrl S)` : "Save the character's file (Ctrl S)";
      if (save.title !== where) save.title = where;
    },
  };
}

/** A lamp in three strokes. */
function mark(): HTMLElement {
  const holder = h("span", { class: "mark", "aria-hidden": "true" });
  holder.innerHTML = `<svg viewBox="0 0 24 24"><path class="arm" d="M8 21 6.5 13.5 13 7"/><path class="foot" d="M4 21h9"/><path class="head" d="m11 3.5 5.5 5.5 4.5-1L12 -1z" transform="translate(0 2)"/></svg>`;
  return holder;
}
