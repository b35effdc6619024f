/** The body: a limb from joint to joint, a knuckle at each that shows how it moves, and a face where it looks. */
import {
  BoxGeometry, BufferGeometry, CylinderGeometry, DoubleSide, Group, LatheGeometry, Material, Mesh, MeshBasicMaterial,
  MeshStandardMaterial, Object3D, Quaternion, SphereGeometry, Vector2, Vector3,
} from "three";

import type { Character, Joint, Place } from "../../../bindings/wasm/types.ts";
import type { Shape } from "../body/shape.ts";
import type { Vec3 } from "../math.ts";
import { length } from "../math.ts";
import type { Costume } from "./costume.ts";
import { costumeOf } from "./costume.ts";
import type { Palette } from "./palette.ts";

const yUp = new Vector3(0, 1, 0);

/** How a joint is marked. */
export interface Marks {
  readonly atLimit: ReadonlySet<number>;
  readonly chosen: number;
  readonly hovered: number;
}

export const noMarks: Marks = { atLimit: new Set(), chosen: -1, hovered: -1 };

interface Materials {
  readonly limb: Material;
  readonly knuckle: Material;
  readonly warn: Material;
  readonly chosen: Material;
  readonly hovered: Material;
}

export class BodyView {
  /** Put it on the stage. */
  readonly root = new Group();
  /** What can be grasped; `jointOf` says which joint it turns. */
  readonly handles: Object3D[] = [];
  private readonly moved: Group[];
  private readonly knuckles: Mesh[] = [];
  /** Limbs that lead to a slider grow with it. */
  private readonly growing: { limb: Mesh; joint: number; child: number }[] = [];
  private readonly materials: Materials;
  private readonly costume: Costume | null;
  private readonly thickness: number;

  constructor(private readonly character: Character, private readonly shape: Shape, palette: Palette, private readonly ghost: boolean) {
    this.materials = ghost ? ghostMaterials(palette) : bodyMaterials(palette);
    this.costume = ghost ? null : costumeOf(character, palette);
    this.thickness = thicknessOf(character, shape);
    this.moved = character.joints.map(() => new Group());
    this.root.add(...this.moved);
    character.joints.forEach((joint, j) => this.addJoint(joint, j));
    for (const end of character.ends) this.addEnd(end);
    if (this.costume) this.wear(this.costume);
    this.root.traverse((thing) => {
      thing.castShadow = thing.receiveShadow = !ghost && !(thing instanceof Mesh && thing.material instanceof MeshBasicMaterial);
      if (ghost) thing.renderOrder = 2;
    });
  }

  /** Seven numbers a joint: w, x, y, z, then the place. */
  pose(world: ArrayLike<number>): void {
    this.moved.forEach((group, j) => {
      const i = 7 * j;
      group.quaternion.set(world[i + 1], world[i + 2], world[i + 3], world[i]);
      group.position.set(world[i + 4], world[i + 5], world[i + 6]);
    });
    for (const { limb, joint, child } of this.growing) {
      const to = this.moved[child].position.clone().sub(this.moved[joint].position)
        .applyQuaternion(this.moved[joint].quaternion.clone().invert());
      limb.quaternion.setFromUnitVectors(yUp, to.clone().normalize());
      limb.scale.y = Math.max(to.length(), 1e-9);
    }
  }

  mark({ atLimit, chosen, hovered }: Marks): void {
    const { knuckle, warn, chosen: pick, hovered: over } = this.materials;
    this.knuckles.forEach((mesh, j) => {
      mesh.material = j === chosen ? pick : j === hovered ? over : atLimit.has(j) ? warn : knuckle;
    });
  }

  jointOf(handle: Object3D): number {
    return (handle.userData.joint as number | undefined) ?? -1;
  }

  dispose(): void {
    this.root.removeFromParent();
    this.root.traverse((thing) => {
      if (thing instanceof Mesh) {
        (thing.geometry as BufferGeometry).dispose();
        for (const material of [thing.material].flat()) material.dispose();
      }
    });
  }

  private addJoint(joint: Joint, j: number): void {
    const knuckle = new Mesh(knuckleGeometry(joint, this.thickness), this.materials.knuckle);
    const axis = joint.type === "ball" ? yUp : new Vector3(...joint.axis);
    knuckle.quaternion.setFromUnitVectors(yUp, axis);
    this.grasp(knuckle, j);
    this.moved[j].add(knuckle);
    this.knuckles.push(knuckle);
    this.character.joints.forEach((child, c) => {
      if (child.parent === j) this.addLimb(j, c, child);
    });
  }

  private addLimb(j: number, c: number, child: Joint): void {
    if (child.type === "slider") {
      const limb = new Mesh(new CylinderGeometry(0.5 * this.thickness, 0.5 * this.thickness, 1, 16).translate(0, 0.5, 0), this.materials.limb);
      this.moved[j].add(limb);
      this.growing.push({ limb, joint: j, child: c });
      return;
    }
    const limb = this.limbTo(child.rest.position, j, c);
    if (limb) this.moved[j].add(limb);
  }

