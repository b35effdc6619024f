/** Limits where the joints are: a sector for a hinge, a cone and a twist arc for a ball, a rail for a slider. */
import {
  BufferGeometry, Color, DoubleSide, Float32BufferAttribute, Group, Line, LineBasicMaterial, LineLoop, LineSegments, Material,
  Mesh, MeshBasicMaterial, Object3D, Quaternion, Vector3,
} from "three";

import type { Character, Joint } from "../../../bindings/wasm/types.ts";
import { arc, drawnRange, pointer, swingRim } from "../body/limits.ts";
import type { Shape } from "../body/shape.ts";
import type { Quat, Vec3 } from "../math.ts";
import { anyAcross, exp, length, multiply, orientationAt, placeAt, rotate, scale } from "../math.ts";
import type { Palette } from "./palette.ts";

interface Drawing {
  /** In the joint's rest frame, which moves with its parent. */
  readonly group: Group;
  /** Turns or slides to the joint's value. */
  readonly needle: Object3D | null;
  readonly fill: MeshBasicMaterial;
  readonly edge: LineBasicMaterial;
}

export class LimitsView {
  readonly root = new Group();
  private readonly drawings: (Drawing | null)[];
  private readonly limbs: Vec3[];

  constructor(private readonly character: Character, shape: Shape, private readonly palette: Palette) {
    this.limbs = character.joints.map((joint, j) => limbOf(character, j, joint));
    this.drawings = character.joints.map((joint, j) => this.draw(joint, j, shape.size));
    for (const drawing of this.drawings) if (drawing) this.root.add(drawing.group);
  }

  /** Which joints' limits show, and which of them are reached. */
  update(q: ArrayLike<number>, world: ArrayLike<number>, shown: (joint: number) => boolean, atLimit: ReadonlySet<number>): void {
    this.drawings.forEach((drawing, j) => {
      if (!drawing) return;
      drawing.group.visible = shown(j);
      if (!drawing.group.visible) return;
      const joint = this.character.joints[j];
      place(drawing.group, joint, world);
      if (drawing.needle) this.turn(drawing.needle, joint, j, q);
      const colour = atLimit.has(j) ? this.palette.warn : this.palette.limit;
      drawing.fill.color = drawing.edge.color = new Color(colour);
    });
  }

  dispose(): void {
    this.root.removeFromParent();
    this.root.traverse((thing) => {
      if (thing instanceof Mesh || thing instanceof Line) {
        (thing.geometry as BufferGeometry).dispose();
        (thing.material as Material).dispose();
      }
    });
  }

  private turn(needle: Object3D, joint: Joint, j: number, q: ArrayLike<number>): void {
    switch (joint.type) {
      case "hinge":
        return set(needle.quaternion, exp(scale(joint.axis, q[joint.q])));
      case "slider":
        needle.position.set(...scale(joint.axis, q[joint.q]));
        return;
      case "ball": {
        const [x, y, twist] = this.character.ballAngles(j, Array.from(q).slice(joint.q, joint.q + 4));
        set(needle.quaternion, exp(rotate(joint.limitFrame, [x, y, 0])));
        const mark = needle.getObjectByName("twist");
        if (mark) set(mark.quaternion, exp(scale(joint.axis, twist)));
        return;
      }
      case "fixed":
        return;
    }
  }

  private draw(joint: Joint, j: number, size: number): Drawing | null {
    const fill = new MeshBasicMaterial({ transparent: true, opacity: 0.16, side: DoubleSide, depthWrite: false });
    const edge = new LineBasicMaterial({ transparent: true, opacity: 0.9 });
    const group = new Group();
    group.renderOrder = 1;
    const radius = Math.min(Math.max(0.62 * length(this.limbs[j]), 0.07 * size), 0.16 * size);
    switch (joint.type) {
      case "fixed":
        return null;
      case "hinge":
        return { group, fill, edge, needle: drawHinge(group, joint, this.limbs[j], radius, fill, edge) };
      case "slider":
        return { group, fill, edge, needle: drawSlider(group, joint, size, edge) };
      case "ball":
        return { group, fill, edge, needle: drawBall(group, joint, radius, fill, edge) };
    }
  }
}

