/** What panels see of the studio, and what they can ask of it. */
import type { Character, Field, Gestik, Place } from "../../../bindings/wasm/types.ts";
import type { Shape } from "../body/shape.ts";
import type { Vec3 } from "../math.ts";
import type { Shown } from "../run/performer.ts";
import type { Trace } from "../run/trace.ts";
import type { Action } from "../state/reduce.ts";
import type { NamedPose, State } from "../state/state.ts";

export interface Frame {
  /** Seconds since the page began. */
  readonly time: number;
  readonly target: Vec3;
  readonly body: Shown;
  readonly ghost: Shown | null;
}

export interface Desk {
  readonly gestik: Gestik;
  readonly character: Character;
  readonly shape: Shape;
  readonly state: State;
  readonly frame: Frame;
  readonly trace: Trace;
  /** The character's and those drawn here. */
  readonly postures: readonly NamedPose[];
  readonly kept: NamedPose | null;
  /** What looks or reaches. */
  readonly end: Place;
  /** Of each solver, "tracker" first. */
  readonly fields: ReadonlyMap<string, readonly Field[]>;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly recording: boolean;
  /** Whether a server is there that was told where to save. */
  readonly savesTo: string | null;

  act(action: Action, gesture?: string): void;
  endGesture(): void;
  undo(): void;
  redo(): void;
  record(on: boolean): void;
  open(files: readonly File[]): void;
  save(): void;
  share(): void;
  hover(joint: number): void;
}

/** A part of the page that follows the studio. */
export interface Part {
  readonly element: HTMLElement;
  /** Once for every frame. */
  update(desk: Desk): void;
}
