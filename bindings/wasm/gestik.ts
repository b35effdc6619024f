/**
 * Gestik in a page or in Node, without a server: types.ts says what you get, README.md shows how to use it.
 *
 *     const gestik = await loadGestik(new URL("gestik.wasm", import.meta.url));   // or bytes, or a Response
 *
 * The module sees no clock, no file and no network; of WASI it is given what libc++ wants in order to stop.
 */

import type {
  Aim, Answer, BallAngles, Character, Clip, ErikErrors, Explanation, Field, Filter, FilterPreset, Gestik, Goal, Joint,
  LoadOptions, Measured, Place, Posture, Quat, Question, Settings, Solved, SolverInfo, Status, Tracked, Tracker, Wish,
} from "./types.ts";

export type * from "./types.ts";

/** Something was refused; the message says what, where and what to do. */
export class GestikError extends Error {
  override name = "GestikError";
}

export type Source = BufferSource | URL | string | Response | PromiseLike<Response> | WebAssembly.Module;

/** The module from its bytes, an address to fetch, or what a fetch gave. */
export async function loadGestik(source: Source): Promise<Gestik> {
  const memory: { current?: WebAssembly.Memory } = {};
  const instance = await instantiate(source, { wasi_snapshot_preview1: wasi(memory) });
  const exports = instance.exports as unknown as Exports;
  memory.current = exports.memory;
  exports._initialize();
  return new Module(exports);
}

async function instantiate(source: Source, imports: WebAssembly.Imports): Promise<WebAssembly.Instance> {
  if (source instanceof WebAssembly.Module) return WebAssembly.instantiate(source, imports);
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source))
    return (await WebAssembly.instantiate(source as BufferSource, imports)).instance;
  const response = await (typeof source === "string" || source instanceof URL ? fetch(source) : source);
  if (!response.ok) throw new GestikError(`${response.url}: ${response.status} ${response.statusText}`);
  // Streaming wants the right MIME type; a server that does not know it still gives the bytes.
  if (response.headers.get("Content-Type")?.startsWith("application/wasm"))
    return (await WebAssembly.instantiateStreaming(response, imports)).instance;
  return (await WebAssembly.instantiate(await response.arrayBuffer(), imports)).instance;
}

// --- the module's side ---

type Pointer = number;

/** What gestik_wasm.h exports. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  gestik_room(bytes: number): Pointer;
  gestik_text(): Pointer;
  gestik_text_size(): number;
  gestik_about(): void;
  gestik_load(textSize: number, nameSize: number, format: number, unit: number): Pointer;
  gestik_free_character(character: Pointer): void;
  gestik_describe(character: Pointer): void;
  gestik_clip(character: Pointer, clip: number): Pointer;
  gestik_clear_postures(character: Pointer): void;
  gestik_add_posture(character: Pointer, nameSize: number): void;
  gestik_save(character: Pointer): number;
  gestik_q(character: Pointer): Pointer;
  gestik_forward(character: Pointer): Pointer;
  gestik_clamp(character: Pointer): void;
  gestik_at_limits(character: Pointer): Pointer;
  gestik_difference(character: Pointer): Pointer;
  gestik_ball_angles(character: Pointer, joint: number): void;
  gestik_ball_from_angles(character: Pointer, joint: number): void;
  gestik_wish(character: Pointer, goals: number, parts: number): Pointer;
  gestik_suitable_solver(character: Pointer): number;
  gestik_settings(solver: number): Pointer;
  gestik_prepare(character: Pointer, solver: number, style: number, iterations: number): number;
  gestik_solve(character: Pointer, repeats: number): void;
  gestik_judge(character: Pointer): void;
  gestik_answer(character: Pointer): Pointer;
  gestik_explain(character: Pointer, style: number): number;
  gestik_measure(character: Pointer): Pointer;
  gestik_make_tracker(character: Pointer): Pointer;
  gestik_free_tracker(tracker: Pointer): void;
  gestik_reset_tracker(tracker: Pointer): void;
  gestik_set_tracker(tracker: Pointer, nameSize: number, value: number): number;
  gestik_track(tracker: Pointer, style: number, seconds: number): void;
  gestik_make_filter(character: Pointer): Pointer;
  gestik_free_filter(filter: Pointer): void;
  gestik_reset_filter(filter: Pointer): void;
  gestik_set_filter(filter: Pointer, nameSize: number, value: number): number;
  gestik_filter(filter: Pointer, seconds: number): void;
}

const formats = { json: 0, bvh: 1, gltf: 2, bundled: 3 } as const;
const statuses: readonly Status[] = ["reached", "stalled", "out_of_budget", "unsupported", "bad_problem"];
const bounds = ["none", "lo", "hi", "swing"] as const;
const parts = { posture: 1, weights: 2, held: 4, seed: 8 } as const;
const goalKinds = { reach: 0, orient: 1, aim: 2 } as const;
/** Numbers in a GestikReport and in a pose. */
const reportSize = 8, poseSize = 7;

