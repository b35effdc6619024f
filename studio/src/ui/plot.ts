/** The running plot: how far from the goal, how far from the posture, how fast, at what cost. Body solid, ghost dashed. */
import { degrees } from "../math.ts";
import type { Channel, Trace } from "../run/trace.ts";
import { channels, niceTop } from "../run/trace.ts";
import type { Desk, Part } from "./desk.ts";
import { h, setText } from "./dom.ts";
import { shortNumber } from "./scale.ts";

interface Axis {
  readonly title: (reach: boolean) => string;
  readonly unit: (reach: boolean) => string;
  /** From what is measured to what is shown. */
  readonly factor: (reach: boolean) => number;
  /** The top never goes below this, in shown units: noise at rest should look like rest. */
  readonly least: number;
}

const always = <T>(value: T) => (): T => value;

const axes: Readonly<Record<Channel, Axis>> = {
  goal: {
    title: (reach) => (reach ? "distance" : "orientation error"),
    unit: (reach) => (reach ? "mm" : "°"),
    factor: (reach) => (reach ? 1000 : degrees(1)),
    least: 1,
  },
  posture: { title: always("posture error"), unit: always("°"), factor: always(degrees(1)), least: 10 },
  speed: { title: always("speed"), unit: always("°/s"), factor: always(degrees(1)), least: 50 },
  time: { title: always("time per solve"), unit: always("µs"), factor: always(1), least: 10 },
};

export function plot(): Part {
  const panes = channels.map((channel) => new Pane(channel));
  return {
    element: h("div", { class: "panes" }, ...panes.map((pane) => pane.element)),
    update(desk) {
      for (const pane of panes) pane.update(desk);
    },
  };
}

class Pane {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private readonly title = h("span", {});
  private readonly value = h("strong", {});
  private readonly ghost = h("span", { class: "ghost-value" });
  private untilText = 0;

  constructor(private readonly channel: Channel) {
    this.element = h("figure", { class: "pane", "data-channel": channel }, h("figcaption", {}, this.title, this.ghost, this.value), this.canvas);
  }

  update({ trace, frame, state }: Desk): void {
    const reach = state.goal === "reach";
    const axis = axes[this.channel];
    const lines = (["body", "ghost"] as const).map((of) =>
      trace.line(this.channel, of).map(([t, value]): [number, number] => [t, value * axis.factor(reach)]));
    const top = niceTop(lines.flat().map(([, value]) => value), axis.least);
    draw(this.canvas, lines, frame.time, trace.seconds, top);
    if (frame.time < this.untilText) return;
    this.untilText = frame.time + 0.15;
    this.words(trace, axis, reach);
  }

  private words(trace: Trace, axis: Axis, reach: boolean): void {
    const text = (of: "body" | "ghost"): string => {
      const value = trace.latest(this.channel, of);
      return value === null ? "" : `${shown(value * axis.factor(reach))} ${axis.unit(reach)}`;
    };
    setText(this.title, axis.title(reach));
    setText(this.value, text("body") || "–");
    setText(this.ghost, text("ghost"));
  }
}

const shown = (value: number): string => (value < 0.005 ? "0" : value >= 100 ? value.toFixed(0) : shortNumber(value));

function draw(canvas: HTMLCanvasElement, [body, ghost]: readonly [number, number][][], now: number, seconds: number, top: number): void {
  const ratio = Math.min(devicePixelRatio, 2);
  const width = Math.round(canvas.clientWidth * ratio);
  const height = Math.round(canvas.clientHeight * ratio);
  if (width === 0 || height === 0) return;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const paint = canvas.getContext("2d")!;
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  paint.clearRect(0, 0, width, height);
  const at = ([t, value]: [number, number]): [number, number] =>
    [width * (1 - (now - t) / seconds), height - 1.5 * ratio - (height - 4 * ratio) * (value / top)];
  paint.strokeStyle = colour("--hairline");
  paint.lineWidth = ratio;
  for (const level of [0, 0.5, 1]) {
    const y = at([now, level * top])[1];
    paint.beginPath();
    paint.moveTo(0, y);
    paint.lineTo(width, y);
    paint.stroke();
  }
  paint.fillStyle = colour("--quiet");
  paint.font = `${9.5 * ratio}px system-ui, sans-serif`;
  paint.fillText(shortNumber(top), 2 * ratio, 12 * ratio);
  const stroke = (line: readonly [number, number][], name: string, dash: number[]): void => {
    if (line.length < 2) return;
    paint.strokeStyle = colour(name);
    paint.lineWidth = 1.6 * ratio;
    paint.lineJoin = "round";
    paint.setLineDash(dash);
    paint.beginPath();
    for (const point of line) paint.lineTo(...at(point));
    paint.stroke();
    paint.setLineDash([]);
  };
  stroke(ghost, "--ghost", [4 * ratio, 3 * ratio]);
  stroke(body, "--accent", []);
}
