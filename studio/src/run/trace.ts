/** The last seconds of what the plot shows, oldest first, without growing. */
export const channels = ["goal", "posture", "speed", "time"] as const;
export type Channel = (typeof channels)[number];
/** Null: nothing to show at that moment. */
export type Sample = Readonly<Record<Channel, number | null>>;

export class Trace {
  private readonly samples: { t: number; body: Sample; ghost: Sample | null }[] = [];

  constructor(readonly seconds = 8) {}

  add(t: number, body: Sample, ghost: Sample | null): void {
    this.samples.push({ t, body, ghost });
    while (this.samples.length > 0 && this.samples[0].t < t - this.seconds) this.samples.shift();
  }

  clear(): void {
    this.samples.length = 0;
  }

  /** Pairs of time and value. */
  line(channel: Channel, of: "body" | "ghost"): [number, number][] {
    return this.samples.flatMap(({ t, [of]: sample }) => {
      const value = sample?.[channel] ?? null;
      return value === null ? [] : [[t, value] as [number, number]];
    });
  }

  latest(channel: Channel, of: "body" | "ghost"): number | null {
    return this.samples.at(-1)?.[of]?.[channel] ?? null;
  }
}

/** The least of 1, 2, 5, 10, ... that is not below the values: an axis that does not wobble. */
export function niceTop(values: readonly number[], least: number): number {
  const most = Math.max(least, ...values);
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((x) => x * power).find((x) => x >= most * (1 - 1e-9)) ?? most;
}
