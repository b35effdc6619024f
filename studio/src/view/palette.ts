/** Colours of the scene, by day and by night. The page's own are in studio.css. */
export interface Palette {
  readonly air: number;
  readonly floor: string;
  readonly rings: string;
  readonly body: number;
  readonly knuckle: number;
  readonly shade: number;
  readonly ghost: number;
  readonly target: number;
  readonly limit: number;
  readonly warn: number;
  readonly chosen: number;
  readonly sky: number;
  readonly ground: number;
  readonly skyLight: number;
  readonly keyLight: number;
  readonly beam: number;
}

export const day: Palette = {
  air: 0xf3f0ea,
  floor: "255, 253, 249",
  rings: "96, 84, 66",
  body: 0xfbf9f5,
  knuckle: 0x39414f,
  shade: 0xe4713f,
  ghost: 0x3d7fd9,
  target: 0xe8553a,
  limit: 0x1f9d8f,
  warn: 0xd9342b,
  chosen: 0xf0a020,
  sky: 0xffffff,
  ground: 0xcbbfa9,
  skyLight: 1.55,
  keyLight: 2.1,
  beam: 0.2,
};

export const night: Palette = {
  air: 0x14161b,
  floor: "46, 51, 62",
  rings: "190, 205, 230",
  body: 0xd9dde6,
  knuckle: 0x2b313d,
  shade: 0xe4713f,
  ghost: 0x5aa2ff,
  target: 0xff6d4d,
  limit: 0x35c7b5,
  warn: 0xff5148,
  chosen: 0xffb938,
  sky: 0xa9bddd,
  ground: 0x2a2622,
  skyLight: 0.75,
  keyLight: 1.25,
  beam: 0.26,
};
