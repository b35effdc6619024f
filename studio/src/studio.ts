/** The studio: holds the state, lets the bodies play, and keeps scene, panels and address in step with it. */
import type { Character, Field, Gestik, Place, Wish } from "../../bindings/wasm/types.ts";
import type { Shape } from "./body/shape.ts";
import { firstEnd, shapeOf, stageOf } from "./body/shape.ts";
import type { ServerInfo } from "./files.ts";
import { download, readIncoming, saveOnServer } from "./files.ts";
import { Hand } from "./hand.ts";
import type { Vec3 } from "./math.ts";
import { distance } from "./math.ts";
import type { Direction, Shown } from "./run/performer.ts";
import { Performer } from "./run/performer.ts";
import type { Sample as TraceSample } from "./run/trace.ts";
import { Trace } from "./run/trace.ts";
import { fit, keptPosture } from "./state/fit.ts";
import type { History } from "./state/history.ts";
import { act, begin, endGesture, redo, undo } from "./state/history.ts";
import { fromLink, toLink } from "./state/link.ts";
import { along, thinned } from "./state/path.ts";
import type { Action } from "./state/reduce.ts";
import type { NamedPose, Sample, State } from "./state/state.ts";
import { allPostures, ownPostures } from "./state/state.ts";
import type { Aimed } from "./target.ts";
import { aimed } from "./target.ts";
import type { Desk, Frame, Part } from "./ui/desk.ts";
import type { Messages } from "./ui/messages.ts";
import { Actors } from "./view/actors.ts";
import { day, night } from "./view/palette.ts";
import type { Looks, Margins } from "./view/scene.ts";
import { SceneView } from "./view/scene.ts";

/** Longer links are more than some programs carry. */
const longestLink = 100_000;
/** After so many seconds without the pointer the target wanders by itself. */
const patience = 12;

export class Studio implements Desk {
  readonly trace = new Trace();
  readonly view: SceneView;
  readonly fields: ReadonlyMap<string, readonly Field[]>;
  character!: Character;
  shape!: Shape;
  frame!: Frame;
  recording = false;
  hovered = -1;
  private history: History;
  private loaded = { character: "", file: null as string | null };
  private actors!: Actors;
  private body!: Performer;
  private ghost: Performer | null = null;
  private readonly hand: Hand;
  private readonly parts: Part[] = [];
  private readonly still = matchMedia("(prefers-reduced-motion: reduce)");
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");
  private gone = 0;
  private time = 0;
  private samples: Sample[] = [];
  private linkTimer = 0;
  private link = "";

  constructor(readonly gestik: Gestik, first: State, looks: Looks, private readonly messages: Messages, private readonly server: ServerInfo | null) {
    this.fields = new Map([["tracker", gestik.trackerFields()] as const, ...gestik.solvers().map(({ name, fields }) => [name, fields] as const)]);
    this.view = new SceneView(looks);
    this.history = begin(first);
    this.hand = new Hand(this);
    this.enter(first);
    this.dark.addEventListener("change", () => this.repaint());
    this.view.controls.addEventListener("end", () => this.act({ do: "look from", camera: this.view.lookedFrom }));
  }

  // --- what panels see ---

  get state(): State {
    return this.history.present;
  }
  get postures(): readonly NamedPose[] {
    return allPostures(ownPostures(this.character), this.state.drawn);
  }
  get kept(): NamedPose | null {
    return keptPosture(this.state, ownPostures(this.character));
  }
  get canUndo(): boolean {
    return this.history.past.length > 0;
  }
  get canRedo(): boolean {
    return this.history.future.length > 0;
  }
  get savesTo(): string | null {
    return this.server?.save ?? null;
  }
  get targetView() {
    return this.actors.target;
  }
  get bodyView() {
    return this.actors.body;
  }

  add(...parts: Part[]): void {
    this.parts.push(...parts);
  }

  // --- what panels ask ---

  act(action: Action, gesture?: string): void {
    this.become(act(this.history, action, gesture ?? null));
  }

  endGesture(): void {
    this.history = endGesture(this.history);
  }

  undo(): void {
    this.become(undo(this.history));
  }

  redo(): void {
    this.become(redo(this.history));
  }

  hover(joint: number): void {
    this.hovered = joint;
    this.view.touch();
  }

  /** Begins to keep where the target goes, or ends and plays it. */
  record(on: boolean): void {
    this.recording = on;
    if (on) {
      this.samples = [];
      if (this.state.mover !== "pointer") this.act({ do: "choose mover", mover: "hand", target: this.frame.target });
      return;
    }
    const moved = whileMoving(this.samples, 1e-3 * this.shape.size);
    if (moved.length < 2) this.messages.say("Nothing was recorded: the target did not move.", "bad");
    this.act({ do: "keep recording", samples: thinned(moved) });
  }

