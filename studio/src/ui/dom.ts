/** Elements in a line of code each. */
type Attributes = Readonly<Record<string, string | number | boolean | ((event: never) => void) | undefined>>;
type Content = Node | string;

/** `onclick` and the like are listeners, true and false switch attributes, all else is set as text. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...content: Content[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...content);
  return element;
}

export function svg(tag: string, attributes: Readonly<Record<string, string | number>>, ...content: Node[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...content);
  return element;
}

/** Line drawings of 20 by 20, for buttons. */
const icons = {
  undo: "M7 4 3.5 7.5 7 11M4 7.5h7.5a4.5 4.5 0 0 1 0 9H8",
  redo: "m13 4 3.5 3.5L13 11m3-3.5H8.5a4.5 4.5 0 0 0 0 9H12",
  link: "M8.5 11.5 11.5 8.5M9 6l1.8-1.8a3.5 3.5 0 0 1 5 5L14 11M11 14l-1.8 1.8a3.5 3.5 0 0 1-5-5L6 9",
  save: "M10 3v9m-3.5-3.5L10 12l3.5-3.5M4 14v2.5h12V14",
  open: "M3 15.5V5h5l1.5 2H17v8.5z",
  theme: "M10 3a7 7 0 1 0 7 7 5.5 5.5 0 0 1-7-7z",
  help: "M7.5 7.5a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1 .9-1 1.700m0 3v.1M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15z",
  play: "M6.5 4.5v11l9-5.5z",
  pause: "M7 4.5v11M13 4.5v11",
  record: "M10 14a4 4 0 1 0 0-8 4 4 0 0 0 0 8z",
  edit: "m4 16 .7-3.2L13.5 4l2.5 2.5-8.8 8.8z",
  plus: "M10 4.5v11M4.5 10h11",
  chart: "M3 15.5 7.5 9l3.5 3.5L17 5",
  close: "m5.5 5.5 9 9m0-9-9 9",
  reset: "M4.5 10a5.5 5.5 0 1 1 1.8 4M4 15.5v-3.5h3.5",
} as const;

export type Icon = keyof typeof icons;

export function icon(name: Icon): SVGElement {
  return svg("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" }, svg("path", { d: icons[name] }));
}

/** A button with an icon; `label` is read out, and shown where there are words to show. */
export function iconButton(name: Icon, label: string, onclick: () => void, words = ""): HTMLButtonElement {
  return h("button", { type: "button", class: words ? "with-words" : "square", title: label, "aria-label": label, onclick }, icon(name), words);
}

/** A menu whose options come in groups or alone; keeps its list while that is the same. */
export class Menu {
  readonly element: HTMLSelectElement;
  private key = "";

  constructor(label: string, chosen: (value: string) => void, id = "") {
    this.element = h("select", { "aria-label": label, ...(id && { id }) });
    this.element.addEventListener("change", () => chosen(this.element.value));
  }

  update(options: readonly { readonly value: string; readonly text: string; readonly off?: boolean }[], value: string): void {
    const key = JSON.stringify(options);
    if (key !== this.key) {
      this.key = key;
      this.element.replaceChildren(...options.map((option) => h("option", { value: option.value, disabled: option.off ?? false }, option.text)));
    }
    if (this.element.value !== value) this.element.value = value;
  }
}

/** A few choices side by side, one of them taken: arrow keys move between them, as between radio buttons. */
export class Choice<T extends string> {
  readonly element: HTMLElement;
  private readonly inputs = new Map<T, HTMLInputElement>();

  constructor(label: string, options: readonly { readonly value: T; readonly text: string; readonly title?: string }[], chosen: (value: T) => void) {
    const group = `choice-${label.replaceAll(/\W+/g, "-")}`;
    this.element = h("div", { class: "choice", role: "radiogroup", "aria-label": label });
    for (const { value, text, title } of options) {
      const input = h("input", { type: "radio", name: group, value, onchange: () => chosen(value) });
      this.inputs.set(value, input);
      this.element.append(h("label", { title: title ?? text }, input, h("span", {}, text)));
    }
  }

  update(value: T, off: (value: T) => boolean = () => false): void {
    for (const [each, input] of this.inputs) {
      input.checked = each === value;
      input.disabled = off(each);
    }
  }
}

/** Sets text only where it differs: the page is not laid out anew for nothing. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