/** The way to the first child or end-point: what one sees turn. */
function limbOf(character: Character, j: number, joint: Joint): Vec3 {
  const ways = [...character.joints.filter(({ parent }) => parent === j).map(({ rest }) => rest.position),
    ...character.ends.filter((end) => end.joint === j).map(({ pose }) => pose.position)];
  return ways.find((way) => length(way) > 1e-6) ?? joint.axis;
}

function drawHinge(group: Group, joint: Joint, limb: Vec3, radius: number, fill: Material, edge: LineBasicMaterial): Object3D {
  const { lo, hi, whole } = drawnRange(joint);
  const zero = pointer(joint.axis, limb);
  const rim = arc(joint.axis, zero, lo, hi).map((p) => scale(p, radius));
  group.add(fan(rim, fill), whole ? new Line(points(rim), edge) : new Line(points([[0, 0, 0], ...rim, [0, 0, 0]]), edge));
  const needle = new Line(points([scale(zero, 0.15 * radius), scale(zero, 1.12 * radius)]), edge);
  group.add(needle);
  return needle;
}

function drawSlider(group: Group, joint: Joint, size: number, edge: LineBasicMaterial): Object3D {
  const lo = Math.max(joint.limits.lo ?? -size, -size);
  const hi = Math.min(joint.limits.hi ?? size, size);
  const side = scale(anyAcross(joint.axis), 0.04 * size);
  const at = (t: number, s: number): Vec3 => [0, 1, 2].map((i) => t * joint.axis[i] + s * side[i]) as unknown as Vec3;
  group.add(new LineSegments(points([at(lo, 0), at(hi, 0), at(lo, -1), at(lo, 1), at(hi, -1), at(hi, 1)]), edge));
  const needle = new LineSegments(points([scale(side, -0.7), scale(side, 0.7)]), edge);
  group.add(needle);
  return needle;
}

function drawBall(group: Group, joint: Joint, radius: number, fill: Material, edge: LineBasicMaterial): Object3D {
  const rim = swingRim(joint)?.map((p) => scale(p, radius));
  if (rim) {
    group.add(fan([...rim, rim[0]], fill), new LineLoop(points(rim), edge));
    const ribs = [0, 16, 32, 48].flatMap((i) => [[0, 0, 0] as Vec3, rim[i]]);
    group.add(new LineSegments(points(ribs), edge));
  }
  // The needle is the axis as it is, with the twist's range about its tip and a mark for the twist.
  const needle = new Group();
  const tip = scale(joint.axis, radius);
  const { lo, hi } = drawnRange(joint);
  const zero = rotate(joint.limitFrame, [1, 0, 0]);
  const about = arc(joint.axis, zero, lo, hi).map((p) => [0, 1, 2].map((i) => tip[i] + 0.3 * radius * p[i]) as unknown as Vec3);
  needle.add(new Line(points([[0, 0, 0], tip]), edge), new Line(points(about), edge));
  const mark = new Line(points([tip, [0, 1, 2].map((i) => tip[i] + 0.36 * radius * zero[i]) as unknown as Vec3]), edge);
  mark.name = "twist";
  needle.add(mark);
  group.add(needle);
  return needle;
}

const points = (list: readonly Vec3[]): BufferGeometry =>
  new BufferGeometry().setFromPoints(list.map((p) => new Vector3(...p)));

/** Triangles from the origin to the rim. */
function fan(rim: readonly Vec3[], material: Material): Mesh {
  const geometry = new BufferGeometry();
  const corners = rim.slice(1).flatMap((p, i) => [0, 0, 0, ...rim[i], ...p]);
  geometry.setAttribute("position", new Float32BufferAttribute(corners, 3));
  return new Mesh(geometry, material);
}

function place(group: Group, joint: Joint, world: ArrayLike<number>): void {
  const parent: Quat = joint.parent < 0 ? [1, 0, 0, 0] : orientationAt(world, joint.parent);
  const origin: Vec3 = joint.parent < 0 ? [0, 0, 0] : placeAt(world, joint.parent);
  const [w, x, y, z] = multiply(parent, joint.rest.orientation);
  group.quaternion.set(x, y, z, w);
  group.position.set(...rotate(parent, joint.rest.position)).add(new Vector3(...origin));
}

function set(quaternion: Quaternion, [w, x, y, z]: Quat): void {
  quaternion.set(x, y, z, w);
}