  async open(files: readonly File[]): Promise<void> {
    const file = files[0];
    if (!file) return;
    try {
      const { name, contents } = await readIncoming(file);
      const loaded = this.gestik.load(contents, { file: name });
      const { name: character, warnings, joints } = loaded;
      const kept = loaded.save();
      loaded.free();
      this.act({ do: "take character", name: character || name, file: kept });
      const notes = warnings.length > 2 ? [...warnings.slice(0, 2), `and ${warnings.length - 2} more`] : warnings;
      this.messages.say(`${character || name}: ${joints.length} joints.${notes.length > 0 ? ` Note: ${notes.join("; ")}.` : ""}`);
    } catch (error) {
      this.messages.say(wordsOf(error), "bad");
    }
  }

  /** To where the server was told to save, or as a download. */
  async save(): Promise<void> {
    try {
      const copy = this.make(this.state);
      copy.setPostures(allPostures(this.character.postures, this.state.drawn));
      const text = copy.save();
      copy.free();
      if (this.savesTo) {
        await saveOnServer(text);
        this.messages.say(`Saved to ${this.savesTo}.`);
      } else {
        download(`${this.character.name || "character"}.json`, text);
      }
    } catch (error) {
      this.messages.say(wordsOf(error), "bad");
    }
  }

  async share(): Promise<void> {
    await this.keepLink();
    if (this.link.length > longestLink) {
      this.messages.say("This character is too large for a link: save its file and send that.", "bad");
      return;
    }
    try {
      await navigator.clipboard.writeText(location.href);
      this.messages.say("The link is copied: it shows just this.");
    } catch {
      this.messages.say("The link is in the address bar: it shows just this.");
    }
  }

