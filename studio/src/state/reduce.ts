/** What can happen, and what becomes of the state then. Pure: the same state and action give the same state. */
import type { Quat, Vec3 } from "../math.ts";
import { clamp } from "../math.ts";
import type {
  Camera, GoalKind, Mover, NamedPose, Panel, Sample, ShownLimits, State, Theme,
} from "./state.ts";
import { initial } from "./state.ts";

export type Action =
  | { readonly do: "take character"; readonly name: string; readonly file: string | null }
  | { readonly do: "choose end"; readonly end: string }
  | { readonly do: "choose goal"; readonly goal: GoalKind; readonly turn?: Quat }
  | { readonly do: "choose mover"; readonly mover: Mover; readonly target?: Vec3; readonly turn?: Quat }
  | { readonly do: "play"; readonly playing: boolean }
  | { readonly do: "put target"; readonly target: Vec3 }
  | { readonly do: "turn target"; readonly turn: Quat }
  | { readonly do: "set pace"; readonly pace: number }
  | { readonly do: "keep recording"; readonly samples: readonly Sample[] }
  | { readonly do: "choose posture"; readonly posture: string | null }
  | { readonly do: "set style"; readonly style: number }
  | { readonly do: "weigh joint"; readonly joint: string; readonly weight: number }
  | { readonly do: "reset weights" }
  | { readonly do: "choose solver"; readonly solver: string }
  | { readonly do: "choose ghost"; readonly solver: string | null }
  | { readonly do: "set"; readonly solver: string; readonly field: string; readonly value: number }
  | { readonly do: "reset settings"; readonly solver: string }
  | { readonly do: "choose motion"; readonly motion: string; readonly responsiveness: number; readonly smoothness: number }
  | { readonly do: "begin edit"; readonly posture: NamedPose }
  | { readonly do: "pose"; readonly q: readonly number[] }
  | { readonly do: "name edit"; readonly name: string }
  | { readonly do: "end edit"; readonly keep: boolean }
  | { readonly do: "forget posture"; readonly name: string }
  | { readonly do: "select"; readonly joint: string | null }
  | { readonly do: "show limits"; readonly limits: ShownLimits }
  | { readonly do: "show panel"; readonly panel: Panel }
  | { readonly do: "show plot"; readonly plot: boolean }
  | { readonly do: "look from"; readonly camera: Camera }
  | { readonly do: "choose theme"; readonly theme: Theme };

export function reduce(state: State, action: Action): State {
  switch (action.do) {
    case "take character":
      return takeCharacter(state, action.name, action.file);
    case "choose end":
      return { ...state, end: action.end };
    case "choose goal":
      return { ...state, goal: action.goal, turn: action.turn ?? state.turn };
    case "choose mover":
      return {
        ...state, mover: action.mover, playing: true, target: action.target ? placed(action.target) : state.target, turn: action.turn ?? state.turn,
      };
    case "play":
      return { ...state, playing: action.playing };
    case "put target":
      return { ...state, target: placed(action.target), mover: state.mover === "pointer" ? "hand" : state.mover };
    case "turn target":
      return { ...state, turn: action.turn };
    case "set pace":
      return { ...state, pace: clamp(action.pace, 0.1, 5) };
    case "keep recording":
      return action.samples.length > 1
        ? { ...state, recorded: action.samples, mover: "recorded", playing: true }
        : state;
    case "choose posture":
      return { ...state, posture: action.posture };
    case "set style":
      return { ...state, style: clamp(action.style, 0, 1) };
    case "weigh joint":
      return { ...state, weights: withValue(state.weights, action.joint, clamp(action.weight, 0, 10), 1) };
    case "reset weights":
      return { ...state, weights: {} };
    case "choose solver":
      return { ...state, solver: action.solver };
    case "choose ghost":
      return { ...state, ghost: action.solver };
    case "set":
      return {
        ...state,
        settings: { ...state.settings, [action.solver]: { ...state.settings[action.solver], [action.field]: action.value } },
      };
    case "reset settings":
      return { ...state, settings: without(state.settings, action.solver) };
    case "choose motion":
      return { ...state, motion: action.motion, responsiveness: action.responsiveness, smoothness: action.smoothness };
    case "begin edit":
      return { ...state, edit: action.posture, panel: "joints" };
    case "pose":
      return state.edit ? { ...state, edit: { ...state.edit, q: action.q } } : state;
    case "name edit":
      return state.edit ? { ...state, edit: { ...state.edit, name: action.name } } : state;
    case "end edit":
      return endEdit(state, action.keep);
    case "forget posture":
      return {
        ...state,
        drawn: state.drawn.filter((posture) => posture.name !== action.name),
        posture: state.posture === action.name ? null : state.posture,
      };
    case "select":
      return { ...state, selected: action.joint };
    case "show limits":
      return { ...state, limits: action.limits };
    case "show panel":
      return { ...state, panel: action.panel };
    case "show plot":
      return { ...state, plot: action.plot };
    case "look from":
      return { ...state, camera: stood(action.camera) };
    case "choose theme":
      return { ...state, theme: action.theme };
  }
}

/** Actions that change how one looks, not what is there: no step of undo. */
export function isGlance(action: Action): boolean {
  switch (action.do) {
    case "select":
    case "show limits":
    case "show panel":
    case "show plot":
    case "look from":
    case "choose theme":
      return true;
    default:
      return false;
  }
}

/** Another body: what was said about the old one's joints, ends and places means nothing to it. */
function takeCharacter(state: State, character: string, file: string | null): State {
  const { mover, solver, ghost, settings, style, motion, responsiveness, smoothness, limits, panel, plot, theme } = state;
  return {
    ...initial,
    character,
    file,
    posture: null,
    mover: mover === "recorded" ? "pointer" : mover,
    solver, ghost, settings, style, motion, responsiveness, smoothness, limits, panel, plot, theme,
  };
}

/** To a hand's precision: links stay short. */
const placed = (p: Vec3): Vec3 => p.map((x) => Number(x.toPrecision(6))) as unknown as Vec3;

const stood = ({ turn, rise, distance }: Camera): Camera => {
  const short = (x: number): number => Number(x.toFixed(3));
  return { turn: short(turn), rise: short(rise), distance: short(distance) };
};

function endEdit(state: State, keep: boolean): State {
  const { edit } = state;
  if (!edit) return state;
  const rested: State = { ...state, edit: null, panel: "postures" };
  const name = edit.name.trim();
  if (!keep || name === "") return rested;
  const others = state.drawn.filter((posture) => posture.name !== name);
  return { ...rested, drawn: [...others, { name, q: edit.q }], posture: name };
}

function without<T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}

/** A value that is as it comes is left out, so that equal states look equal. */
function withValue<T>(record: Readonly<Record<string, T>>, key: string, value: T, normal: T): Record<string, T> {
  return value === normal ? without(record, key) : { ...record, [key]: value };
}
