/** A word to the user that goes by itself when it can have been read; a bad one stays until it is put away. */
import { h, iconButton } from "./dom.ts";

const readingTime = (text: string): number => 3000 + 50 * text.length;

export class Messages {
  readonly element = h("div", { class: "messages", role: "status", "aria-live": "polite" });

  say(text: string, kind: "good" | "bad" = "good"): void {
    const message = h("div", { class: `message panel ${kind}` }, h("p", {}, text));
    message.append(iconButton("close", "Put away", () => message.remove()));
    this.element.append(message);
    while (this.element.childElementCount > 3) this.element.firstElementChild?.remove();
    if (kind === "good") setTimeout(() => message.remove(), readingTime(text));
  }
}
