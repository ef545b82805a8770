// many.mjs - many.mjs COUNT compares the npm package with the native library in COUNT random positions: verdicts, distances and
// all moves, in Node and in Chromium. Variables as for the tests beside it.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { Trebuchet, browse, bundleOf, chromium, host, native, npm, positions, same, tables } from "./host.mjs";

const count = Number(process.argv[2] || 100000);
const AT_ONCE = 1000;
const names = readdirSync(tables).filter((name) => name.endsWith(".treb"));
const materials = [...new Set(names.map((name) => name.split(".")[0]))];
const options = { memoryMB: 64, threeMen: false };

const page = `<!doctype html><script type="module">
const send = (what) => fetch("/", { method: "POST", body: JSON.stringify(what) });
try {
    const { Trebuchet } = await import("/npm/trebuchet.mjs");
    let tb = null;
    for (;;) {
        const job = await (await fetch("/job.json", { cache: "no-store" })).json();
        if (job.fens.length === 0) break;
        tb ??= await Trebuchet.open(job.tables, job.options);
        const answers = [];
        for (const fen of job.fens) answers.push([fen, await tb.probe(fen), await tb.moves(fen)]);
        await send({ answers });
    }
    await send({ done: true });
} catch (error) {
    await send({ error: String(error.stack || error) });
}
</script>`;

/** The next positions, those that are possible, with what the native library says. */
let asked = 0;
async function draw() {
    const fens = positions(Math.min(AT_ONCE, count - asked), materials);
    asked += fens.length;
    return fens.length > 0 ? native(fens, tables) : new Map();
}

const tb = await Trebuchet.open(tables, options);
let wanted = await draw();
let compared = 0;
async function inNode() {
    for (const [fen, answer] of wanted) same(assert, fen, await tb.probe(fen), await tb.moves(fen), answer);
    compared += wanted.size;
}

if (chromium) {
    const files = { "index.html": page };
    for (const name of readdirSync(join(npm, "package"))) files[`npm/${name}`] = readFileSync(join(npm, "package", name));
    const served = await host(tables, { files: { "trebuchet.headers": bundleOf(tables) } });
    const put = () => (files["job.json"] = JSON.stringify({ tables: served.url, options, fens: [...wanted.keys()] }));
    let end;
    const result = new Promise((done, fail) => (end = { done, fail }));
    const site = await host(npm, {
        files,
        post: async (text) => {
            try {
                const { answers, error, done } = JSON.parse(text);
                assert.equal(error, undefined);
                if (done) return end.done();
                assert.equal(answers.length, wanted.size);
                for (const [fen, value, moves] of answers) same(assert, fen, value, moves, wanted.get(fen));
                await inNode();
                wanted = await draw();
                put();
            } catch (error) {
                end.fail(error);
            }
        },
    });
    put();
    const close = browse(`${site.url}index.html`);
    try {
        await result;
    } finally {
        await close();
        site.close();
        served.close();
    }
} else {
    for (; wanted.size > 0; wanted = await draw()) await inNode();
}
await tb.close();
console.log(`${asked} positions, ${compared} of them possible: in Node${chromium ? " and in Chromium" : ""} as in the native library`);
