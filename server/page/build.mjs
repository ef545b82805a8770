// Bundles the page: node build.mjs MODULES OUT. MODULES is a folder in which `npm ci` has run. OUT gets the files that
// a browser requests. The output depends only on the sources.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [modules, out] = process.argv.slice(2).map((path) => resolve(path));
const esbuild = createRequire(join(modules, "package.json"))("esbuild");

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await esbuild.build({
    entryPoints: ["src/main.js", "src/style.css"].map((path) => ({ in: join(here, path), out: "app" })),
    outdir: out,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["chrome123", "firefox120", "safari17.5"],
    loader: { ".svg": "text" },
    nodePaths: [join(modules, "node_modules")],
    legalComments: "none",
    banner: { js: "/* Licences: see /licences.txt */" },
    logLevel: "warning",
});
for (const name of ["index.html", "favicon.svg"]) copyFileSync(join(here, name), join(out, name));

const licence = (path) => readFileSync(path, "utf8").trim();
writeFileSync(
    join(out, "licences.txt"),
    `Trebuchet\n\n${licence(join(here, "../../LICENSE"))}\n\n\n` +
        `cm-chessboard, which draws the board\n\n${licence(join(modules, "node_modules/cm-chessboard/LICENSE"))}\n`,
);
