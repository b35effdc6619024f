/** Pointer and keys over the scene: pointing, dragging the target, turning joints, choosing them. */
import type { TargetEvents } from "./view/target_view.ts";
import type { Ray } from "./body/drag.ts";
import { pulled, rolled, turned } from "./body/drag.ts";
import type { Quat, Vec3 } from "./math.ts";
import { add, cross, distance, length, orientationAt, placeAt, rotate, scale, sub, unit } from "./math.ts";
import type { Studio } from "./studio.ts";
import { anchorOf } from "./target.ts";

/** Less than this many pixels between down and up is a click. */
const clickPixels = 5;

interface Grasp {
  readonly joint: number;
  readonly radius: number;
  ray: Ray;
}

export class Hand implements TargetEvents {
  private pointer: { x: number; y: number; since: number } | null = null;
  private down: { x: number; y: number; joint: number } | null = null;
  private grasp: Grasp | null = null;

  constructor(private readonly studio: Studio) {
    const { canvas } = studio.view;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", "The character. Arrow keys, Page Up and Page Down move its target.");
    addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointermove", (event) => this.over(event));
    canvas.addEventListener("pointerleave", () => studio.hover(-1));
    // Before the camera's own listeners: a joint that is grasped must not turn the camera.
    canvas.addEventListener("pointerdown", (event) => this.press(event), { capture: true });
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  /** Where the pointer points, unless it has been still for longer than that. */
  pointed(patience: number): { ray: Ray; view: Vec3 } | null {
    const { pointer, studio } = this;
    if (!pointer || performance.now() / 1000 - pointer.since > patience) return null;
    return { ray: studio.view.ray(pointer.x, pointer.y), view: studio.view.eye().view };
  }

  // --- the target's arrows ---

  began(): void {
    this.studio.endGesture();
  }

  moved(place: Vec3, turn: Quat): void {
    if (this.studio.state.goal === "orient") this.studio.act({ do: "turn target", turn }, "drag");
    else this.studio.act({ do: "put target", target: place }, "drag");
  }

  ended(): void {
    this.studio.endGesture();
  }

  // --- the pointer ---

  private point(event: PointerEvent): void {
    const onScene = event.target === this.studio.view.canvas;
    if (this.studio.recording && !onScene) return;
    this.pointer = { x: event.clientX, y: event.clientY, since: performance.now() / 1000 };
  }

  private over(event: PointerEvent): void {
    const { studio } = this;
    if (this.grasp) return this.turn(event);
    if (event.buttons !== 0) return;
    studio.hover(studio.targetView.grasped ? -1 : this.jointAt(event));
  }

  private press(event: PointerEvent): void {
    const { studio } = this;
    if (event.button !== 0 || studio.targetView.grasped) return;
    const joint = this.jointAt(event);
    this.down = { x: event.clientX, y: event.clientY, joint };
    if (!studio.state.edit || joint < 0) return;
    const { world } = studio.frame.body;
    const ray = studio.view.ray(event.clientX, event.clientY);
    const place = placeAt(world, joint);
    const reach = length(sub(add(ray.from, scale(unit(ray.along), distance(ray.from, place))), place));
    this.grasp = { joint, ray, radius: Math.max(reach, 0.12 * studio.shape.size) };
    studio.view.controls.enabled = false;
    studio.view.canvas.setPointerCapture(event.pointerId);
    studio.act({ do: "select", joint: studio.character.joints[joint].name });
  }

  private release(event: PointerEvent): void {
    const { studio, down, grasp } = this;
    this.down = this.grasp = null;
    if (grasp) {
      studio.view.controls.enabled = true;
      studio.endGesture();
      return;
    }
    if (!down || Math.hypot(event.clientX - down.x, event.clientY - down.y) > clickPixels) return;
    const { state, frame, character } = studio;
    if (down.joint >= 0) {
      const { name } = character.joints[down.joint];
      studio.act({ do: "select", joint: state.selected === name ? null : name });
    } else if (state.selected !== null) {
      studio.act({ do: "select", joint: null });
    } else if (state.mover === "pointer" && !state.edit) {
      studio.act({ do: "put target", target: frame.target });
    }
  }

  /** The grasped joint follows the pointer, inside its limits. */
  private turn(event: PointerEvent): void {
    const { studio, grasp } = this;
    const { edit } = studio.state;
    if (!grasp || !edit) return;
    const joint = studio.character.joints[grasp.joint];
    const { world } = studio.frame.body;
    const ray = studio.view.ray(event.clientX, event.clientY);
    const place = placeAt(world, grasp.joint);
    const worldFromJoint = orientationAt(world, grasp.joint);
    const q = [...edit.q];
    if (joint.type === "ball") {
      const value = q.slice(joint.q, joint.q + 4) as unknown as Quat;
      q.splice(joint.q, 4, ...turned(value, worldFromJoint, rolled(place, grasp.ray, ray, grasp.radius)));
    } else if (joint.type !== "fixed") {
      q[joint.q] += pulled(joint, place, rotate(worldFromJoint, joint.axis), grasp.ray, ray);
    }
    grasp.ray = ray;
    studio.act({ do: "pose", q: [...studio.character.clamp(q)] }, `drag ${joint.name}`);
  }

  private jointAt(event: PointerEvent): number {
    const { view, bodyView } = this.studio;
    for (let thing = view.pick(event.clientX, event.clientY, bodyView.handles); thing; thing = thing.parent)
      if (bodyView.jointOf(thing) >= 0) return bodyView.jointOf(thing);
    return -1;
  }

  // --- keys ---

  private key(event: KeyboardEvent): void {
    const { studio } = this;
    const { view } = studio.view.eye();
    const up = studio.shape.up;
    const right = unit(cross(view, up));
    const step = (event.shiftKey ? 0.1 : 0.03) * studio.shape.size;
    const ways: Readonly<Record<string, Vec3>> = {
      ArrowLeft: scale(right, -step), ArrowRight: scale(right, step), ArrowUp: scale(up, step), ArrowDown: scale(up, -step),
      PageUp: scale(unit(sub(view, scale(up, view[0] * up[0] + view[1] * up[1] + view[2] * up[2]))), step),
      PageDown: scale(unit(sub(view, scale(up, view[0] * up[0] + view[1] * up[1] + view[2] * up[2]))), -step),
    };
    const way = ways[event.key];
    if (!way || event.ctrlKey || event.metaKey || studio.state.edit) return;
    event.preventDefault();
    studio.act({ do: "put target", target: add(anchorOf(studio.state, studio.shape, studio.frame.target), way) }, "keys");
  }
}