  private addEnd(end: Place): void {
    const limb = this.limbTo(end.pose.position, end.joint, -1);
    if (limb && !this.costume) this.moved[end.joint].add(limb);
    if (this.costume) return;
    const looks = new Vector3(...end.aim).applyQuaternion(quaternion(end.pose.orientation));
    const face = new Mesh(faceGeometry(this.thickness), this.materials.limb);
    const pupil = new Mesh(new CylinderGeometry(0.55 * this.thickness, 0.55 * this.thickness, 0.12 * this.thickness, 32).translate(0, 0.62 * this.thickness, 0), this.materials.knuckle);
    face.add(pupil);
    face.position.set(...end.pose.position);
    face.quaternion.setFromUnitVectors(yUp, looks);
    this.grasp(face, end.joint);
    this.moved[end.joint].add(face);
  }

  /** A limb turns the joint it begins at; null where it would be too short to see. */
  private limbTo(to: Vec3, j: number, child: number): Mesh | null {
    const long = length(to);
    if (long < 0.004 * this.shape.size) return null;
    const slim = Math.min(this.thickness, 0.3 * long);
    const depth = (k: number): number => (k < 0 ? 0 : 1 + depth(this.character.joints[k].parent));
    const taper = 1 - 0.25 * Math.min(1, depth(child < 0 ? j : child) / 8);
    const limb = new Mesh(limbGeometry(long, 0.82 * slim * taper, 0.62 * slim * taper), this.materials.limb);
    limb.quaternion.setFromUnitVectors(yUp, new Vector3(...to).normalize());
    this.grasp(limb, j);
    return limb;
  }

  private grasp(thing: Object3D, joint: number): void {
    thing.userData.joint = joint;
    if (!this.ghost) this.handles.push(thing);
  }

  private wear(costume: Costume): void {
    this.root.add(...costume.standing);
    for (const { joint, thing } of costume.worn) {
      this.grasp(thing, joint);
      this.moved[joint].add(thing);
    }
  }
}

const quaternion = ([w, x, y, z]: readonly number[]): Quaternion => new Quaternion(x, y, z, w);

/** Slim enough for the shorter limbs, and never a stick. */
function thicknessOf(character: Character, shape: Shape): number {
  const lengths = [...character.joints.filter(({ parent }) => parent >= 0).map(({ rest }) => length(rest.position)),
    ...character.ends.map(({ pose }) => length(pose.position))].filter((l) => l > 0.02 * shape.size).sort((a, b) => a - b);
  const middle = lengths[Math.floor(lengths.length / 2)] ?? shape.size;
  return Math.min(Math.max(0.2 * middle, 0.009 * shape.size), 0.036 * shape.size);
}

function knuckleGeometry(joint: Joint, r: number): BufferGeometry {
  switch (joint.type) {
    case "hinge":
      return roundedCylinder(1.02 * r, 2.3 * r);
    case "slider":
      return new BoxGeometry(1.7 * r, 2.2 * r, 1.7 * r);
    case "ball":
      return new SphereGeometry(1.12 * r, 32, 20);
    case "fixed":
      return new SphereGeometry(0.7 * r, 20, 12);
  }
}

function roundedCylinder(r: number, height: number): BufferGeometry {
  const bevel = 0.22 * r;
  const h = height / 2;
  const corner = (from: number, y: number): Vector2[] => [0, 1, 2, 3, 4].map((i) => {
    const a = from + (i * Math.PI) / 8;
    return new Vector2(r - bevel + bevel * Math.cos(a), y + bevel * Math.sin(a));
  });
  return new LatheGeometry([new Vector2(0, -h), ...corner(-Math.PI / 2, bevel - h), ...corner(0, h - bevel), new Vector2(0, h)], 36);
}

/** Along y from 0, with round ends and a soft taper. */
function limbGeometry(long: number, r0: number, r1: number): BufferGeometry {
  const points: Vector2[] = [];
  for (let i = 0; i <= 8; ++i) points.push(new Vector2(r0 * Math.sin((i * Math.PI) / 16), -r0 * Math.cos((i * Math.PI) / 16)));
  for (let i = 0; i <= 8; ++i) points.push(new Vector2(r1 * Math.cos((i * Math.PI) / 16), long + r1 * Math.sin((i * Math.PI) / 16)));
  return new LatheGeometry(points, 28);
}

/** A lens that opens along y. */
function faceGeometry(r: number): BufferGeometry {
  return new LatheGeometry([[0, -0.9], [0.55, -0.75], [0.9, -0.1], [1.1, 0.55], [1, 0.62], [0, 0.62]].map(([x, y]) => new Vector2(x * r, y * r)), 36);
}

function bodyMaterials(p: Palette): Materials {
  const solid = (color: number, roughness: number, glow = 0) =>
    new MeshStandardMaterial({ color, roughness, metalness: 0, emissive: color, emissiveIntensity: glow, side: DoubleSide });
  return { limb: solid(p.body, 0.55), knuckle: solid(p.knuckle, 0.5), warn: solid(p.warn, 0.5, 0.35), chosen: solid(p.chosen, 0.5, 0.3), hovered: solid(p.limit, 0.5, 0.2) };
}

function ghostMaterials(p: Palette): Materials {
  const glass = new MeshStandardMaterial({ color: p.ghost, roughness: 0.7, transparent: true, opacity: 0.26, depthWrite: false });
  return { limb: glass, knuckle: glass, warn: glass, chosen: glass, hovered: glass };
}