/** WASI as far as the module can ask: it may say a last word before it stops. Files and clocks are not there. */
function wasi(memory: { current?: WebAssembly.Memory }): WebAssembly.ModuleImports {
  const badFile = 8, done = 0;
  const decoder = new TextDecoder();
  return {
    fd_close: () => badFile,
    fd_seek: () => badFile,
    fd_fdstat_get: () => badFile,
    fd_read: () => badFile,
    fd_write(_file: number, list: Pointer, count: number, written: Pointer) {
      const view = new DataView(memory.current!.buffer);
      let said = "", size = 0;
      for (let i = 0; i < count; ++i) {
        const start = view.getUint32(list + 8 * i, true), bytes = view.getUint32(list + 8 * i + 4, true);
        said += decoder.decode(new Uint8Array(memory.current!.buffer, start, bytes));
        size += bytes;
      }
      view.setUint32(written, size, true);
      if (said.trim()) console.error(said.trimEnd());
      return done;
    },
    environ_sizes_get(count: Pointer, size: Pointer) {
      const view = new DataView(memory.current!.buffer);
      view.setUint32(count, 0, true);
      view.setUint32(size, 0, true);
      return done;
    },
    environ_get: () => done,
    proc_exit(code: number): never {
      throw new GestikError(`the module ended with code ${code}`);
    },
  };
}

interface About {
  readonly version: string;
  readonly solvers: readonly SolverInfo[];
  readonly tracker: readonly Field[];
  readonly filter: readonly Field[];
  readonly presets: readonly FilterPreset[];
  readonly bundled: readonly string[];
}

class Module implements Gestik {
  readonly #about: About;
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();

  constructor(readonly exports: Exports) {
    exports.gestik_about();
    this.#about = JSON.parse(this.text());
  }

