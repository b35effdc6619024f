/** A slider with its name, its number and what it means. */
import { h, setText } from "./dom.ts";
import type { Scale } from "./scale.ts";
import { shortNumber } from "./scale.ts";

const steps = 1000;

export interface SliderEvents {
  readonly changed: (value: number) => void;
  /** The hand is off. */
  readonly ended: () => void;
}

export class Slider {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  private readonly number: HTMLElement;

  constructor(name: string, help: string, private readonly scale: Scale, events: SliderEvents,
              private readonly shown: (value: number) => string = shortNumber) {
    this.number = h("span", { class: "number", "aria-hidden": "true" });
    this.input = h("input", { type: "range", min: 0, max: steps, step: 1, "aria-label": name, title: help });
    this.input.addEventListener("input", () => events.changed(scale.value(this.input.valueAsNumber / steps)));
    this.input.addEventListener("change", () => events.ended());
    this.element = h("label", { class: "slider", title: help }, h("span", { class: "name" }, name), this.number, this.input);
  }

  update(value: number, off = false): void {
    const place = Math.round(this.scale.place(value) * steps);
    if (this.input.valueAsNumber !== place) this.input.value = String(place);
    this.input.style.setProperty("--fill", `${place / 10}%`);
    this.input.disabled = off;
    const text = this.shown(value);
    setText(this.number, text);
    if (this.input.getAttribute("aria-valuetext") !== text) this.input.setAttribute("aria-valuetext", text);
  }
}
