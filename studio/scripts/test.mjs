// Bundles the tests of one kind and runs them: node scripts/test.mjs unit|browser [--only WORDS] [file ...]
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const studio = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: "string" } } });
const [kind, ...names] = positionals;
const only = values.only ? [`--test-name-pattern=${values.only}`] : [];
const folder = join(studio, "test", kind);
// Beside the packages, where Node looks for them.
const out = join(studio, "node_modules/.tests", kind);
const tests = readdirSync(folder).filter((name) => name.endsWith("_test.ts") && (names.length === 0 || names.some((part) => name.includes(part))));
rmSync(out, { recursive: true, force: true });
await build({
  entryPoints: tests.map((name) => join(folder, name)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node18",
  packages: "external",
  sourcemap: "inline",
  define: { STUDIO: JSON.stringify(studio) },
  logLevel: "warning",
});
const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...only, ...tests.map((name) => join(out, name.replace(/ts$/, "mjs")))], {
  stdio: "inherit",
  cwd: studio,
});
process.exit(run.status ?? 1);
