// Turns the files of a folder into C: node pack.mjs FOLDER OUT.c. server/asset.h declares the result.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

const types = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
};

function cArray(name, bytes) {
    const lines = [];
    for (let i = 0; i < bytes.length; i += 24)
        lines.push("    " + Array.from(bytes.subarray(i, i + 24)).join(",") + ",");
    return `static const unsigned char ${name}[] = {\n${lines.join("\n")}\n};\n`;
}

const [folder, out] = process.argv.slice(2);
const arrays = [];
const entries = [];
for (const [number, file] of readdirSync(folder).sort().entries()) {
    const type = types[extname(file)];
    if (!type) throw new Error(`${file}: no content type is known for it`);
    const data = readFileSync(join(folder, file));
    if (data.length === 0) throw new Error(`${file} is empty`);
    const gzip = gzipSync(data, { level: 9 });
    gzip[9] = 255; // operating system: "unknown", so that every system makes the same bytes
    const etag = createHash("sha256").update(data).digest("hex").slice(0, 20);
    const path = file === "index.html" ? "/" : `/${file}`;
    const small = gzip.length < data.length * 0.9;
    arrays.push(cArray(`file_${number}`, data));
    if (small) arrays.push(cArray(`gzip_${number}`, gzip));
    const packed = small ? `gzip_${number}, sizeof gzip_${number}` : "NULL, 0";
    entries.push(
        `    {"${path}", "${type}", "\\"${etag}\\"",\n     file_${number}, sizeof file_${number}, ${packed}},\n`,
    );
}
writeFileSync(
    out,
    `/* Made by server/page/pack.mjs; not to be edited. */
#include "server/asset.h"

${arrays.join("\n")}
const Asset server_assets[] = {
${entries.join("")}    {NULL, NULL, NULL, NULL, 0, NULL, 0},
};
`,
);
