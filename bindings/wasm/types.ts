/**
 * What gestik.ts gives you, as types. Metres, radians, seconds, right-handed; quaternions are w, x, y, z.
 *
 *     const gestik = await loadGestik("gestik.wasm");
 *     const lamp = gestik.bundled("lamp");
 *     const solved = lamp.solve({ goals: [{ kind: "aim", target: [0.4, 0.3, 0.5] }], posture: "curious" });
 *
 * Whatever is refused (a broken file, an unknown name, a number out of range) throws a GestikError whose
 * message says what, where and what to do.
 */

export type Vec3 = readonly [x: number, y: number, z: number];
export type Quat = readonly [w: number, x: number, y: number, z: number];

export interface Pose {
  readonly position: Vec3;
  readonly orientation: Quat;
}

// --- solvers and other things with settings ---

/** A setting: make a slider of it. */
export interface Field {
  readonly name: string;
  readonly kind: "real" | "integer" | "boolean";
  /** Both ends are included; null: no bound on that side. */
  readonly lo: number | null;
  readonly hi: number | null;
  /** A boolean is 0 or 1. */
  readonly default: number;
  readonly help: string;
}

/** Settings by name; what is left out has its default. Booleans are 0 and 1. */
export type Settings = Readonly<Record<string, number>>;

/** A solver and what it can do. It turns away (status "unsupported") what it can't. */
export interface SolverInfo {
  readonly name: string;
  /** The paper. */
  readonly source: string;
  readonly summary: string;
  readonly goals: { readonly reach: boolean; readonly orient: boolean; readonly aim: boolean };
  readonly joints: { readonly hinge: boolean; readonly slider: boolean; readonly ball: boolean };
  readonly manyGoals: boolean;
  readonly priorities: boolean;
  /** Brings the posture into the solution, not only into the start. */
  readonly keepsPosture: boolean;
  /** The budget when the question names none. */
  readonly iterations: number;
  readonly fields: readonly Field[];
}

/** A way to move, to begin with. */
export interface FilterPreset {
  readonly name: string;
  readonly summary: string;
  readonly settings: Settings;
}

// --- a character ---

export type JointType = "fixed" | "hinge" | "slider" | "ball";

/** How far a joint may move; null: no limit on that side. */
export interface Limits {
  /** Radians of a hinge, metres of a slider, radians of a ball's twist. */
  readonly lo: number | null;
  readonly hi: number | null;
  /**
   * Ball only: half axes of the swing ellipse, in (0, pi], in the limit frame (Joint.limitFrame): the swing as a
   * rotation vector (x, y) there satisfies (x / swingX)^2 + (y / swingY)^2 <= 1. Pi and pi: any swing.
   */
  readonly swingX: number;
  readonly swingY: number;
}

/** How fast a joint may move. */
export interface MotionLimits {
  readonly velocity: number;
  readonly acceleration: number;
  readonly jerk: number;
}

export interface Joint {
  readonly name: string;
  /** Index of the parent, which comes before it; -1 for the root. */
  readonly parent: number;
  readonly type: JointType;
  /** Its frame in its parent's moved frame, when its own value is zero. */
  readonly rest: Pose;
  /** Of unit length, in its own frame: a hinge's or slider's axis, a ball's twist axis. */
  readonly axis: Vec3;
  readonly limits: Limits;
  /** Takes the frame that a ball's limits are written in to the joint's own: z to the axis, by the smallest rotation. */
  readonly limitFrame: Quat;
  readonly motion: MotionLimits;
  /** Its first coordinate in q: one for a hinge or slider, four for a ball (w, x, y, z), none for a fixed joint. */
  readonly q: number;
  readonly qSize: number;
}

/** A named place on a joint: what looks, points or reaches. */
export interface Place {
  readonly name: string;
  readonly joint: number;
  /** In the joint's frame. */
  readonly pose: Pose;
  /** The direction that looks, in the place's own frame. */
  readonly aim: Vec3;
}

/** Where a ball stands in its limits: the swing's rotation vector in the limit frame, and the twist. */
export type BallAngles = readonly [swingX: number, swingY: number, twist: number];

export interface Posture {
  readonly name: string;
  readonly q: readonly number[];
}

/** Motion that came with the file. */
export interface Clip {
  readonly name: string;
  /** Frames per second. */
  readonly rate: number;
  readonly frames: number;
  /** Frame after frame, a q each. */
  readonly values: Float64Array;
}

