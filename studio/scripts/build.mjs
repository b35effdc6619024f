// Builds the page: node scripts/build.mjs [--wasm FILE] [--out FOLDER]
// The folder then holds all that a browser asks for, and beside each file what a server may send instead: .br and .gz.
import { build } from "esbuild";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const studio = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values } = parseArgs({
  options: {
    wasm: { type: "string", default: join(studio, "../build/wasm/gestik.wasm") },
    out: { type: "string", default: join(studio, "../build/studio/page") },
  },
});
/** A first load must not be larger, compressed, in all. */
const largestLoad = 1e6;

await rm(values.out, { recursive: true, force: true });
await mkdir(values.out, { recursive: true });
await build({
  entryPoints: [join(studio, "src/main.ts")],
  outfile: join(values.out, "studio.js"),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  banner: { js: "/* Gestik studio, MIT licence. three.js, MIT licence, copyright three.js authors. */" },
  logLevel: "warning",
});
await build({ entryPoints: [join(studio, "page/studio.css")], outfile: join(values.out, "studio.css"), minify: true, logLevel: "warning" });
for (const name of ["index.html", "icon.svg"]) await copyFile(join(studio, "page", name), join(values.out, name));
await copyFile(values.wasm, join(values.out, "gestik.wasm"));

let load = 0;
for (const name of (await readdir(values.out)).sort()) {
  const bytes = await readFile(join(values.out, name));
  const gzip = gzipSync(bytes, { level: 9 });
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
  await writeFile(join(values.out, `${name}.gz`), gzip);
  await writeFile(join(values.out, `${name}.br`), brotli);
  load += gzip.length;
  console.log(`${name.padEnd(12)} ${String(bytes.length).padStart(8)} bytes, gzip ${String(gzip.length).padStart(7)}, brotli ${String(brotli.length).padStart(7)}`);
}
console.log(`first load: ${load} bytes with gzip`);
if (load > largestLoad) throw new Error(`the first load is ${load} bytes, more than ${largestLoad}`);