  get version() { return this.#about.version; }
  solvers() { return this.#about.solvers; }
  solver(name: string) { return this.#about.solvers[this.solverIndex(name)]!; }
  trackerFields() { return this.#about.tracker; }
  filterFields() { return this.#about.filter; }
  filterPresets() { return this.#about.presets; }
  bundledNames() { return this.#about.bundled; }

  bundled(name: string): Character {
    known("bundled character", name, this.#about.bundled);
    return this.#load(name, formats.bundled, name, 1);
  }

  load(contents: string | Uint8Array, options: LoadOptions = {}): Character {
    const file = options.file ?? "character";
    return this.#load(contents, formatOf(contents, file), file, options.unit ?? 1);
  }

  #load(contents: string | Uint8Array, format: number, file: string, unit: number): Character {
    const { sizes } = this.handIn(contents, file);
    const pointer = stopped(() => this.exports.gestik_load(sizes[0]!, sizes[1]!, format, unit));
    if (!pointer) this.refuse();
    return new Body(this, pointer);
  }

  solverIndex(name: string): number {
    return known("solver", name, this.#about.solvers.map((solver) => solver.name));
  }

  /** Settings by name, or those of a preset, to be set one by one. */
  filterSettings(how: string | Settings): Settings {
    if (typeof how !== "string") return how;
    const presets = this.#about.presets;
    return presets[known("preset", how, presets.map((preset) => preset.name))]!.settings;
  }

  /** Texts into the room, one after the other. */
  handIn(...texts: (string | Uint8Array)[]): { sizes: number[] } {
    const bytes = texts.map((text) => (typeof text === "string" ? this.#encoder.encode(text) : text));
    const room = this.exports.gestik_room(bytes.reduce((sum, one) => sum + one.length, 0));
    let at = room;
    for (const one of bytes) {
      new Uint8Array(this.exports.memory.buffer).set(one, at);
      at += one.length;
    }
    return { sizes: bytes.map((one) => one.length) };
  }

  text(): string {
    const { memory, gestik_text, gestik_text_size } = this.exports;
    return this.#decoder.decode(new Uint8Array(memory.buffer, gestik_text(), gestik_text_size()));
  }

  refuse(): never {
    throw new GestikError(this.text());
  }

  /** The module's own memory, until its next call. */
  numbers(pointer: Pointer, count: number): Float64Array {
    return new Float64Array(this.exports.memory.buffer, pointer, count);
  }
}

/** What can ask for any amount of memory. A module that got none has stopped in the middle of something. */
function stopped<T>(call: () => T): T {
  try {
    return call();
  } catch (fault) {
    if (!(fault instanceof WebAssembly.RuntimeError)) throw fault;
    throw new GestikError(`the module stopped (${fault.message}), most likely for want of memory; load it anew`);
  }
}

/** By the file's ending, else by how its contents begin. */
function formatOf(contents: string | Uint8Array, file: string): number {
  if (/\.json$/i.test(file)) return formats.json;
  if (/\.bvh$/i.test(file)) return formats.bvh;
  if (/\.(glb|gltf)$/i.test(file)) return formats.gltf;
  const start = typeof contents === "string" ? contents.slice(0, 64) : new TextDecoder().decode(contents.slice(0, 64));
  return start.startsWith("glTF") ? formats.gltf : /^\s*HIERARCHY\b/i.test(start) ? formats.bvh : formats.json;
}

// --- characters ---

interface Description {
  readonly name: string;
  readonly up: Character["up"];
  readonly joints: readonly Joint[];
  readonly ends: readonly Place[];
  readonly links: readonly Place[];
  readonly postures: readonly Posture[];
  readonly clips: readonly Pick<Clip, "name" | "rate" | "frames">[];
  readonly warnings: readonly string[];
  readonly neutral: readonly number[];
}

class Body implements Character {
  readonly #module: Module;
  readonly #calls: Exports;
  #pointer: Pointer;
  readonly #places = new Map<string, number>();
  readonly #jointIndices = new Map<string, number>();
  readonly #vSize: number;

  readonly name: string;
  readonly up: Character["up"];
  readonly joints: readonly Joint[];
  readonly ends: readonly Place[];
  readonly links: readonly Place[];
  readonly clips: readonly Clip[];
  readonly warnings: readonly string[];
  readonly neutral: readonly number[];
  readonly qSize: number;
  postures: readonly Posture[];

  constructor(module: Module, pointer: Pointer) {
    this.#module = module;
    this.#calls = module.exports;
    this.#pointer = pointer;
    this.#calls.gestik_describe(pointer);
    const described: Description = JSON.parse(module.text());
    this.name = described.name;
    this.up = described.up;
    this.joints = described.joints;
    this.ends = described.ends;
    this.links = described.links;
    this.postures = described.postures;
    this.warnings = described.warnings;
    this.neutral = described.neutral;
    this.qSize = described.neutral.length;
    this.#vSize = described.joints.reduce((sum, joint) => sum + (joint.type === "ball" ? 3 : joint.qSize), 0);
    this.clips = described.clips.map((clip, i) => ({
      ...clip,
      values: module.numbers(this.#calls.gestik_clip(pointer, i), clip.frames * this.qSize).slice(),
    }));
    this.joints.forEach((joint, j) => this.#jointIndices.set(joint.name, j));
    // The first of a name counts: an end-point, then a link, then a joint.
    [...this.ends, ...this.links, ...this.joints].forEach(({ name }, i) => {
      if (!this.#places.has(name)) this.#places.set(name, i);
    });
  }

  jointIndex(name: string): number {
    return this.#jointIndices.get(name) ?? known("joint", name, [...this.#jointIndices.keys()]);
  }

  posture(name: string | null): Float64Array {
    if (name === null) return Float64Array.from(this.neutral);
    const names = this.postures.map((posture) => posture.name);
    return Float64Array.from(this.postures[known("posture", name, names)]!.q);
  }

  // --- poses ---

  forward(q: ArrayLike<number>): Float64Array {
    this.#putQ(q);
    return this.#module.numbers(this.#calls.gestik_forward(this.#alive()), poseSize * this.joints.length).slice();
  }

  clamp(q: ArrayLike<number>): Float64Array {
    this.#putQ(q);
    this.#calls.gestik_clamp(this.#alive());
    return this.#takeQ(this.qSize);
  }

  atLimits(q: ArrayLike<number>) {
    this.#putQ(q);
    const found = this.#module.numbers(this.#calls.gestik_at_limits(this.#alive()), this.joints.length);
    return Array.from(found, (bound) => bounds[bound]!);
  }

  difference(from: ArrayLike<number>, to: ArrayLike<number>): Float64Array {
    this.#putWish({ goals: [] }, from);
    this.#putQ(to);
    return this.#module.numbers(this.#calls.gestik_difference(this.#alive()), this.#vSize).slice();
  }

  ballAngles(joint: number, turn: ArrayLike<number>): BallAngles {
    this.#putBall(joint, turn);
    this.#calls.gestik_ball_angles(this.#pointer, joint);
    const [x, y, twist] = this.#takeQ(3);
    return [x!, y!, twist!];
  }

  ballFromAngles(joint: number, angles: BallAngles): Quat {
    this.#putBall(joint, angles);
    this.#calls.gestik_ball_from_angles(this.#pointer, joint);
    const [w, x, y, z] = this.#takeQ(4);
    return [w!, x!, y!, z!];
  }

  // --- solving ---

  solve(question: Question): Solved {
    this.#putWish(question, question.seed);
    const calls = this.#calls, repeats = question.repeats ?? 1;
    const solver = question.solver === undefined ? calls.gestik_suitable_solver(this.#pointer)
                                                 : this.#module.solverIndex(question.solver);
    this.#putSettings(solver, question.settings ?? {});
    if (!calls.gestik_prepare(this.#pointer, solver, question.style ?? 1, question.iterations ?? -1))
      this.#module.refuse();
    const start = performance.now();
    calls.gestik_solve(this.#pointer, repeats);
    const milliseconds = performance.now() - start;
    calls.gestik_judge(this.#pointer);

    const { answer } = this.#takeAnswer();
    const wanted = question.explain !== false && !answer.fault;
    return {
      ...answer,
      solver: this.#module.solvers()[solver]!.name,
      microseconds: (1000 * milliseconds) / Math.max(repeats, 1),
      ...(wanted ? { explanation: this.explain(question, answer.q) } : {}),
    };
  }

  explain(wish: Wish, q: ArrayLike<number>): Explanation {
    this.#putWish(wish);
    this.#putQ(q);
    if (!this.#calls.gestik_explain(this.#pointer, wish.style ?? 1)) this.#module.refuse();
    const found: Omit<Explanation, "words"> = JSON.parse(this.#module.text());
    const goals = found.goals.map((goal, i) => ({ ...goal, end: wish.goals[i]!.end ?? this.#defaultEnd() }));
    const explained = { ...found, goals };
    return { ...explained, words: inWords(explained, this.joints) };
  }

  measure(wish: Wish, q: ArrayLike<number>): Measured {
    this.#putWish(wish);
    this.#putQ(q);
    const found = this.#module.numbers(this.#calls.gestik_measure(this.#pointer), 3 + wish.goals.length);
    return { erik: erikErrors(found), residuals: Array.from(found.subarray(3)) };
  }

  tracker(q: ArrayLike<number> = this.neutral, settings: Settings = {}): Tracker {
    const calls = this.#calls;
    this.#putQ(q);
    const pointer = calls.gestik_make_tracker(this.#alive());
    const tracker: Tracker = {
      step: (wish, seconds): Tracked => {
        this.#putWish(wish);
        const start = performance.now();
        calls.gestik_track(pointer, wish.style ?? 1, seconds);
        const microseconds = 1000 * (performance.now() - start);
        const { answer, reposing, reposes } = this.#takeAnswer();
        return { ...answer, reposing, reposes, microseconds };
      },
      set: (values) => this.#putEach(values, (size, value) => calls.gestik_set_tracker(pointer, size, value)),
      reset: (place) => {
        this.#putQ(place);
        calls.gestik_reset_tracker(pointer);
      },
      free: () => calls.gestik_free_tracker(pointer),
    };
    tracker.set(settings);
    return tracker;
  }

  filter(q: ArrayLike<number> = this.neutral, how: string | Settings = {}): Filter {
    const calls = this.#calls;
    this.#putQ(q);
    const pointer = calls.gestik_make_filter(this.#alive());
    const filter: Filter = {
      step: (target, seconds) => {
        this.#putQ(target);
        calls.gestik_filter(pointer, seconds);
        return this.#takeQ(this.qSize);
      },
      set: (wanted) => this.#putEach(this.#module.filterSettings(wanted),
                                     (size, value) => calls.gestik_set_filter(pointer, size, value)),
      reset: (place) => {
        this.#putQ(place);
        calls.gestik_reset_filter(pointer);
      },
      free: () => calls.gestik_free_filter(pointer),
    };
    filter.set(how);
    return filter;
  }

  // --- the file ---

  setPostures(postures: readonly Posture[]): void {
    for (const { name, q } of postures) this.#checkSize(q, this.qSize, `the posture '${name}'`);
    this.#calls.gestik_clear_postures(this.#alive());
    for (const { name, q } of postures) {
      this.#putQ(q);
      this.#calls.gestik_add_posture(this.#pointer, this.#module.handIn(name).sizes[0]!);
    }
    this.postures = postures.map(({ name, q }) => ({ name, q: Array.from(q) }));
  }

  save(): string {
    if (!this.#calls.gestik_save(this.#alive())) this.#module.refuse();
    return this.#module.text();
  }

  free(): void {
    this.#calls.gestik_free_character(this.#alive());
    this.#pointer = 0;
  }

  // --- what goes over the border ---

  #alive(): Pointer {
    if (!this.#pointer) throw new GestikError(`the character '${this.name}' was freed`);
    return this.#pointer;
  }

  #checkSize(values: ArrayLike<number>, size: number, what: string): void {
    if (values.length !== size) throw new GestikError(`${what} has ${values.length} numbers, not ${size}`);
  }

  #putQ(q: ArrayLike<number>): void {
    this.#checkSize(q, this.qSize, "q");
    this.#module.numbers(this.#calls.gestik_q(this.#alive()), this.qSize).set(q);
  }

  #takeQ(size: number): Float64Array {
    return this.#module.numbers(this.#calls.gestik_q(this.#pointer), size).slice();
  }

  /** A ball's own numbers; a character that has a ball has room for four. */
  #putBall(joint: number, values: ArrayLike<number>): void {
    if (this.joints[joint]?.type !== "ball") throw new GestikError(`joint ${joint} is no ball`);
    this.#module.numbers(this.#calls.gestik_q(this.#alive()), values.length).set(values);
  }

  #putEach(settings: Settings, set: (nameSize: number, value: number) => number): void {
    for (const [name, value] of Object.entries(settings))
      if (!set(this.#module.handIn(name).sizes[0]!, value)) this.#module.refuse();
  }

  #putSettings(solver: number, settings: Settings): void {
    const { name: owner, fields } = this.#module.solvers()[solver]!;
    const pointer = this.#calls.gestik_settings(solver);
    const names = fields.map((field) => field.name);
    const values = this.#module.numbers(pointer, fields.length);
    for (const [name, value] of Object.entries(settings)) values[known(`setting of ${owner}`, name, names)] = value;
  }

  #putWish(wish: Wish, seed?: ArrayLike<number>): void {
    const { goals, weights, held } = wish;
    const posture = typeof wish.posture === "string" ? this.posture(wish.posture) : wish.posture;
    const tail: number[] = [];
    let present = 0;
    const add = (part: keyof typeof parts, values: ArrayLike<number> | null | undefined, size: number) => {
      if (values === null || values === undefined) return;
      this.#checkSize(values, size, part);
      present |= parts[part];
      for (let i = 0; i < size; ++i) tail.push(values[i]!);
    };
    add("posture", posture, this.qSize);
    add("weights", weights, this.joints.length);
    if (held?.length) {
      const marks = new Array<number>(this.joints.length).fill(0);
      for (const name of held) marks[this.jointIndex(name)] = 1;
      add("held", marks, this.joints.length);
    }
    add("seed", seed, this.qSize);

    const rows = goals.flatMap((goal) => this.#goalNumbers(goal));
    const pointer = this.#calls.gestik_wish(this.#alive(), goals.length, present);
    this.#module.numbers(pointer, rows.length + tail.length).set([...rows, ...tail]);
  }

  #goalNumbers(goal: Goal): number[] {
    const kind = goalKinds[goal.kind];
    if (kind === undefined) known("kind of goal", goal.kind, Object.keys(goalKinds));
    const end = goal.end ?? this.#defaultEnd();
    const place = this.#places.get(end) ?? known("end-point, link or joint", end, [...this.#places.keys()]);
    const [a, b, c, d = 0] = goal.target as readonly number[];
    this.#checkSize(goal.target, goal.kind === "orient" ? 4 : 3, `the target of ${goal.kind} '${end}'`);
    const flag = goal.kind === "orient" ? goal.symmetric : (goal as Aim).direction;
    return [kind, place, a!, b!, c!, d, flag ? 1 : 0, goal.weight ?? 1, goal.tolerance ?? NaN, goal.priority ?? 0];
  }

  #defaultEnd(): string {
    const first = this.ends[0] ?? this.joints[this.joints.length - 1]!;
    return first.name;
  }

  #takeAnswer(): { answer: Answer; reposing: boolean; reposes: number } {
    const size = reportSize + this.qSize + poseSize * this.joints.length;
    const numbers = this.#module.numbers(this.#calls.gestik_answer(this.#pointer), size).slice();
    const answer = {
      q: numbers.slice(reportSize, reportSize + this.qSize),
      status: statuses[numbers[0]!]!,
      fault: this.#module.text(),
      iterations: numbers[1]!,
      error: numbers[2]!,
      erik: erikErrors(numbers.subarray(3)),
      world: numbers.slice(reportSize + this.qSize),
    };
    return { answer, reposing: numbers[6] === 1, reposes: numbers[7]! };
  }
}

function erikErrors(numbers: Float64Array): ErikErrors {
  const orNull = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value);
  return { orientation: orNull(numbers[0]), posture: orNull(numbers[1]), combined: orNull(numbers[2]) };
}

/** The index of a name, or a refusal that lists what there is. */
function known(what: string, name: string, names: readonly string[]): number {
  const index = names.indexOf(name);
  if (index >= 0) return index;
  const some = names.slice(0, 12).join(", ") + (names.length > 12 ? ", ..." : "");
  throw new GestikError(`there is no ${what} '${name}'; there are: ${some || "none"}`);
}

// --- in words ---

const degrees = (radians: number) => `${((radians * 180) / Math.PI).toFixed(1)}°`;

function signed(text: string): string {
  return text.startsWith("-") ? text : `+${text}`;
}

function changeText(joint: Joint, change: number): string {
  if (joint.type === "slider") return signed(`${(1000 * change).toFixed(1)} mm`);
  return joint.type === "ball" ? degrees(change) : signed(degrees(change));
}

function inWords(explained: Omit<Explanation, "words">, joints: readonly Joint[]): string[] {
  const verbs = { reach: "reaches its place", orient: "is turned as wished", aim: "looks at its target" } as const;
  const words = explained.goals.map((goal) => {
    if (goal.met) return `${goal.end} ${verbs[goal.kind]}.`;
    const off = goal.kind === "reach" ? `${(1000 * goal.residual).toFixed(1)} mm` : degrees(goal.residual);
    return `${goal.end} is off by ${off}: ${goal.why}.`;
  });
  const kept = explained.changes.filter((one) => one.loss !== "clear");
  const lost = explained.changes.filter((one) => one.loss === "clear");
  lost.sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  if (explained.changes.length) {
    words.push(`Kept: ${kept.map((one) => joints[one.joint]!.name).join(", ") || "nothing"}.`);
    const givenUp = lost.map((one) => `${joints[one.joint]!.name} (${changeText(joints[one.joint]!, one.change)})`);
    words.push(`Given up: ${givenUp.join(", ") || "nothing"}.`);
  }
  const allMet = explained.goals.every((goal) => goal.met);
  const sides = { lo: "lower", hi: "upper", swing: "swing" } as const;
  for (const one of explained.atLimit) {
    const holds = one.blocking && !allMet ? ", which holds it back" : "";
    words.push(`${joints[one.joint]!.name} is at its ${sides[one.which]} limit${holds}.`);
  }
  return words;
}