// --- asking ---

interface GoalOfAnyKind {
  /** An end-point, link or joint by name; left out: the character's first end-point. */
  readonly end?: string;
  /** Above zero; 1 when left out. */
  readonly weight?: number;
  /** Metres of a reach, radians of the others. */
  readonly tolerance?: number;
  /** 0 (when left out) is served first, by solvers that know priorities. */
  readonly priority?: number;
}

/** Bring the end to a place. */
export interface Reach extends GoalOfAnyKind {
  readonly kind: "reach";
  readonly target: Vec3;
}

/** Bring the end's frame to an orientation; `symmetric`: or to its half turn about the direction in which it looks. */
export interface Orient extends GoalOfAnyKind {
  readonly kind: "orient";
  readonly target: Quat;
  readonly symmetric?: boolean;
}

/** Point the end at a place; `direction`: the target is a direction, not a place. */
export interface Aim extends GoalOfAnyKind {
  readonly kind: "aim";
  readonly target: Vec3;
  readonly direction?: boolean;
}

export type Goal = Reach | Orient | Aim;

/** What a body should do: goals, and the expression to keep. */
export interface Wish {
  readonly goals: readonly Goal[];
  /** By name or as a q; left out: none to keep. */
  readonly posture?: string | ArrayLike<number> | null;
  /**
   * 0: the goals alone; 1 (when left out): the posture as far as the goals allow. It goes to the `style` setting of a
   * solver that has one; for the others it is the posture's weight beside the goals'.
   */
  readonly style?: number;
  /** How strongly each joint holds on to the posture, in joint order: 1 is normal, 0 is free, more holds harder. */
  readonly weights?: ArrayLike<number>;
  /** Joints, by name, that stay where the seed has them. */
  readonly held?: readonly string[];
}

export interface Question extends Wish {
  /** Where to start; left out: the posture, or neutral without one. */
  readonly seed?: ArrayLike<number>;
  /** By name; left out: what suits the question (poise where it can, else lm). */
  readonly solver?: string;
  readonly settings?: Settings;
  readonly iterations?: number;
  /** Solve so many times over and give the mean time: clocks of browsers are coarse. The answer is the same. */
  readonly repeats?: number;
  /** Whether to work out `explanation` (true when left out). */
  readonly explain?: boolean;
}

// --- answers ---

export type Status = "reached" | "stalled" | "out_of_budget" | "unsupported" | "bad_problem";

/** The errors of the ERIK paper for the first goal's end, each in [0, 1]; null where there is nothing to measure. */
export interface ErikErrors {
  readonly orientation: number | null;
  readonly posture: number | null;
  readonly combined: number | null;
}

export interface Measured {
  readonly erik: ErikErrors;
  /** Of each goal: metres of a reach, radians of the others. */
  readonly residuals: readonly number[];
}

/** What a pose makes of a wish. */
export interface Explanation {
  readonly goals: readonly {
    readonly kind: Goal["kind"];
    readonly end: string;
    readonly joint: number;
    /** Metres of a reach, radians of the others. */
    readonly residual: number;
    readonly tolerance: number;
    readonly met: boolean;
    readonly reason: "none" | "nothing_moves" | "out_of_reach" | "limits" | "unfinished";
    /** The reason in words; empty when met. */
    readonly why: string;
  }[];
  /** Only joints that sit on a bound; `blocking`: the goals would be nearer if it gave way. */
  readonly atLimit: readonly {
    readonly joint: number;
    readonly which: "lo" | "hi" | "swing";
    readonly blocking: boolean;
  }[];
  /** How far each joint that moves is from the posture (radians, of a slider metres; of a ball without sign); empty without one. */
  readonly changes: readonly {
    readonly joint: number;
    readonly change: number;
    /** Whether a viewer would notice: not at all, beside the drawing, clearly (5 degrees, 10 mm). */
    readonly loss: "none" | "slight" | "clear";
  }[];
  /** All of it in sentences for people. */
  readonly words: readonly string[];
}

export interface Answer {
  readonly q: Float64Array;
  readonly status: Status;
  /** Why the wish was turned away, in words (status "unsupported" or "bad_problem"); else empty. */
  readonly fault: string;
  /** What the solver brought down; zero exactly when reached, unless a solver that keeps a posture says more. */
  readonly error: number;
  readonly iterations: number;
  readonly erik: ErikErrors;
  /** World poses of the joints, seven numbers each: w, x, y, z, then x, y, z of the place. */
  readonly world: Float64Array;
}

