/** The target: a bright bead with a plumb line to the floor, arrows to drag it by, and the path it follows. */
import {
  AxesHelper, BufferGeometry, Group, Line, LineBasicMaterial, Mesh, MeshBasicMaterial, Object3D, RingGeometry, SphereGeometry, Vector3,
} from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";

import type { Shape } from "../body/shape.ts";
import type { Quat, Vec3 } from "../math.ts";
import { dot, scale, sub } from "../math.ts";
import type { GoalKind } from "../state/state.ts";
import type { Palette } from "./palette.ts";
import type { SceneView } from "./scene.ts";

export interface TargetEvents {
  began(): void;
  moved(place: Vec3, turn: Quat): void;
  ended(): void;
}

export class TargetView {
  readonly arrows: TransformControls;
  private readonly grip = new Object3D();
  private readonly bead = new Mesh(new SphereGeometry(1, 32, 20), new MeshBasicMaterial());
  private readonly halo = new Mesh(new RingGeometry(1.55, 1.75, 48), new MeshBasicMaterial({ transparent: true, opacity: 0.55, depthWrite: false }));
  private readonly cross = new AxesHelper(1);
  private readonly plumb = new Line(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.35 }));
  private readonly foot = new Mesh(new RingGeometry(0.8, 1.1, 40), new MeshBasicMaterial({ transparent: true, opacity: 0.4, depthWrite: false }));
  private readonly path = new Line(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.45 }));
  readonly root = new Group();
  private readonly size: number;
  private pathKey = "";

  constructor(private readonly view: SceneView, private readonly shape: Shape, palette: Palette, events: TargetEvents) {
    this.size = 0.0075 * shape.size;
    this.foot.scale.setScalar(0.018 * shape.size);
    for (const thing of [this.bead, this.halo, this.foot]) thing.material.color.set(palette.target);
    this.cross.scale.setScalar(0.14 * shape.size);
    for (const line of [this.plumb, this.path]) line.material.color.set(palette.target);
    this.foot.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(...shape.up));
    this.root.add(this.grip, this.bead, this.halo, this.cross, this.plumb, this.foot, this.path);
    view.stage.add(this.root);
    this.arrows = this.makeArrows(events);
  }

  /** `afloat`: it hangs before the pointer, and a plumb line would say nothing. */
  update(place: Vec3, turn: Quat, goal: GoalKind, byHand: boolean, afloat: boolean): void {
    for (const thing of [this.bead, this.halo, this.cross]) thing.position.set(...place);
    const size = this.size * this.view.distanceTo(place);
    this.bead.scale.setScalar(afloat ? 0.6 * size : size);
    this.halo.scale.setScalar(size);
    this.plumb.visible = this.foot.visible = !afloat;
    this.halo.quaternion.copy(this.view.stage.quaternion).invert().multiply(this.view.camera.quaternion);
    this.cross.visible = goal === "orient";
    this.cross.quaternion.set(turn[1], turn[2], turn[3], turn[0]);
    const floor = sub(place, scale(this.shape.up, dot(place, this.shape.up) - this.shape.floor));
    this.foot.position.set(...floor);
    this.plumb.geometry.setFromPoints([new Vector3(...place), new Vector3(...floor)]);
    if (!this.arrows.dragging) {
      this.grip.position.set(...place);
      if (goal === "orient") this.grip.quaternion.copy(this.cross.quaternion);
      else this.grip.quaternion.identity();
    }
    this.arrows.enabled = this.arrows.getHelper().visible = byHand;
    this.arrows.setMode(goal === "orient" ? "rotate" : "translate");
  }

  /** Null: none to show. */
  showPath(points: readonly Vec3[] | null): void {
    this.path.visible = points !== null;
    const key = JSON.stringify(points?.[0] ?? null) + (points?.length ?? 0) + JSON.stringify(points?.[7] ?? null);
    if (!points || key === this.pathKey) return;
    this.pathKey = key;
    this.path.geometry.dispose();
    this.path.geometry = new BufferGeometry().setFromPoints(points.map((p) => new Vector3(...p)));
  }

  /** Whether the pointer is on an arrow or being dragged by one. */
  get grasped(): boolean {
    return this.arrows.enabled && (this.arrows.dragging || this.arrows.axis !== null);
  }

  dispose(): void {
    this.arrows.detach();
    this.arrows.getHelper().removeFromParent();
    this.arrows.dispose();
    this.root.removeFromParent();
    this.root.traverse((thing) => {
      if (thing instanceof Mesh || thing instanceof Line) {
        thing.geometry.dispose();
        thing.material.dispose();
      }
    });
  }

  private makeArrows(events: TargetEvents): TransformControls {
    const arrows = new TransformControls(this.view.camera, this.view.canvas);
    arrows.attach(this.grip);
    arrows.setSize(0.55);
    arrows.setSpace("local");
    arrows.setColors(0xd2574f, 0x5f9f55, 0x4f7fd2, 0xf0a020);
    // Arrows and the bead are enough to grasp: the little planes between them are in the way.
    const planes: Object3D[] = [];
    arrows.getHelper().traverse((thing) => void (["XY", "YZ", "XZ"].includes(thing.name) && planes.push(thing)));
    for (const plane of planes) plane.removeFromParent();
    this.view.addToWorld(arrows.getHelper());
    arrows.addEventListener("change", () => this.view.touch());
    arrows.addEventListener("dragging-changed", (event) => {
      this.view.controls.enabled = !event.value;
      if (event.value) events.began();
      else events.ended();
    });
    arrows.addEventListener("objectChange", () => {
      const { x, y, z, w } = this.grip.quaternion;
      events.moved(this.grip.position.toArray() as unknown as Vec3, [w, x, y, z]);
    });
    return arrows;
  }
}
