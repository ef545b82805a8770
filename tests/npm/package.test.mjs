// package.test.mjs - the npm package in Node against the native library. TREB_NPM_POSITIONS is how many positions are compared.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { Trebuchet, bundleOf, host, native, npm, positions, same, syzygy, tables, tool } from "./host.mjs";

const KBNK = "8/8/8/3k4/8/8/8/KBN5 w - - 0 1";
const names = readdirSync(tables).filter((name) => name.endsWith(".treb"));
const materials = [...new Set(names.map((name) => name.split(".")[0]))];
const sumsOf = (list) => list.map((name) => `${"0".repeat(64)}  ${name}\n`).join("");
const sums = sumsOf(names);
const bundle = bundleOf(tables);
const code = (wanted) => (error) => error.name === "TrebuchetError" && error.code === wanted;
const listed = { SHA256SUMS: sums, "trebuchet.headers": null };

async function open(places, options) {
    return Trebuchet.open(places, { threeMen: false, ...options });
}

test("answers equal those of the native library", async () => {
    const fens = positions(Number(process.env.TREB_NPM_POSITIONS || 1500), materials);
    const tb = await open(tables);
    let impossible = 0;
    for (let at = 0; at < fens.length; at += 5000) {
        const part = fens.slice(at, at + 5000);
        const wanted = await native(part, tables);
        for (const fen of part) {
            if (!wanted.has(fen)) {
                impossible++;
                await assert.rejects(tb.probe(fen), code("POSITION"), fen);
                continue;
            }
            const value = await tb.probe(fen);
            same(assert, fen, value, await tb.moves(fen), wanted.get(fen));
            assert.deepEqual(tb.probeSync(fen), value);
            assert.equal(tb.wdlSync(fen), value.wdl);
        }
    }
    assert.ok(impossible < fens.length / 2);
    console.log(`# ${fens.length} positions, ${impossible} of them impossible`);
    await tb.close();
});

test("calls side by side get their own answers", async () => {
    const tb = await open(tables);
    const fens = [...positions(200, materials), "no position"];
    const ask = async (fen) => [await tb.probe(fen), await tb.moves(fen)];
    const all = (values) => values.map(({ value, reason }) => value ?? reason.message);
    const alone = [];
    for (const fen of fens) alone.push(...(await Promise.allSettled([ask(fen)])));
    assert.deepEqual(all(await Promise.allSettled(fens.map(ask))), all(alone));
    await tb.close();
});

test("Syzygy's files: by ranges from a host, and the same as in the native library", async () => {
    const list = readdirSync(syzygy);
    const served = await host(syzygy, { files: { SHA256SUMS: sumsOf(list) } });
    const fens = positions(150, ["KQvK", "KRvK", "KPvK"]);
    const wanted = await native(fens, syzygy);
    for (const place of [served.url, syzygy, Object.fromEntries(list.map((name) => [name, readFileSync(join(syzygy, name))]))]) {
        const tb = await open(place);
        for (const [fen, answer] of wanted)
            same(assert, fen, await tb.probe(fen), await tb.moves(fen, { metric: "dtz" }), answer);
        await tb.close();
    }
    served.close();
    // Cold: some pages of some files, and at most 3 rounds.
    const cold = await host(syzygy, { files: { SHA256SUMS: sumsOf(list) } });
    for (const [fen, answer] of [...wanted].slice(0, 20)) {
        const tb = await open(cold.url);
        const before = tb.stats;
        same(assert, fen, await tb.probe(fen), await tb.moves(fen, { metric: "dtz" }), answer);
        const { rounds, bytes } = tb.stats;
        assert.ok(rounds - before.rounds <= 3, `${fen}: ${rounds - before.rounds} rounds`);
        assert.ok(bytes - before.bytes < 80000, `${fen}: ${bytes - before.bytes} bytes`);
        await tb.close();
    }
    cold.close();
});

test("a Syzygy file takes memory for what is read of it", async () => {
    // A file with 600 MB that nothing asks for behind what it has.
    const MANY = 600_000_000 - (600_000_000 % 64) + 16;
    const names = readdirSync(syzygy);
    const bytes = new Map(names.map((name) => [name, readFileSync(join(syzygy, name))]));
    const size = (name) => (name === "KQvK.rtbw" ? MANY : bytes.get(name).length);
    const padded = (name, at, n) => Buffer.concat([bytes.get(name).subarray(at, at + n), Buffer.alloc(n)]).subarray(0, n);
    const place = {
        files: names.map((name) => ({ name, size: size(name) })),
        read: async (name, at, length) => padded(name, at, Math.min(length, size(name) - at)),
    };
    const tb = await open(place);
    const before = process.memoryUsage().rss;
    assert.equal(await tb.probe("8/8/8/3k4/8/8/8/KQ6 w - - 0 1").then(({ wdl }) => wdl), "win");
    const more = process.memoryUsage().rss - before;
    assert.ok(more < 60_000_000, `${more} bytes of memory more`);
    await tb.close();
});

