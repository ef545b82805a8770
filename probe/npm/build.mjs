// build.mjs - makes the package's folder: node probe/npm/build.mjs WASM TABLES OUT
//
// The WebAssembly module and the three-man tables become modules of text, so that the package needs no other files, with a
// bundler or without. They are packed by zlib, which browsers and Node unpack themselves.
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";

const [wasm, tables, out] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const top = join(here, "../..");
const packed = (bytes) => deflateSync(bytes, { level: 9 }).toString("base64");

mkdirSync(out, { recursive: true });
for (const name of ["bundle", "errors", "files", "pages", "places", "trebuchet", "unpack"])
    copyFileSync(join(here, `${name}.mjs`), join(out, `${name}.mjs`));
for (const name of ["trebuchet.d.ts", "README.md"]) copyFileSync(join(here, name), join(out, name));
copyFileSync(join(top, "LICENSE"), join(out, "LICENSE"));

const [, version] = /TREB_VERSION "(.*)"/.exec(readFileSync(join(top, "include/trebuchet.h"), "utf8"));
const about = { ...JSON.parse(readFileSync(join(here, "package.json"), "utf8")), version };
writeFileSync(join(out, "package.json"), `${JSON.stringify(about, null, 4)}\n`);
writeFileSync(join(out, "wasm.mjs"), `export default "${packed(readFileSync(wasm))}";\n`);

const files = readdirSync(tables)
    .filter((name) => /^K[QRBNP]vK\.(wdl|dtz|dtc|dtm)\.treb$/.test(name))
    .sort();
if (files.length !== 20) throw new Error(`${tables}: has ${files.length} of the 20 three-man tables: make them with 'trebuchet gen --men 3'`);
const bytes = files.map((name) => readFileSync(join(tables, name)));
const list = files.map((name, i) => [name, bytes[i].length]);
writeFileSync(join(out, "three.mjs"), `export const files = ${JSON.stringify(list)};\nexport default "${packed(Buffer.concat(bytes))}";\n`);
