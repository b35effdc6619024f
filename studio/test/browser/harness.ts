/** A browser, a studio to look at, and what tests ask of both. */
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { chromium } from "playwright-core";

import type { Frame } from "../../src/ui/desk.ts";
import type { State } from "../../src/state/state.ts";

declare const STUDIO: string;

export const root = resolve(STUDIO, "..");
export const shots = join(root, "build/studio/screenshots");
const assets = join(root, "build/studio/page");

/** The real server where the tool is built with the page inside; else the files alone, which convert nothing. */
export interface Host {
  readonly address: string;
  readonly converts: boolean;
  stop(): Promise<void>;
}

export async function host(...more: string[]): Promise<Host> {
  const tool = process.env.GESTIK ?? join(root, "build/release/gestik");
  if (process.env.GESTIK_STATIC || !existsSync(tool)) return staticHost();
  return toolHost(tool, more);
}

async function toolHost(tool: string, more: readonly string[]): Promise<Host> {
  const server: ChildProcess = spawn(tool, ["studio", "--port", "0", "--no-open", ...more], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const address = await new Promise<string>((found, failed) => {
    const read = (chunk: Buffer): void => {
      said += chunk.toString();
      const match = /http:\/\/127\.0\.0\.1:\d+\//.exec(said);
      if (match) found(match[0]);
    };
    server.stdout?.on("data", read);
    server.stderr?.on("data", read);
    server.on("exit", () => failed(new Error(`gestik studio did not start: ${said}`)));
  });
  return {
    address,
    converts: true,
    stop: () => new Promise((stopped) => {
      server.removeAllListeners("exit");
      server.on("exit", () => stopped());
      server.kill("SIGTERM");
    }),
  };
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm",
};

async function staticHost(): Promise<Host> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://host").pathname;
    if (path === "/info") return void response.setHeader("Content-Type", "application/json").end("{}");
    const name = path === "/" ? "index.html" : path.slice(1);
    readFile(join(assets, name.replaceAll("/", ""))).then(
      (bytes) => response.setHeader("Content-Type", types[extname(name)] ?? "text/plain").end(bytes),
      () => response.writeHead(request.method === "POST" ? 405 : 404).end());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    converts: false,
    stop: () => new Promise((stopped) => {
      server.closeAllConnections();
      server.close(() => stopped());
    }),
  };
}

export function browser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--use-angle=gl-egl", "--ignore-gpu-blocklist", "--no-sandbox"],
  });
}

/** A page of the studio and all that it complained about or fetched. */
export class Visit {
  readonly complaints: string[] = [];
  readonly fetched: string[] = [];
  private constructor(readonly page: Page) {}

  static async to(browser: Browser, address: string, hash = "", options: { dark?: boolean; size?: [number, number] } = {}): Promise<Visit> {
    const [width, height] = options.size ?? [1280, 720];
    const context = await browser.newContext({
      viewport: { width, height }, colorScheme: options.dark ? "dark" : "light", acceptDownloads: true,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const visit = new Visit(await context.newPage());
    visit.page.on("console", (message) => {
      if (["error", "warning"].includes(message.type()) && !/GPU stall|GL Driver Message/.test(message.text())) visit.complaints.push(message.text());
    });
    visit.page.on("pageerror", (error) => visit.complaints.push(String(error)));
    visit.page.on("request", (request) => visit.fetched.push(request.url()));
    await visit.page.goto(`${address}?plain${hash && `#${hash}`}`);
    await visit.ready();
    return visit;
  }

  async ready(): Promise<void> {
    await this.page.waitForFunction(() => "gestikStudio" in window && gestikStudio.frame.time > 0, undefined, { timeout: 60_000 });
  }

  async state(): Promise<State> {
    return this.page.evaluate(() => gestikStudio.state);
  }

  async frame(): Promise<{ q: number[]; target: number[]; residual: number | null; status: string; time: number; ghost: number[] | null }> {
    await this.drawn();
    return this.page.evaluate(() => {
      const { body, ghost, target, time } = gestikStudio.frame;
      return { q: [...body.q], target: [...target], residual: body.residual, status: body.status, time, ghost: ghost && [...ghost.q] };
    });
  }

  /** Lets it begin, then waits until the body has come to rest on its target. */
  async settled(tolerance = 2e-3): Promise<void> {
    await this.play(0.3);
    await this.page.waitForFunction((most) => {
      const { residual, speed } = gestikStudio.frame.body;
      return residual !== null && residual < most && speed < 0.02;
    }, tolerance, { timeout: 60_000 });
  }

  /** Lets so many seconds of the studio's own time go by. */
  async play(seconds: number): Promise<void> {
    const time = await this.page.evaluate(() => gestikStudio.frame.time);
    await this.page.waitForFunction((end) => gestikStudio.frame.time > end, time + seconds, { timeout: 60_000 });
  }

  /**
   * Waits for one more frame. The state changes at once, but the body, the target and what the pointer meets are those of
   * the last frame, which a slow machine drew before what the test has just done.
   */
  async drawn(): Promise<void> {
    await this.play(0);
  }

  /** Waits until something about `gestikStudio` is so. A function, not its text: the page's policy lets nobody evaluate text. */
  async until(condition: () => boolean): Promise<void> {
    await this.page.waitForFunction(condition, undefined, { timeout: 60_000 });
  }

  /** Keeps a picture of the page, and checks that it is not blank: the scene has many colours. */
  async shoot(name: string): Promise<void> {
    mkdirSync(shots, { recursive: true });
    await this.page.screenshot({ path: join(shots, `${name}.png`) });
    const colours = await this.page.evaluate(async () => {
      gestikStudio.view.touch();
      gestikStudio.view.render();
      const source = document.querySelector<HTMLCanvasElement>("#studio > canvas")!;
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [320, 180];
      const paint = copy.getContext("2d")!;
      paint.drawImage(source, 0, 0, 320, 180);
      const { data } = paint.getImageData(0, 0, 320, 180);
      const seen = new Set<number>();
      for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      return seen.size;
    });
    assert.ok(colours > 200, `${name}: only ${colours} colours in the scene`);
  }

  /** A file that is dropped onto the page. */
  async drop(name: string, contents: Buffer | string): Promise<void> {
    const bytes = [...Buffer.from(contents)];
    await this.page.evaluate(([file, data]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(data as number[])], file as string));
      for (const type of ["dragenter", "dragover", "drop"])
        document.querySelector("#studio")!.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }, [name, bytes] as const);
  }

  message(): Promise<string> {
    return this.page.locator(".message").last().innerText({ timeout: 10_000 });
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

declare global {
  const gestikStudio: {
    readonly state: State;
    readonly frame: Frame;
    readonly character: { readonly name: string; readonly joints: readonly { readonly name: string }[] };
    readonly postures: readonly { readonly name: string; readonly q: readonly number[] }[];
    readonly hovered: number;
    readonly view: { touch(): void; render(): void; onScreen(p: readonly number[]): { x: number; y: number } };
  };
}
