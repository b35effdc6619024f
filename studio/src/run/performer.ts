/** A body that a solver moves: sixty times a second from a wish to the pose that is shown. */
import type {
  Character, Explanation, Filter, Settings, Status, Tracker, Wish,
} from "../../../bindings/wasm/types.ts";

/** By whom and how it is moved. */
export interface Direction {
  /** A solver by name, or "tracker". */
  readonly solver: string;
  readonly keepsPosture: boolean;
  readonly settings: Settings;
  /** The motion filter's settings; null: the answers as they come, jumps and all. */
  readonly motion: Settings | null;
}

export interface Shown {
  readonly q: Float64Array;
  readonly world: Float64Array;
  readonly status: Status;
  /** Why the solver did not take the wish, in words; else empty. */
  readonly fault: string;
  readonly iterations: number;
  /**
   * Of a solve, the mean of the last ones without the slowest: clocks of browsers are coarse, and machines hiccup. Null
   * until it has warmed up: the first ones wait for the browser to compile them.
   */
  readonly microseconds: number | null;
  readonly reposing: boolean;
  /** The fastest joint (of a ball its fastest axis), radians (of a slider metres) per second. */
  readonly speed: number;
  /** Of the goal: metres of a reach, radians of the others; null where the solver did not take it. */
  readonly residual: number | null;
  /** From the posture, joint by joint, as one number: the root of the mean square. Null without a posture. */
  readonly fromPosture: number | null;
  /** Of the answer that the body is on its way to. Brought up to date five times a second. */
  readonly explanation: Explanation | null;
}

const timesKept = 40;
const warmUp = 5;
const longestStep = 1 / 60;

export class Performer {
  private readonly tracker: Tracker;
  private readonly filter: Filter;
  private wanted: Float64Array;
  private q: Float64Array;
  private times: number[] = [];
  private untilWarm = warmUp;
  private lastSolver = "";
  private explained: Explanation | null = null;
  private untilExplained = 0;

  constructor(private readonly character: Character, q: ArrayLike<number>) {
    this.tracker = character.tracker(q);
    this.filter = character.filter(q);
    this.q = this.wanted = character.clamp(q);
  }

  /** The pose as it is shown now. */
  get pose(): Float64Array {
    return this.q;
  }

  step(wish: Wish, direction: Direction, seconds: number): Shown {
    const answer = direction.solver === "tracker" ? this.track(wish, direction, seconds) : this.solve(wish, direction);
    const refused = answer.status === "unsupported" || answer.status === "bad_problem";
    if (!refused) this.wanted = answer.q;
    const before = this.q;
    this.q = this.moved(direction.motion, seconds);
    this.clock(answer.microseconds, this.lastSolver !== direction.solver);
    this.lastSolver = direction.solver;
    this.explain(wish, refused, seconds);
    return {
      q: this.q,
      world: this.character.forward(this.q),
      status: answer.status,
      fault: answer.fault,
      iterations: answer.iterations,
      microseconds: this.times.length > 0 ? calmMean(this.times) : null,
      reposing: answer.reposing,
      speed: fastest(this.character.difference(before, this.q), seconds),
      residual: refused ? null : this.character.measure(wish, this.q).residuals[0] ?? null,
      fromPosture: this.fromPosture(wish),
      explanation: this.explained,
    };
  }

  /** Stands at q, as it is drawn by hand. */
  hold(q: ArrayLike<number>): Shown {
    this.reset(q);
    return {
      q: this.q, world: this.character.forward(this.q), status: "reached", fault: "", iterations: 0, microseconds: null,
      reposing: false, speed: 0, residual: null, fromPosture: null, explanation: null,
    };
  }

  /** At rest at q, with nothing to remember. */
  reset(q: ArrayLike<number>): void {
    this.q = this.wanted = this.character.clamp(q);
    this.tracker.reset(q);
    this.filter.reset(q);
    this.untilExplained = 0;
  }

  free(): void {
    this.tracker.free();
    this.filter.free();
  }

  private track(wish: Wish, direction: Direction, seconds: number) {
    if (this.lastSolver !== "tracker") this.tracker.reset(this.wanted);
    this.tracker.set(direction.settings);
    // Steps of a sixtieth of a second at most: in longer ones the tracker may stay with a pose that keeps little of the
    // posture. A slow screen then sees what a fast one sees.
    const steps = Math.max(1, Math.ceil(seconds / longestStep - 0.01));
    let tracked = this.tracker.step(wish, seconds / steps);
    let microseconds = tracked.microseconds;
    for (let i = 1; i < steps; ++i) {
      tracked = this.tracker.step(wish, seconds / steps);
      microseconds += tracked.microseconds;
    }
    return { ...tracked, microseconds: microseconds / steps };
  }

  /**
   * A solver that keeps postures starts from its last answer. The others only start from the posture: from there they go
   * every time, or it would be forgotten after one frame.
   */
  private solve(wish: Wish, { solver, settings, keepsPosture }: Direction) {
    const fromPosture = !keepsPosture && wish.posture && (wish.style ?? 1) > 0;
    const seed = fromPosture ? undefined : this.wanted;
    // What is over sooner than a browser's clock ticks is done a few times over, for its time's sake.
    const repeats = calmMean(this.times) < 30 ? 8 : 1;
    const solved = this.character.solve({ ...wish, solver, settings, repeats, explain: false, ...(seed && { seed }) });
    return { ...solved, reposing: false };
  }

  private clock(microseconds: number, another: boolean): void {
    if (another) {
      this.times = [];
      this.untilWarm = warmUp;
    }
    if (this.untilWarm-- <= 0) this.times = [...this.times, microseconds].slice(-timesKept);
  }

  private moved(motion: Settings | null, seconds: number): Float64Array {
    if (motion) {
      this.filter.set(motion);
      return this.filter.step(this.wanted, seconds);
    }
    this.filter.reset(this.wanted);
    return this.wanted;
  }

  private fromPosture({ posture }: Wish): number | null {
    if (!posture || typeof posture === "string") return null;
    const moving = this.character.joints.filter(({ type }) => type !== "fixed").length;
    const sum = this.character.difference(posture, this.q).reduce((total, x) => total + x * x, 0);
    return Math.sqrt(sum / Math.max(moving, 1));
  }

  private explain(wish: Wish, refused: boolean, seconds: number): void {
    this.untilExplained -= seconds;
    if (this.untilExplained > 0) return;
    this.untilExplained = 0.2;
    this.explained = refused ? null : this.character.explain(wish, this.wanted);
  }
}

/** Without the slowest fifth. */
export function calmMean(times: readonly number[]): number {
  if (times.length === 0) return Infinity;
  const calm = [...times].sort((a, b) => a - b).slice(0, Math.max(1, Math.ceil(0.8 * times.length)));
  return calm.reduce((sum, x) => sum + x, 0) / calm.length;
}

function fastest(way: Float64Array, seconds: number): number {
  return seconds > 0 ? way.reduce((most, x) => Math.max(most, Math.abs(x)), 0) / seconds : 0;
}
