/**
 * All that the studio is about, as one plain object. Undo, links and tests come from it: what is not in here (where the
 * joints are just now, where the pointer is) is made anew from it sixty times a second.
 */
import type { Quat, Vec3 } from "../math.ts";
import { identity } from "../math.ts";

export type GoalKind = "aim" | "reach" | "orient";
/** What moves the target. */
export type Mover = "pointer" | "hand" | "circle" | "eight" | "recorded";
export type ShownLimits = "none" | "touched" | "all";
export type Theme = "auto" | "light" | "dark";
export type Panel = "postures" | "joints";

export interface NamedPose {
  readonly name: string;
  readonly q: readonly number[];
}

/** The target at a time, in seconds since the recording began. */
export interface Sample {
  readonly t: number;
  readonly p: Vec3;
}

/** Where the camera stands: angles about the character's middle, and how many of its sizes away. */
export interface Camera {
  readonly turn: number;
  readonly rise: number;
  readonly distance: number;
}

export interface State {
  /** A bundled character by name, or, with a file, what the file is called. */
  readonly character: string;
  /** The text of a file (gestik JSON or BVH) in place of a bundled character. */
  readonly file: string | null;
  /** Postures that were drawn here; one with the name of the character's own takes its place. */
  readonly drawn: readonly NamedPose[];

  readonly goal: GoalKind;
  /** The end-point by name; null: the head, or the first. */
  readonly end: string | null;
  readonly mover: Mover;
  readonly playing: boolean;
  /** Where the target is put by hand, and the middle of its paths; null: in front of the character. */
  readonly target: Vec3 | null;
  /** The orientation to take, for the goal "orient". */
  readonly turn: Quat;
  /** Rounds per ten seconds, beside 1. */
  readonly pace: number;
  readonly recorded: readonly Sample[];

  /** The posture to keep, by name; "": none; null: the character's first. */
  readonly posture: string | null;
  readonly style: number;
  /** How strongly joints hold on, by name; 1 is left out. */
  readonly weights: Readonly<Record<string, number>>;

  /** A solver by name, or "tracker". */
  readonly solver: string;
  /** The one that moves the ghost; null: no ghost. */
  readonly ghost: string | null;
  /** Settings that are not as they come, by solver and name. */
  readonly settings: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** A preset of the motion filter by name, "none" for no filter, or "own". */
  readonly motion: string;
  readonly responsiveness: number;
  readonly smoothness: number;

  /** The posture that is being drawn; the solver rests meanwhile. */
  readonly edit: NamedPose | null;
  readonly selected: string | null;

  // How it is looked at: undo leaves these alone.
  readonly limits: ShownLimits;
  readonly panel: Panel;
  readonly plot: boolean;
  readonly camera: Camera;
  readonly theme: Theme;
}

export const initialCamera: Camera = { turn: 0.5, rise: 0.2, distance: 2.65 };

export const initial: State = {
  character: "lamp",
  file: null,
  drawn: [],
  goal: "aim",
  end: null,
  mover: "pointer",
  playing: true,
  target: null,
  turn: identity,
  pace: 1,
  recorded: [],
  posture: "curious",
  style: 1,
  weights: {},
  solver: "tracker",
  ghost: null,
  settings: {},
  motion: "light",
  responsiveness: 1,
  smoothness: 0.05,
  edit: null,
  selected: null,
  limits: "touched",
  panel: "postures",
  plot: true,
  camera: initialCamera,
  theme: "auto",
};

/** A character that comes without postures has one to keep all the same: its rest. */
export function ownPostures(character: { readonly postures: readonly NamedPose[]; readonly neutral: readonly number[] }): readonly NamedPose[] {
  return character.postures.length > 0 ? character.postures : [{ name: "rest", q: character.neutral }];
}

/** Of the character's own postures and those drawn here, by order of first appearance. */
export function allPostures(own: readonly NamedPose[], drawn: readonly NamedPose[]): NamedPose[] {
  const all = new Map(own.map((posture) => [posture.name, posture]));
  for (const posture of drawn) all.set(posture.name, posture);
  return [...all.values()];
}