test("all moves with all metrics, cold: at most 3 rounds with the bundle, 5 without", async () => {
    for (const [files, most] of [[{ "trebuchet.headers": bundle }, 3], [listed, 5]]) {
        const served = await host(tables, { files });
        const fens = [KBNK, ...positions(40, materials)];
        const wanted = await native(fens, tables);
        let rounds = 0;
        for (const [fen, answer] of wanted) {
            const tb = await open(served.url);
            const before = tb.stats;
            const [first, requests] = [served.log.length, before.requests];
            const moves = await tb.moves(fen);
            const after = tb.stats;
            assert.deepEqual(moves.map((m) => m.uci), answer.moves.map((m) => m.uci), fen);
            assert.ok(after.rounds - before.rounds <= most, `${fen}: ${after.rounds - before.rounds} rounds`);
            assert.equal(after.requests - requests, served.log.length - first);
            rounds = Math.max(rounds, after.rounds - before.rounds);
            if (fen === KBNK) console.log(`# KBNvK: ${after.rounds - before.rounds} rounds, ${after.requests - requests} requests, ${after.bytes - before.bytes} bytes`);
            // Warm, nothing is asked for.
            assert.deepEqual(tb.movesSync(fen), moves);
            assert.deepEqual(await tb.moves(fen), moves);
            assert.equal(tb.stats.requests, after.requests);
            await tb.close();
        }
        assert.ok(rounds > 1);
        served.close();
    }
});

test("what is not in memory is undefined at once", async () => {
    const served = await host(tables, { files: { "trebuchet.headers": bundle } });
    const tb = await open(served.url);
    const asked = tb.stats.requests;
    assert.equal(tb.probeSync(KBNK), undefined);
    assert.equal(tb.wdlSync(KBNK), undefined);
    assert.equal(tb.movesSync(KBNK), undefined);
    assert.equal(tb.stats.requests, asked);
    assert.equal((await tb.probe(KBNK)).dtm, 59);
    assert.equal(tb.wdlSync(KBNK), "win");
    const { moves, end, fen } = await tb.line(KBNK);
    assert.deepEqual([moves.length, end, fen.split(" ")[1]], [59, "mate", "b"]);
    assert.equal((await tb.line(KBNK, { most: 7 })).end, "capacity");
    await tb.close();
    served.close();
});

test("a call that is prefetched asks for nothing; calls side by side fetch a page once", async () => {
    const served = await host(tables, { files: { "trebuchet.headers": bundle } });
    const tb = await open(served.url);
    const files = await tb.prefetch("KvKNB");
    assert.deepEqual(files.map(({ name }) => name).sort(), ["dtc", "dtm", "dtz", "wdl"].map((m) => `KBNvK.${m}.treb`));
    const before = served.log.filter((name) => name !== "trebuchet.headers").length;
    await tb.moves(KBNK);
    assert.equal(served.log.filter((name) => name !== "trebuchet.headers").length, before);
    await assert.rejects(tb.prefetch("KQQvKQQ"), code("NO_TABLE"));
    await tb.close();
    const other = await open(served.url);
    served.log.length = 0;
    await Promise.all(Array.from({ length: 20 }, () => other.moves(KBNK)));
    const once = served.log.length;
    await other.close();
    const again = await open(served.url);
    served.log.length = 0;
    await again.moves(KBNK);
    assert.equal(once, served.log.length);
    await again.close();
    served.close();
});

test("places: files, a folder, bytes, a reader, several, none", async () => {
    const bytes = (name) => readFileSync(join(tables, name));
    const some = names.filter((name) => /^K[BN]?[BN]?vK\./.test(name));
    const files = some.map((name) => new File([bytes(name)], name));
    const handle = {
        kind: "directory",
        async *values() {
            for (const file of files) yield { kind: "file", name: file.name, getFile: async () => file };
        },
    };
    const reader = {
        files: some.map((name) => ({ name, size: bytes(name).length })),
        read: async (name, offset, length) => bytes(name).subarray(offset, offset + length),
    };
    const places = [files, handle, Object.fromEntries(some.map((name) => [name, bytes(name)])), reader, [null ?? files, reader], new URL(`file://${tables}/`)];
    for (const place of places) {
        const tb = await open(place);
        assert.equal((await tb.probe(KBNK)).dtm, 59);
        assert.ok(tb.materials.some(({ material, men, metrics }) => material === "KBNvK" && men === 4 && metrics.length === 4));
        await tb.close();
    }
    const three = await Trebuchet.open(null);
    assert.equal(three.probeSync("8/5P1k/8/7K/8/8/8/8 w - - 0 1").dtm, 11);
    assert.equal(three.play("8/5P1k/8/7K/8/8/8/8 w - - 0 1", "f8=R"), "5R2/7k/8/7K/8/8/8/8 b - - 0 1");
    await assert.rejects(three.probe(KBNK), (error) => code("NO_TABLE")(error) && error.material === "KBNvK" && error.metric === "wdl");
    await three.close();
});