export interface Solved extends Answer {
  readonly solver: string;
  /** Of the solve itself. */
  readonly microseconds: number;
  /** Missing when the question did not want it, and where it was turned away. */
  readonly explanation?: Explanation;
}

export interface Tracked extends Answer {
  /** On the way to another way to meet the goals, which may leave them for a while. */
  readonly reposing: boolean;
  /** How many such ways were begun so far. */
  readonly reposes: number;
  readonly microseconds: number;
}

// --- things that remember ---

/** Follows a moving target frame by frame and never jumps. */
export interface Tracker {
  /** One frame. A time that is not above zero moves nothing. */
  step(wish: Wish, seconds: number): Tracked;
  set(settings: Settings): void;
  /** Starts again, at rest at q. */
  reset(q: ArrayLike<number>): void;
  free(): void;
}

/** Joints follow targets that may jump, and never move faster, harder or rougher than they may. */
export interface Filter {
  /** One frame towards the target; gives the new pose. */
  step(target: ArrayLike<number>, seconds: number): Float64Array;
  /** A preset by name, or settings. */
  set(how: string | Settings): void;
  reset(q: ArrayLike<number>): void;
  free(): void;
}

export interface Character {
  readonly name: string;
  readonly up: "x" | "y" | "z";
  /** Parents first. */
  readonly joints: readonly Joint[];
  readonly ends: readonly Place[];
  readonly links: readonly Place[];
  readonly postures: readonly Posture[];
  readonly clips: readonly Clip[];
  /** What the reader kept as data only or passed over, in words. */
  readonly warnings: readonly string[];
  /** All zero, or the nearest to it that the limits allow. */
  readonly neutral: readonly number[];
  readonly qSize: number;

  jointIndex(name: string): number;
  /** A posture by name, or neutral for null. */
  posture(name: string | null): Float64Array;

  solve(question: Question): Solved;
  /** What a pose of yours makes of a wish. */
  explain(wish: Wish, q: ArrayLike<number>): Explanation;
  /** World poses of the joints at q, seven numbers each: w, x, y, z, then x, y, z of the place. */
  forward(q: ArrayLike<number>): Float64Array;
  /** q with every joint brought inside its limits. */
  clamp(q: ArrayLike<number>): Float64Array;
  /** From one pose to another: radians of a hinge, metres of a slider, a rotation vector (three numbers) of a ball. */
  difference(from: ArrayLike<number>, to: ArrayLike<number>): Float64Array;
  /** What a pose of yours makes of a wish, in numbers; cheap. */
  measure(wish: Wish, q: ArrayLike<number>): Measured;
  /** A ball's quaternion in the coordinates its limits are written in, and back. */
  ballAngles(joint: number, turn: ArrayLike<number>): BallAngles;
  ballFromAngles(joint: number, angles: BallAngles): Quat;
  /** The bound each joint sits on, in joint order. */
  atLimits(q: ArrayLike<number>): ("none" | "lo" | "hi" | "swing")[];

  tracker(q?: ArrayLike<number>, settings?: Settings): Tracker;
  filter(q?: ArrayLike<number>, how?: string | Settings): Filter;

  /** Takes these in place of its postures. */
  setPostures(postures: readonly Posture[]): void;
  /** The character as gestik JSON, with its postures as they are now. */
  save(): string;
  /** Gives its memory back; it, its trackers and its filters are of no use afterwards. */
  free(): void;
}

export interface LoadOptions {
  /** For messages, and to tell the format by its ending: .json, .bvh, .glb or .gltf. Without one its contents tell. */
  readonly file?: string;
  /** BVH: metres per unit of the file's lengths (1 when left out). */
  readonly unit?: number;
}

export interface Gestik {
  readonly version: string;
  solvers(): readonly SolverInfo[];
  solver(name: string): SolverInfo;
  /** The tracker's own settings. */
  trackerFields(): readonly Field[];
  filterFields(): readonly Field[];
  filterPresets(): readonly FilterPreset[];
  /** The characters that come with the module, by name. */
  bundledNames(): readonly string[];
  bundled(name: string): Character;
  /** A character from a file: gestik JSON, BVH or glTF. (A URDF needs `gestik studio` or `gestik convert`.) */
  load(contents: string | Uint8Array, options?: LoadOptions): Character;
}
