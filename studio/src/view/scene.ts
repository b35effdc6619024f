/** Renderer, camera, light and floor. The character stands on a stage that turns its up to ours and its size to 1. */
import {
  CanvasTexture, CircleGeometry, Color, DirectionalLight, Group, HemisphereLight, Mesh, MeshBasicMaterial, Object3D,
  PCFSoftShadowMap, PerspectiveCamera, Quaternion, Raycaster, Scene, ShadowMaterial, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

import type { Ray } from "../body/drag.ts";
import type { Shape } from "../body/shape.ts";
import type { Vec3 } from "../math.ts";
import { dot } from "../math.ts";
import type { Camera } from "../state/state.ts";
import type { Palette } from "./palette.ts";

/** `plain`: coarse, without antialiasing and shadows, for slow machines and tests. */
export interface Looks {
  readonly plain: boolean;
}

/** How much of the canvas panels cover, in pixels. */
export interface Margins {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export class SceneView {
  /** In the character's own axes and lengths. */
  readonly stage = new Group();
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 100);
  readonly controls: OrbitControls;
  readonly canvas: HTMLCanvasElement;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly sky = new HemisphereLight();
  private readonly key = new DirectionalLight();
  private readonly floor = new Mesh(new CircleGeometry(3.2, 96), new MeshBasicMaterial({ transparent: true, depthWrite: false }));
  private readonly shadow = new Mesh(new CircleGeometry(3.2, 48), new ShadowMaterial({ opacity: 0.16, depthWrite: false }));
  private readonly caster = new Raycaster();
  private readonly plain: boolean;
  private dirty = true;

  constructor(looks: Looks) {
    this.plain = looks.plain;
    this.renderer = new WebGLRenderer({ antialias: !looks.plain, powerPreference: "high-performance" });
    // To ask whether a shader is sound is to wait for it, a tenth of the time until the first frame; tests ask.
    this.renderer.debug.checkShaderErrors = looks.plain;
    this.canvas = this.renderer.domElement;
    this.renderer.setPixelRatio(looks.plain ? 0.5 : Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = !looks.plain;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.key.castShadow = !looks.plain;
    this.key.position.set(1.6, 3.2, 1.8);
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.radius = 6;
    Object.assign(this.key.shadow.camera, { left: -1.8, right: 1.8, top: 1.8, bottom: -1.8, near: 0.5, far: 8 });
    this.key.shadow.normalBias = 0.01;
    for (const disc of [this.floor, this.shadow]) disc.rotation.x = -Math.PI / 2;
    this.floor.renderOrder = -2;
    this.shadow.renderOrder = -1;
    this.shadow.position.y = 0.001;
    this.shadow.receiveShadow = true;
    this.shadow.visible = !looks.plain;
    this.scene.add(this.stage, this.sky, this.key, this.floor, this.shadow);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.enablePan = false;
    this.controls.minDistance = 0.5;
    this.controls.maxDistance = 12;
    this.controls.maxPolarAngle = 0.62 * Math.PI;
    this.controls.addEventListener("change", () => (this.dirty = true));
  }

  paint(palette: Palette): void {
    this.scene.background = new Color(palette.air);
    this.sky.color.set(palette.sky);
    this.sky.groundColor.set(palette.ground);
    this.sky.intensity = palette.skyLight;
    this.key.intensity = palette.keyLight;
    this.floor.material.map?.dispose();
    this.floor.material.map = floorTexture(palette, this.plain ? 1 : 8);
    this.floor.material.needsUpdate = true;
    this.dirty = true;
  }

  /** Turns and scales the stage so that this body stands on the floor, one unit large. */
  fit(shape: Shape): void {
    const { up, front, size, middle, floor } = shape;
    const toward = new Quaternion().setFromUnitVectors(new Vector3(...up), new Vector3(0, 1, 0));
    const look = new Vector3(...front).applyQuaternion(toward);
    const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), -Math.atan2(look.x, look.z));
    this.stage.quaternion.copy(turn).multiply(toward);
    this.stage.scale.setScalar(1 / size);
    const offset = new Vector3(...middle).multiplyScalar(1 / size).applyQuaternion(this.stage.quaternion);
    this.stage.position.set(-offset.x, -floor / size, -offset.z);
    this.stage.updateMatrixWorld(true);
    this.controls.target.set(0, (dot(middle, up) - floor) / size, 0);
    this.dirty = true;
  }

  get lookedFrom(): Camera {
    return {
      turn: this.controls.getAzimuthalAngle(),
      rise: Math.PI / 2 - this.controls.getPolarAngle(),
      distance: this.controls.getDistance(),
    };
  }

  lookFrom({ turn, rise, distance }: Camera): void {
    const level = Math.cos(rise) * distance;
    this.camera.position.copy(this.controls.target)
      .add(new Vector3(level * Math.sin(turn), distance * Math.sin(rise), level * Math.cos(turn)));
    this.controls.update();
    this.dirty = true;
  }

  /** The character stands in the middle of what the panels leave free. */
  resize(width: number, height: number, margins: Margins): void {
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    const x = (margins.right - margins.left) / 2;
    const y = (margins.bottom - margins.top) / 2;
    this.camera.setViewOffset(width, height, x, y, width, height);
    this.dirty = true;
  }

  /** From a place on the screen into the stage, in the character's own axes and lengths. */
  ray(clientX: number, clientY: number): Ray {
    const { from, along } = this.worldRay(clientX, clientY);
    const inverse = this.stage.matrixWorld.clone().invert();
    const tip = from.clone().add(along).applyMatrix4(inverse);
    from.applyMatrix4(inverse);
    return { from: from.toArray() as unknown as Vec3, along: tip.sub(from).toArray() as unknown as Vec3 };
  }

  /** Which of these things, or of what they contain, is under the pointer: the nearest. */
  pick(clientX: number, clientY: number, things: readonly Object3D[]): Object3D | null {
    this.worldRay(clientX, clientY);
    return this.caster.intersectObjects(things as Object3D[], true)[0]?.object ?? null;
  }

  /** The way the camera looks, and where it is, in the character's axes. */
  eye(): { place: Vec3; view: Vec3 } {
    const place = this.stage.worldToLocal(this.camera.position.clone());
    const view = this.camera.getWorldDirection(new Vector3()).applyQuaternion(this.stage.quaternion.clone().invert());
    return { place: place.toArray() as unknown as Vec3, view: view.toArray() as unknown as Vec3 };
  }

  /** Where a place of the stage is on the screen, in client pixels. */
  onScreen(p: Vec3): { x: number; y: number } {
    const v = this.stage.localToWorld(new Vector3(...p)).project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return { x: box.left + ((v.x + 1) / 2) * box.width, y: box.top + ((1 - v.y) / 2) * box.height };
  }

  /** From the camera, in sizes of the character: what is scaled by it looks the same near and far. */
  distanceTo(p: Vec3): number {
    return this.stage.localToWorld(new Vector3(...p)).distanceTo(this.camera.position);
  }

  touch(): void {
    this.dirty = true;
  }

  /** Draws if anything has changed. */
  render(): void {
    if (!this.dirty) return;
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
  }

  addToWorld(...things: Object3D[]): void {
    this.scene.add(...things);
  }

  private worldRay(clientX: number, clientY: number): { from: Vector3; along: Vector3 } {
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2(((clientX - box.left) / box.width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2);
    this.camera.updateMatrixWorld();
    this.caster.setFromCamera(at, this.camera);
    return { from: this.caster.ray.origin.clone(), along: this.caster.ray.direction.clone() };
  }
}

/** A pool of light with rings that fade out. */
function floorTexture({ floor, rings }: Palette, anisotropy: number): CanvasTexture {
  const size = 1024;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const paint = canvas.getContext("2d")!;
  const pool = paint.createRadialGradient(size / 2, size / 2, 0, size / 2, size / 2, size / 2);
  for (const [at, alpha] of [[0, 1], [0.3, 0.75], [0.65, 0.25], [1, 0]]) pool.addColorStop(at, `rgba(${floor}, ${alpha})`);
  paint.fillStyle = pool;
  paint.fillRect(0, 0, size, size);
  for (let ring = 1; ring <= 10; ++ring) {
    paint.strokeStyle = `rgba(${rings}, ${0.13 * (1 - ring / 11)})`;
    paint.lineWidth = ring % 2 ? 1 : 1.6;
    paint.beginPath();
    paint.arc(size / 2, size / 2, (ring * size) / 22, 0, 2 * Math.PI);
    paint.stroke();
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = "srgb";
  texture.anisotropy = anisotropy;
  return texture;
}
