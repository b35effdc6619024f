/** Keys and hints. */
import { h } from "./dom.ts";

const keys: readonly (readonly [string, string])[] = [
  ["F", "the target follows the pointer, or stays"],
  ["click", "leave the target where it is"],
  ["arrows, Page Up, Page Down", "move the target, when the scene has the focus"],
  ["Space", "play and pause a path"],
  ["R", "record a path, and end the recording"],
  ["E, Escape", "edit the chosen posture, leave the editor"],
  ["1 … 9", "take a posture"],
  ["L", "limits: hidden, touched, all"],
  ["Ctrl Z, Ctrl Shift Z", "undo, redo"],
  ["Ctrl S", "save the character's file"],
  ["drag, wheel", "look from elsewhere, nearer, farther"],
  ["?", "these hints"],
];

export function helpDialog(): HTMLDialogElement {
  const close = h("button", { type: "button", class: "main" }, "Close");
  const dialog = h("dialog", { class: "panel help", "aria-label": "Keys and hints" },
    h("h2", {}, "Keys and hints"),
    h("dl", {}, ...keys.flatMap(([key, meaning]) => [h("dt", {}, key), h("dd", {}, meaning)])),
    h("p", { class: "hint" }, "Drop a character anywhere: gestik JSON, BVH and glTF are read right here, URDF by the studio's own server on this machine."),
    close);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
