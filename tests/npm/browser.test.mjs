// browser.test.mjs - the npm package in Chromium, in a page and in a worker, against the native library; its database of pages.
// The page sends what it found to the web host of the test.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { browse, bundleOf, chromium, host, native, npm, positions, same, tables } from "./host.mjs";

const materials = [...new Set(readdirSync(tables).filter((name) => name.endsWith(".treb")).map((name) => name.split(".")[0]))];

// What runs in the page and in the worker. `from` is where the package is.
const work = `
export async function probeAll({ from, tables, fens, options }) {
    const { Trebuchet } = await import(from + "trebuchet.mjs");
    const tb = await Trebuchet.open(tables, options);
    const answers = [];
    for (const fen of fens) {
        const value = await tb.probe(fen);
        answers.push([fen, value, await tb.moves(fen), tb.wdlSync(fen) === value.wdl]);
    }
    const warm = fens.slice(0, 50);
    const before = performance.now();
    for (let i = 0; i < 2000; i++) for (const fen of warm) tb.wdlSync(fen);
    const microseconds = (1000 * (performance.now() - before)) / (2000 * warm.length);
    const stats = tb.stats;
    await tb.close();
    return { answers, stats, microseconds };
}`;
const page = `<!doctype html><script type="module">
import { probeAll } from "/work.mjs";
const send = (what) => fetch("/", { method: "POST", body: JSON.stringify(what) });
try {
    const job = await (await fetch("/job.json")).json();
    const first = await probeAll({ ...job, options: { cache: "idb" } });
    const second = await probeAll({ ...job, options: { cache: "idb" } });
    const worker = new Worker("/worker.mjs", { type: "module" });
    const inWorker = await new Promise((done, fail) => {
        worker.onmessage = ({ data }) => (data.error ? fail(new Error(data.error)) : done(data));
        worker.onerror = (event) => fail(new Error(event.message));
        worker.postMessage({ ...job, options: {} });
    });
    await send({ first, second, inWorker, isolated: globalThis.crossOriginIsolated });
} catch (error) {
    await send({ error: String(error.stack || error) });
}
</script>`;
const worker = `import { probeAll } from "/work.mjs";
onmessage = ({ data }) => probeAll(data).then((found) => postMessage(found), (error) => postMessage({ error: String(error.stack) }));`;

test("Chromium: a page, its database, a worker", { skip: !chromium && "there is no Chromium: .ci/deps test" }, async () => {
    const wanted = await native(positions(250, materials), tables);
    const other = await host(tables, { files: { "trebuchet.headers": bundleOf(tables) } }); // another origin
    const files = { "": page, "work.mjs": work, "worker.mjs": worker };
    for (const name of readdirSync(join(npm, "package"))) files[`npm/${name}`] = readFileSync(join(npm, "package", name));
    let arrived;
    const found = new Promise((done) => (arrived = done));
    const site = await host(npm, { files, post: (text) => arrived(JSON.parse(text)) });
    files["job.json"] = JSON.stringify({ from: `${site.url}npm/`, tables: other.url, fens: [...wanted.keys()] });
    files["index.html"] = files[""];
    const end = browse(`${site.url}index.html`);
    const late = setTimeout(() => arrived({ error: "nothing came within 150 s" }), 150000);
    const result = await found;
    clearTimeout(late);
    await end();
    site.close();
    other.close();
    assert.equal(result.error, undefined);
    assert.equal(result.isolated, false); // so there is no SharedArrayBuffer
    for (const { answers } of [result.first, result.second, result.inWorker]) {
        assert.equal(answers.length, wanted.size);
        for (const [fen, value, moves, sync] of answers) {
            same(assert, fen, value, moves, wanted.get(fen));
            assert.ok(sync, fen);
        }
    }
    const [first, second] = [result.first.stats, result.second.stats];
    assert.ok(first.bytes > 0);
    // The second visit takes pages from the database; only headers are fetched.
    assert.ok(second.stored > 0 && second.bytes < first.bytes / 2, `${second.bytes} of ${first.bytes} bytes`);
    console.log(`# ${answers(result)} positions three times; a warm verdict takes ${result.first.microseconds.toFixed(2)} us; first visit ${first.requests} requests, ${first.bytes} bytes; second ${second.requests}, ${second.bytes}`);
});

const answers = ({ first }) => first.answers.length;
