/** A link, or another file under an old state, may speak of things that are not there: put them right, and say so. */
import type { Character, Field, FilterPreset } from "../../../bindings/wasm/types.ts";
import type { NamedPose, State } from "./state.ts";
import { allPostures, ownPostures } from "./state.ts";

/** What of a character and of the module a state can speak of. */
export interface Known {
  readonly character: Pick<Character, "joints" | "ends" | "postures" | "neutral" | "qSize" | "name">;
  /** Of each solver, "tracker" among them. */
  readonly fields: ReadonlyMap<string, readonly Field[]>;
  readonly presets: readonly FilterPreset[];
}

export interface Fitted {
  readonly state: State;
  readonly remarks: readonly string[];
}

export function fit(state: State, known: Known): Fitted {
  const { character, fields, presets } = known;
  const remarks: string[] = [];
  const remark = <T>(words: string, otherwise: T): T => {
    remarks.push(words);
    return otherwise;
  };
  const fits = (posture: NamedPose): boolean =>
    posture.q.length === character.qSize ||
    remark(`The posture '${posture.name}' has ${posture.q.length} numbers, ${character.name} wants ${character.qSize}: left out.`, false);
  const joints = new Set(character.joints.map((joint) => joint.name));
  const drawn = state.drawn.filter(fits);
  const postures = allPostures(ownPostures(character), drawn);
  const edit = state.edit && fits(state.edit) ? state.edit : null;
  const { end, posture, solver, ghost, motion, selected } = state;
  const fitted: State = {
    ...state,
    drawn,
    end: end === null || character.ends.some(({ name }) => name === end)
      ? end : remark(`${character.name} has no end-point '${end}': another is taken.`, null),
    posture: !posture || postures.some(({ name }) => name === posture)
      ? posture : remark(`${character.name} has no posture '${posture}': its first is taken.`, null),
    weights: Object.fromEntries(Object.entries(state.weights).filter(([name]) => joints.has(name))),
    solver: fields.has(solver) ? solver : remark(`There is no solver '${solver}': the tracker is taken.`, "tracker"),
    ghost: ghost === null || fields.has(ghost) ? ghost : remark(`There is no solver '${ghost}' for the ghost.`, null),
    settings: fittedSettings(state.settings, fields),
    motion: ["none", "own"].includes(motion) || presets.some(({ name }) => name === motion)
      ? motion : remark(`There is no way of moving called '${motion}': light is taken.`, "light"),
    edit,
    panel: edit ? "joints" : state.panel,
    selected: selected !== null && joints.has(selected) ? selected : null,
    mover: state.mover === "recorded" && state.recorded.length < 2 ? "pointer" : state.mover,
  };
  return { state: fitted, remarks };
}

/** Only what a solver has, inside its range. */
function fittedSettings(settings: State["settings"], fields: Known["fields"]): State["settings"] {
  const fitted: Record<string, Record<string, number>> = {};
  for (const [solver, values] of Object.entries(settings))
    for (const field of fields.get(solver) ?? []) {
      const value = values[field.name];
      if (value === undefined || value < (field.lo ?? -Infinity) || value > (field.hi ?? Infinity)) continue;
      if (field.kind !== "real" && !Number.isInteger(value)) continue;
      (fitted[solver] ??= {})[field.name] = value;
    }
  return fitted;
}

/** The posture that a state keeps; null: none. */
export function keptPosture(state: State, own: readonly NamedPose[]): NamedPose | null {
  const postures = allPostures(own, state.drawn);
  if (state.posture === "") return null;
  return postures.find(({ name }) => name === state.posture) ?? postures[0] ?? null;
}
