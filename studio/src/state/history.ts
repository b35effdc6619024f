/** Undo and redo over whole states. */
import type { Action } from "./reduce.ts";
import { isGlance, reduce } from "./reduce.ts";
import type { State } from "./state.ts";

export interface History {
  readonly past: readonly State[];
  readonly present: State;
  readonly future: readonly State[];
  /** The gesture that the last step belongs to: a slider that is dragged is one step, however far. */
  readonly gesture: string | null;
}

const longest = 200;

export const begin = (present: State): History => ({ past: [], present, future: [], gesture: null });

/** `gesture`: steps of one name that follow each other are one. */
export function act(history: History, action: Action, gesture: string | null = null): History {
  const present = reduce(history.present, action);
  if (present === history.present) return history;
  if (isGlance(action)) return { ...history, present };
  const goesOn = gesture !== null && gesture === history.gesture;
  const past = goesOn ? history.past : [...history.past, history.present].slice(-longest);
  return { past, present, future: [], gesture };
}

/** The next step is one of its own, whatever its gesture. */
export const endGesture = (history: History): History =>
  history.gesture === null ? history : { ...history, gesture: null };

export function undo(history: History): History {
  const { past, present, future } = history;
  const before = past.at(-1);
  if (!before) return history;
  return { past: past.slice(0, -1), present: seenAs(present, before), future: [present, ...future], gesture: null };
}

export function redo(history: History): History {
  const { past, present, future } = history;
  const [after, ...rest] = future;
  if (!after) return history;
  return { past: [...past, present], present: seenAs(present, after), future: rest, gesture: null };
}

/** What was there then, looked at as now. */
function seenAs(now: State, then: State): State {
  const { limits, plot, camera, theme } = now;
  return { ...then, limits, plot, camera, theme, panel: then.edit ? "joints" : then.panel };
}
