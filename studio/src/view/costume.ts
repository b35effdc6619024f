/** What a character of our own wears over its joints: the lamp has a foot, a shade and a light that shines. */
import {
  AdditiveBlending, BufferGeometry, DoubleSide, Float32BufferAttribute, Group, LatheGeometry, Mesh, MeshBasicMaterial, MeshStandardMaterial, NormalBlending,
  Object3D, Quaternion, SphereGeometry, SpotLight, Vector2, Vector3,
} from "three";

import type { Character, Place } from "../../../bindings/wasm/types.ts";
import type { Palette } from "./palette.ts";

export interface Costume {
  readonly worn: readonly { readonly joint: number; readonly thing: Object3D }[];
  /** What does not move. */
  readonly standing: readonly Object3D[];
}

/** Null for a character that we know nothing special about. */
export function costumeOf(character: Character, palette: Palette): Costume | null {
  const end = character.ends[0];
  return character.name === "lamp" && end?.name === "head" ? lampCostume(end, palette) : null;
}

function lampCostume(end: Place, palette: Palette): Costume {
  const painted = new MeshStandardMaterial({ color: palette.shade, roughness: 0.42, side: DoubleSide });
  const dark = new MeshStandardMaterial({ color: palette.knuckle, roughness: 0.5 });
  const head = new Group();
  head.quaternion.copy(toward(end));
  const shade = new Mesh(turned([
    [0.001, -0.034], [0.014, -0.033], [0.021, -0.028], [0.025, -0.018], [0.027, 0], [0.033, 0.018], [0.047, 0.042], [0.064, 0.066], [0.069, 0.071],
  ], 56), painted);
  const rim = new Mesh(turned([[0.067, 0.069], [0.0705, 0.07], [0.0705, 0.073], [0.067, 0.074], [0.066, 0.071], [0.067, 0.069]], 56), painted);
  const bulb = new Mesh(new SphereGeometry(0.024, 32, 20), new MeshBasicMaterial({ color: 0xfff1cf }));
  bulb.position.y = 0.04;
  head.add(shade, rim, bulb, light(palette), beam(palette));
  const foot = new Mesh(turned([[0, 0], [0.083, 0], [0.085, 0.003], [0.085, 0.008], [0.08, 0.013], [0.03, 0.02], [0.022, 0.03], [0.0215, 0.045], [0, 0.045]], 64), dark);
  return { worn: [{ joint: end.joint, thing: head }], standing: [foot] };
}

/** Takes y to the way the end looks. */
function toward(end: Place): Quaternion {
  const [w, x, y, z] = end.pose.orientation;
  const looks = new Vector3(...end.aim).applyQuaternion(new Quaternion(x, y, z, w));
  return new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), looks);
}

function light(palette: Palette): Object3D {
  const spot = new SpotLight(0xffe0a8, 6 * palette.beam, 0, 0.62, 0.8, 1.2);
  spot.position.y = 0.05;
  spot.target.position.y = 1;
  const holder = new Group();
  holder.add(spot, spot.target);
  return holder;
}

/** A cone of warm air that fades with the distance. */
function beam(palette: Palette): Object3D {
  const geometry = turned([[0.05, 0.06], [0.11, 0.2], [0.19, 0.4], [0.27, 0.6]], 48);
  const place = geometry.getAttribute("position");
  const colours: number[] = [];
  for (let i = 0; i < place.count; ++i) {
    const fade = Math.max(0, 1 - (place.getY(i) - 0.06) / 0.54);
    colours.push(1, 0.86, 0.58, palette.beam * fade * fade);
  }
  geometry.setAttribute("color", new Float32BufferAttribute(colours, 4));
  const air = new MeshBasicMaterial({
    vertexColors: true, transparent: true, depthWrite: false, side: DoubleSide,
    blending: palette.beam > 0.25 ? AdditiveBlending : NormalBlending,
  });
  const cone = new Mesh(geometry, air);
  cone.renderOrder = 3;
  cone.raycast = () => undefined;
  return cone;
}

const turned = (profile: readonly (readonly [number, number])[], around: number): BufferGeometry =>
  new LatheGeometry(profile.map(([x, y]) => new Vector2(x, y)), around);
