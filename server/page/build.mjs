// Bundles the page: node build.mjs MODULES OUT. MODULES is a folder in which `npm ci` has run. OUT gets the files that
// a browser requests. The output depends only on the sources.
//
// node build.mjs MODULES OUT PACKAGE TABLES makes the page that needs no server: PACKAGE is the folder of the npm package, and
// TABLES the address of the tables as seen from the page. What is between <!-- server --> and <!-- /server --> is left out.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [modules, out] = process.argv.slice(2, 4).map((path) => resolve(path));
const [npm, tables] = process.argv.slice(4);
const esbuild = createRequire(join(modules, "package.json"))("esbuild");

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await esbuild.build({
    entryPoints: [
        ...["src/main.js", "src/style.css"].map((path) => ({ in: join(here, path), out: "app" })),
        ...(npm ? [{ in: join(here, "src/solverworker.js"), out: "solver" }] : []),
    ],
    outdir: out,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["chrome123", "firefox120", "safari17.5"],
    loader: { ".svg": "text" },
    nodePaths: [join(modules, "node_modules")],
    conditions: ["module", ...(npm ? ["static"] : [])],
    alias: npm ? { trebuchet: resolve(npm, "trebuchet.mjs") } : {},
    splitting: Boolean(npm),
    logOverride: { "import-is-undefined": npm ? "silent" : "error" },
    legalComments: "none",
    banner: { js: "/* Licences: see /licences.txt */" },
    logLevel: "warning",
});
copyFileSync(join(here, "favicon.svg"), join(out, "favicon.svg"));
if (npm) copyFileSync(join(modules, "solver.wasm"), join(out, "solver.wasm"));
const page = readFileSync(join(here, "index.html"), "utf8");
const withoutServer = () =>
    page
        .replace(/<!-- server -->.*?<!-- \/server -->\n?/gs, "")
        .replace("<title>", () => `<meta name="tables" content="${tables.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}">\n<title>`);
writeFileSync(join(out, "index.html"), npm ? withoutServer() : page.replace(/<!-- \/?server -->/g, ""));

const licence = (path) => readFileSync(path, "utf8").trim();
writeFileSync(
    join(out, "licences.txt"),
    `Trebuchet\n\n${licence(join(here, "../../LICENSE"))}\n\n\n` +
        `cm-chessboard, which draws the board\n\n${licence(join(modules, "node_modules/cm-chessboard/LICENSE"))}\n`,
);