  /** The address was changed by hand, or by going back. */
  async follow(hash: string): Promise<void> {
    if (hash.replace(/^#/, "") === this.link) return;
    try {
      const state = await fromLink(hash);
      this.history = { ...begin(state), past: [...this.history.past, this.state] };
      if (!this.needsCharacter(state)) this.fitTo(this.character);
      this.enter(this.state);
    } catch (error) {
      this.messages.say(wordsOf(error), "bad");
    }
  }

  say(text: string): void {
    this.messages.say(text, "bad");
  }

  resize(width: number, height: number, margins: Margins): void {
    this.view.resize(width, height, margins);
  }

  // --- sixty times a second ---

  step(seconds: number): void {
    this.time += seconds;
    if (this.state.playing) this.gone += seconds;
    const target = this.target();
    const wish = this.wish(target);
    const { edit } = this.state;
    const body = edit ? this.body.hold(edit.q) : this.body.step(wish, this.direction(this.state.solver), seconds);
    const ghost = this.ghost && this.state.ghost !== null && !edit
      ? this.ghost.step(wish, this.direction(this.state.ghost), seconds) : null;
    this.frame = { time: this.time, target: target.place, body, ghost };
    if (this.recording) this.samples.push({ t: this.time, p: target.place });
    if (!edit) this.trace.add(this.time, traced(body), ghost && traced(ghost));
    this.draw(target);
    for (const part of this.parts) part.update(this);
  }

  private target(): Aimed {
    const end = this.end;
    const kept = this.kept;
    return aimed(this.state, {
      shape: this.shape,
      end,
      atHome: this.character.forward(kept?.q ?? this.character.neutral),
      world: this.frame.body.world,
      pointer: this.hand.pointed(patience),
      gone: this.gone,
      time: this.still.matches ? 0 : this.time,
    });
  }

  get end(): Place {
    const { ends } = this.character;
    return ends.find(({ name }) => name === this.state.end) ?? firstEnd(this.character);
  }

  private wish(target: Aimed): Wish {
    const { goal, style, weights } = this.state;
    const end = this.end.name;
    return {
      goals: [goal === "orient" ? { kind: goal, end, target: target.turn } : { kind: goal, end, target: target.place }],
      posture: this.kept?.q ?? null,
      style,
      weights: this.character.joints.map(({ name }) => weights[name] ?? 1),
    };
  }

  private direction(solver: string): Direction {
    const { settings, motion, responsiveness, smoothness } = this.state;
    return {
      solver,
      keepsPosture: solver !== "tracker" && this.gestik.solver(solver).keepsPosture,
      settings: settings[solver] ?? {},
      motion: motion === "none" ? null : { responsiveness, smoothness },
    };
  }

  private draw(target: Aimed): void {
    const { state, frame, shape } = this;
    this.actors.update({
      body: frame.body, ghost: frame.ghost, target, state, hovered: this.hovered,
      atLimits: this.character.atLimits(frame.body.q),
      path: pathOf(state, shape),
    });
    this.view.canvas.classList.toggle("grasp", this.hovered >= 0 && state.edit !== null);
    this.view.render();
  }

  // --- from state to state ---

  private become(history: History): void {
    const before = this.state;
    this.history = history;
    if (this.state === before) return;
    this.enter(this.state);
  }

  /** Brings all that is made from the state in step with it. */
  private enter(state: State): void {
    if (this.needsCharacter(state)) this.takeCharacter(state);
    if (this.state.ghost !== null && !this.ghost) this.ghost = new Performer(this.character, this.body.pose);
    if (this.state.ghost === null) this.letGhostGo();
    this.repaint();
    this.view.touch();
    clearTimeout(this.linkTimer);
    this.linkTimer = window.setTimeout(() => void this.keepLink(), 250);
  }

  private needsCharacter({ character, file }: State): boolean {
    return !this.character || this.loaded.character !== character || this.loaded.file !== file;
  }

  /** What the state says about things that this character does not have is put right, and said. */
  private fitTo(character: Character): void {
    const { state, remarks } = fit(this.state, { character, fields: this.fields, presets: this.gestik.filterPresets() });
    for (const remark of remarks) this.say(remark);
    this.history = { ...this.history, present: state };
  }

  /** Null where it can't be made: then what was there stays, and without anything there is always the lamp. */
  private made(state: State): Character | null {
    try {
      return this.make(state);
    } catch (error) {
      this.say(wordsOf(error));
      this.history = { ...this.history, present: { ...state, ...(this.character ? this.loaded : { character: "lamp", file: null }) } };
      return this.character ? null : this.make(this.state);
    }
  }

  private takeCharacter(state: State): void {
    const character = this.made(state);
    this.fitTo(character ?? this.character);
    if (!character) return;
    this.letGo();
    this.loaded = { character: this.state.character, file: this.state.file };
    this.character = character;
    this.shape = shapeOf(character);
    const first = this.postures.find(({ name }) => name === "sleepy")?.q ?? this.kept?.q ?? character.neutral;
    this.body = new Performer(character, first);
    const body = this.body.hold(first);
    this.frame = { time: this.time, target: stageOf(this.shape, this.state.target).middle, body, ghost: null };
    this.trace.clear();
    this.hovered = -1;
    this.view.fit(this.shape);
    this.view.lookFrom(this.state.camera);
    this.repaint(true);
  }

  private make({ character, file }: State): Character {
    return file === null ? this.gestik.bundled(character) : this.gestik.load(file, { file: character });
  }

  private letGo(): void {
    if (!this.character) return;
    this.letGhostGo();
    this.actors.dispose();
    this.body.free();
    this.character.free();
  }

  private letGhostGo(): void {
    this.ghost?.free();
    this.ghost = null;
  }

  private painted = "";

  private repaint(anew = false): void {
    const { theme } = this.state;
    const shown = theme === "auto" ? (this.dark.matches ? "dark" : "light") : theme;
    if (!anew && shown === this.painted) return;
    this.painted = shown;
    document.documentElement.dataset.theme = shown;
    const palette = shown === "dark" ? night : day;
    this.view.paint(palette);
    this.actors?.dispose();
    this.actors = new Actors(this.view, this.character, this.shape, palette, this.hand);
  }

  private async keepLink(): Promise<void> {
    clearTimeout(this.linkTimer);
    const { state } = this;
    const link = await toLink(state);
    if (state !== this.state) return; // Packing a file took its time; the state since has a link of its own.
    this.link = link;
    // Rather none than one that shows something else.
    window.history.replaceState(null, "", link.length <= longestLink ? `#${link}` : location.pathname + location.search);
  }
}

function traced({ residual, fromPosture, speed, microseconds }: Shown): TraceSample {
  return { goal: residual, posture: fromPosture, speed, time: microseconds };
}

/** What the target goes along, to be drawn. */
function pathOf(state: State, shape: Shape): Vec3[] | null {
  const { mover, recorded } = state;
  if (mover === "recorded") return recorded.map(({ p }) => p);
  if (mover !== "circle" && mover !== "eight") return null;
  const stage = stageOf(shape, state.target);
  return Array.from({ length: 97 }, (_, i) => along(mover, recorded, stage, (6 * i) / 96, 1)!);
}

/** Without the time before the first and after the last motion. */
function whileMoving(samples: readonly Sample[], least: number): Sample[] {
  const moves = samples.map(({ p }, i) => i > 0 && distance(p, samples[i - 1].p) > least);
  const [first, last] = [moves.indexOf(true), moves.lastIndexOf(true)];
  return first < 0 ? [] : samples.slice(first - 1, last + 1);
}

export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
