// site.test.mjs - the page without a server, `make static-site`: its answers against those of a server, and in Chromium.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { host, npm, positions, tables } from "./host.mjs";
import { KBNK, PATIENCE, browser, build, openPage, server, startServer } from "../server/browser.mjs";

const folder = mkdtempSync(join(tmpdir(), "trebuchet-site-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const modules = join(build, "page");
const { build: bundle } = createRequire(join(modules, "package.json"))("esbuild");
const names = readdirSync(tables).filter((name) => name.endsWith(".treb"));
const materials = [...new Set(names.map((name) => name.split(".")[0]))];

/** The module local.js in Node, for the tables at an address. */
async function localAnswers(address) {
    const out = join(folder, "local.mjs");
    const alias = { trebuchet: join(npm, "package/trebuchet.mjs") };
    await bundle({ entryPoints: ["server/page/src/local.js"], outfile: out, bundle: true, format: "esm", platform: "node", alias });
    globalThis.document = { baseURI: address, querySelector: () => ({ content: "." }) };
    return import(out);
}

/** What both ways must agree on: the server's `best` is not used by the page, and advice is for the owner of a machine. */
function comparable({ best, advice, unknown, ...rest }) {
    return { ...rest, unknown: unknown.map(({ metric, code }) => [metric, code]) };
}

test("answers are those of a server, from the table files that the server offers", async () => {
    const local = await localAnswers(`${server.address}/tables/`);
    const ask = async (path) => (await fetch(server.address + path)).json();
    const fens = [
        "8/8/8/8/8/4k3/8/R3K3 w Q - 0 1", // castling, and each move leads into a table
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "8/8/3R3k/8/8/8/rP6/3K4 b - - 0 1", // no table
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 0 2", // mate, and many men
        "8/8/8/8/8/2b1k3/8/B3K3 w - - 0 1", // not enough men
        "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1", // stalemate
        "8/8/8/8/8/4k3/8/4K3 w - - 0 1", // kings alone
        KBNK.replace("0 1", "60 90"),
        ...positions(250, materials),
    ];
    let impossible = 0;
    for (const [number, fen] of fens.entries()) {
        const metric = [undefined, "dtm", "dtc", "dtz"][number % 4];
        const wanted = await ask(`/v1/probe?fen=${fen.replaceAll(" ", "_")}${metric ? `&metric=${metric}` : ""}`);
        if (wanted.error) {
            impossible++;
            await assert.rejects(local.probe(fen, metric), { code: wanted.error.code }, fen);
            continue;
        }
        assert.deepEqual(comparable(await local.probe(fen, metric)), comparable(wanted), fen);
    }
    assert.ok(impossible > 0 && impossible < fens.length / 2);
    for (const name of [...materials, "KvKQ"]) assert.deepEqual(await local.stats(name), await ask(`/v1/stats/${name}`), name);
    await assert.rejects(local.stats("KRPvKR"), { code: "no_table" });
    const { moves } = await ask(`/v1/line?fen=${KBNK.replaceAll(" ", "_")}&metric=dtm`);
    assert.deepEqual((await local.line(KBNK, "dtm")).moves, moves.map(({ uci, san, fen }) => ({ uci, san, fen })));
    assert.deepEqual((await local.tables()).tables.map(({ material }) => material).sort(), materials.sort());
    // A random position has what was asked for, also what is so rare that it comes from the longest line.
    for (const plies of [31, 59, 65]) {
        const wish = { turn: "white", verdict: "win", metric: "dtm", plies };
        const { material, fen } = await local.random("KvKBN", wish);
        const { verdict, dtm_plies, turn, halfmove_clock } = await local.probe(fen);
        assert.deepEqual([material, verdict, dtm_plies, turn, halfmove_clock], ["KBNvK", "win", plies, "white", 0]);
    }
    await assert.rejects(local.random("KBNvK", { turn: "white", verdict: "win", metric: "dtm", plies: 67 }), { code: "bad_request" });
});

const PAWNS = "8/8/p3k3/1p6/1P6/P3K3/8/8 w - - 0 1"; // Kf4 and its like lose, all else draws

test("solved pawn endings are those of a server", async (t) => {
    const own = await startServer({ folder: join(npm, "package"), more: ["--solve", "256MiB"] }); // a folder without tables
    t.after(() => own.stop()); // also where the test fails, or the process would wait for the server
    const { solveWith } = await import("../../server/page/src/solver.js");
    const { solvedAnswer } = await localAnswers(`${server.address}/tables/`);
    const { Trebuchet } = await import(join(npm, "package/trebuchet.mjs"));
    const tables = await Trebuchet.open(null);
    const module = readFileSync(join(build, "site/solver.wasm"));
    for (const fen of [PAWNS, "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1", "7k/8/5KP1/8/8/2p5/8/8 b - - 0 1"]) {
        let job = await (await fetch(`${own.address}/v1/solve`, { method: "POST", body: JSON.stringify({ fen }) })).json();
        while (job.state !== "done") job = await (await fetch(own.address + job.job)).json();
        let asked = 0;
        const { probe, line_uci } = solvedAnswer(tables, fen, await solveWith(module, fen, 2 ** 28, () => ++asked < 0));
        const { best, blocked, solved, unknown, ...wanted } = job.result.probe;
        const { rule50, stopped } = solved;
        assert.ok(asked > 0);
        assert.deepEqual([probe.solved.rule50, probe.solved.stopped], [rule50, stopped], fen);
        const byUci = (moves) => [...moves].sort((a, b) => (a.uci < b.uci ? -1 : 1));
        const mine = { ...probe, moves: byUci(probe.moves) };
        delete mine.solved;
        delete mine.unknown;
        assert.deepEqual(mine, { ...wanted, moves: byUci(wanted.moves) }, fen);
        assert.deepEqual(probe.unknown.map(({ metric }) => metric), unknown.map(({ metric }) => metric));
        assert.deepEqual(line_uci, job.result.line_uci ?? [], fen);
    }
    await assert.rejects(solveWith(module, "7k/8/8/8/8/8/P7/KQR5 w - - 0 1", 2 ** 28, () => false), /piece/);
});

/** Plays with the page: all that needs tables alone, and nothing that needs a server. */
async function visit(hands, { page }, shot) {
    await hands.open(KBNK);
    assert.equal(await hands.verdict(), "White mates in 30 moves");
    await page.waitForSelector(".ply.best");
    await page.waitForSelector(".chart");
    await hands.shot(shot, true);
    await hands.move("a1", "b2");
    assert.match(await hands.text("#judgement"), /Best move/);
    await page.goBack();
    assert.equal(await hands.verdict(), "White mates in 30 moves");
    for (const id of ["games-open", "games"]) assert.equal(await page.locator(`#${id}`).count(), 0);
    for (const id of ["rules", "advice", "shift", "squares"]) assert.ok(await page.isHidden(`#${id}`));
    assert.equal(await page.locator(".finder").count(), 0);
    assert.doesNotMatch(await page.content(), /v1\//);
    // A drill, against a table that plays.
    await hands.open("8/8/8/8/8/2k5/8/R3K3 w - - 0 1");
    await page.click("#drill-start");
    await page.waitForSelector("#drill:not([hidden])");
    assert.equal(await page.locator(".move, .ply.best").count(), 0, "the answers are hidden");
    await page.click("#hint");
    await hands.move("a1", "a4");
    await page.waitForFunction(() => / b | w .* 2$/.test(document.getElementById("fen").value));
    // The list of endings, and a random position.
    await page.keyboard.press("Escape");
    await page.click("#browse-open");
    await page.click('[data-ending="KQvKR"]');
    await hands.settled();
    await page.waitForFunction(() => document.querySelector(".material-name")?.textContent === "KQvKR");
    const before = await hands.fen();
    await page.click("#random");
    await page.waitForFunction((fen) => document.getElementById("fen").value !== fen, before);
    await hands.settled();
    // A pawn ending without a table is solved; other positions without one are said to be.
    await hands.open(PAWNS);
    assert.equal(await hands.text("#sentence"), "Not known");
    await page.click(".solver button");
    await hands.awaitVerdict(/^Draw$/, PATIENCE);
    assert.match(await hands.text("#note"), /^Proved just now; \d+ pawn structures examined\./);
    assert.deepEqual(await page.locator("#moves .group-head h2").allTextContents(), ["Drawing", "Losing"]);
    await hands.open("8/8/3R3k/8/8/8/rP6/3K4 b - - 0 1");
    assert.equal(await hands.text("#sentence"), "Not known");
    assert.equal(await page.locator(".move").count(), 4);
    assert.deepEqual(await hands.faults(), []);
}

test("in Chromium, in a folder of a host, with the tables beside it", async () => {
    const site = await host(build);
    const hands = await openPage(browser, `${site.url}site`);
    await visit(hands, hands, "site");
    assert.ok(!site.log.some((path) => path.includes("v1/")), "asks no server");
    await hands.close();
    site.close();
});

test("in Chromium, with tables on another host", async () => {
    let down = false;
    const elsewhere = await host(join(build, "site/tables"), { spoil: () => (down ? 503 : undefined) });
    execFileSync("node", ["server/page/build.mjs", modules, join(folder, "site"), join(npm, "package"), elsewhere.url]);
    const site = await host(join(folder, "site"));
    const hands = await openPage(browser, site.url.replace(/\/$/, ""));
    await hands.open(KBNK);
    assert.equal(await hands.verdict(), "White mates in 30 moves");
    assert.ok(elsewhere.log.length > 0 && site.log.every((path) => !path.includes("treb")));
    // A host that is gone: the page says so, and goes on when it is back.
    down = true;
    await hands.type("8/8/8/8/8/2k5/8/R3K3 w - - 0 1");
    await hands.page.waitForSelector("#offline:not([hidden])");
    down = false;
    await hands.awaitVerdict(/^White mates/);
    await hands.close(/status of 503|asks elsewhere: http:\/\/127\.0\.0\.1:\d+\/K|trebuchet\.headers/);
    elsewhere.close();
    site.close();
});