test("errors have codes", async () => {
    const tb = await open(tables);
    await assert.rejects(tb.probe("nonsense"), code("FEN"));
    await assert.rejects(tb.probe("x".repeat(400)), code("FEN"));
    await assert.rejects(tb.probe(42), code("FEN"));
    await assert.rejects(tb.probe("6kr/8/8/8/8/8/8/4K3 b h - 0 1"), code("CASTLING"));
    await assert.rejects(tb.moves("6kr/8/8/8/8/8/8/4K3 b h - 0 1"), code("CASTLING"));
    await assert.rejects(tb.probe("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"), code("MEN"));
    await assert.rejects(tb.moves(KBNK, { metric: "dtx" }), code("ARGUMENT"));
    await assert.rejects(tb.moves(KBNK, { rule: "49" }), code("ARGUMENT"));
    assert.throws(() => tb.play(KBNK, "e2e4"), code("ARGUMENT"));
    await tb.close();
    await assert.rejects(tb.probe(KBNK), code("ARGUMENT"));
    await assert.rejects(open(tables, { memoryMB: 0 }), code("ARGUMENT"));
    await assert.rejects(open(tables, { cache: "disk" }), code("ARGUMENT"));
    await assert.rejects(open("/nowhere/at/all"), code("IO"));
    const nothing = await host(syzygy);
    await assert.rejects(open(nothing.url), code("NETWORK"));
    nothing.close();
});

test("a host that misbehaves: no wrong answer, and a code", async () => {
    const files = { "trebuchet.headers": bundle };
    const flip = (bytes) => {
        for (let i = 9; i < bytes.length; i += 512) bytes[i] ^= 1;
        return bytes;
    };
    const isTable = (name) => name.startsWith("KBNvK.wdl");
    const cases = [
        // Once: read again.
        [{ files, spoil: (name, bytes, at, n) => (isTable(name) && n === 1 ? flip(bytes) : null) }, null],
        [{ files, spoil: (name, bytes, at, n) => (n === 2 ? 503 : null) }, null],
        [{ files, ranges: false }, null],
        [{ files: listed, ranges: false }, null],
        // Always.
        [{ files, spoil: (name, bytes) => (isTable(name) ? flip(bytes) : null) }, "DAMAGED"],
        [{ files, spoil: (name) => (isTable(name) ? 500 : null) }, "NETWORK"],
        [{ files, spoil: (name) => (isTable(name) ? 403 : null) }, "NETWORK"],
        [{ files, spoil: (name, bytes) => (isTable(name) ? bytes.subarray(0, 9) : null) }, "NETWORK"],
        [{ files: { ...files, "KBNvK.wdl.treb": Buffer.alloc(99999) } }, "DAMAGED"],
        [{ files: { "trebuchet.headers": flip(Buffer.from(bundle.subarray(0, 2000))) } }, "DAMAGED"],
        [{ files: { "trebuchet.headers": "not a bundle, but a page of the host" } }, "DAMAGED"],
    ];
    for (const [options, wanted] of cases) {
        const counts = new Map();
        const spoil = options.spoil && ((name, bytes, at) => {
            counts.set(name, (counts.get(name) || 0) + 1);
            return options.spoil(name, bytes, at, counts.get(name));
        });
        const served = await host(tables, { ...options, spoil });
        const answer = (async () => {
            const tb = await open(served.url);
            const { dtm } = await tb.probe(KBNK);
            await tb.close();
            return dtm;
        })();
        if (wanted) await assert.rejects(answer, code(wanted), wanted);
        else assert.equal(await answer, 59);
        served.close();
    }
});

