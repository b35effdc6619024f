/** Files that come in and go out. What the module does not read itself goes to the studio's own server, and nowhere else. */

/** Largest file that is looked at. */
const largest = 32e6;

export interface Incoming {
  /** Its ending tells the format. */
  readonly name: string;
  readonly contents: string | Uint8Array;
}

/** What the studio's server says about itself. */
export interface ServerInfo {
  /** A bundled character by name. */
  readonly character?: string;
  /** Or one from a file, as gestik JSON. */
  readonly file?: string;
  /** Where it was told to save; missing: nowhere. */
  readonly save?: string;
}

/** Null where the page is served by something else: all but conversion and saving in place works there too. */
export async function askServer(): Promise<ServerInfo | null> {
  if (!["127.0.0.1", "localhost", "[::1]"].includes(location.hostname)) return null;
  try {
    const answer = await fetch("info");
    return answer.ok ? ((await answer.json()) as ServerInfo) : null;
  } catch {
    return null;
  }
}

/** Throws an Error that says what is wrong with the file and what to do. */
export async function readIncoming(file: File): Promise<Incoming> {
  const { name } = file;
  if (file.size > largest) throw new Error(`'${name}' is larger than 32 MB: that is no character the studio can take.`);
  switch (ending(name)) {
    case "json":
    case "bvh":
      return { name, contents: await file.text() };
    case "glb":
    case "gltf":
      return { name, contents: new Uint8Array(await file.arrayBuffer()) };
    case "urdf":
      return { name: `${name}.json`, contents: await converted(file) };
    default:
      throw new Error(`'${name}' is no character: the studio takes gestik JSON (.json), BVH (.bvh), URDF (.urdf) and glTF (.glb, .gltf).`);
  }
}

export const ending = (name: string): string => (name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "");

async function converted(file: File): Promise<string> {
  const alone = `URDF is read by the studio's own server: open the page with 'gestik studio' and drop '${file.name}' again.`;
  let answer: Response;
  try {
    answer = await fetch(`convert?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
  } catch {
    throw new Error(alone);
  }
  const text = await answer.text();
  if (answer.ok) return text;
  if ([404, 405, 501].includes(answer.status)) throw new Error(alone);
  throw new Error(text.trim() || `The server could not read '${file.name}'.`);
}

/** Throws an Error that says why not. */
export async function saveOnServer(text: string): Promise<void> {
  const answer = await fetch("save", { method: "POST", body: text, headers: { "Content-Type": "application/json" } });
  if (!answer.ok) throw new Error((await answer.text()).trim() || "The server could not save the file.");
}

export function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