test("an AbortSignal ends a call, and no other", async () => {
    const served = await host(tables, { files: { "trebuchet.headers": bundle } });
    const tb = await open(served.url);
    const [one, two] = [tb.probe(KBNK, { signal: AbortSignal.abort() }), tb.probe(KBNK)];
    await assert.rejects(one, { name: "AbortError" });
    assert.equal((await two).dtm, 59);
    const control = new AbortController();
    const late = tb.moves("8/8/8/3k4/8/8/8/KBB5 w - - 0 1", { signal: control.signal });
    control.abort();
    await assert.rejects(late, { name: "AbortError" });
    await assert.rejects(open(served.url, { signal: AbortSignal.abort() }), { name: "AbortError" });
    await tb.close();
    served.close();
});

test("a small budget: right, and no more memory than it says", async () => {
    const served = await host(tables, { files: { "trebuchet.headers": bundle } });
    const tb = await open(served.url, { memoryMB: 1 });
    const fens = positions(60, materials);
    for (const [fen, answer] of await native(fens, tables)) same(assert, fen, await tb.probe(fen), await tb.moves(fen), answer);
    console.log(`# memory with a budget of 1 MB: ${(tb.stats.memory / 2 ** 20).toFixed(1)} MB`);
    assert.ok(tb.stats.memory < 24 * 2 ** 20); // the headers of all endings of four men come on top
    await tb.close();
    served.close();
});

test("the size of the package", () => {
    const folder = join(npm, "package");
    const size = (name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length;
    const all = readdirSync(folder).filter((name) => name.endsWith(".mjs"));
    const library = all.filter((name) => name !== "three.mjs").reduce((sum, name) => sum + size(name), 0);
    console.log(`# ${library} bytes, and ${size("three.mjs")} with the three-man tables`);
    assert.ok(library <= 100_000);
});

test("DTM50: the mate with the position's clock, and the statistics of its tables", async () => {
    const folder = mkdtempSync(join(tmpdir(), "trebuchet-npm-"));
    execFileSync(tool, ["gen", "--quiet", "--metric", "all5", "--tables", folder, "KPvK"]);
    const tb = await open(folder);
    const late = "8/6k1/8/5K2/8/8/1P6/8 w - - 99 1";
    const { dtm, dtm50, why } = await tb.probe(late);
    assert.deepEqual([dtm, dtm50, why], [29, 47, undefined]);
    assert.ok(tb.materials.every(({ metrics }) => metrics.includes("dtm50")));
    const { longest, histograms } = await tb.statistics("KPvK");
    const of = (metric) => longest.filter((entry) => entry.metric === metric).map((entry) => entry.plies);
    assert.deepEqual([...new Set(longest.map(({ metric }) => metric))], ["dtm", "dtm50", "dtc", "dtz"]);
    assert.deepEqual(of("dtm50"), of("dtm")); // at a clock of 0 the rule delays no mate of three men
    assert.deepEqual(histograms.dtm50, histograms.dtm);
    assert.ok(histograms.dtm50.white.win.length > 20);
    await tb.close();
    const without = await open(tables);
    const unknown = await without.probe(late);
    assert.deepEqual([unknown.dtm, unknown.dtm50, unknown.why], [29, null, { dtm50: "NO_TABLE" }]);
    await without.close();
    rmSync(folder, { recursive: true });
});

// A program of somebody else, who has only the tarball.
const program = `import { Trebuchet } from "trebuchet";
const tb = await Trebuchet.open(null);
const { rule, dtm } = await tb.probe("8/5P1k/8/7K/8/8/8/8 w - - 0 1");
console.log(rule, dtm);
`;

test("the tarball in an empty folder, without a bundler and with esbuild", () => {
    const folder = mkdtempSync(join(tmpdir(), "trebuchet-npm-"));
    const [tarball] = readdirSync(npm).filter((name) => name.endsWith(".tgz"));
    const run = (...words) => execFileSync(words[0], words.slice(1), { cwd: folder, encoding: "utf8" });
    writeFileSync(join(folder, "package.json"), '{"name": "mine", "version": "1.0.0", "type": "module"}');
    writeFileSync(join(folder, "main.mjs"), program);
    run("npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", join(npm, tarball));
    assert.equal(run("node", "main.mjs"), "win 11\n");
    // The page's one is there unless the build was made with PAGE=no.
    const esbuild = ["/usr/bin/esbuild", join(npm, "../page/node_modules/.bin/esbuild")].find(existsSync);
    if (esbuild) {
        for (const platform of ["browser", "node"]) {
            run(esbuild, "main.mjs", "--bundle", "--format=esm", `--platform=${platform}`, "--outfile=out.mjs", "--log-level=error");
            assert.equal(run("node", "out.mjs"), "win 11\n");
        }
    } else {
        console.log("# without esbuild: it is not installed");
    }
    rmSync(folder, { recursive: true });
});
