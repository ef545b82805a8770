// Tests of the page in Chromium: some tables or none, blocked pawns, what is solved, and a server that is gone.
// See browser.mjs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import {
    KBNK, NOT_FOUND, PATIENCE, ROOK, browser, build, onPage, openPage, playJob, startServer, tables,
} from "./browser.mjs";

/** Adds advice to the server's answers, as for the owner of the server's machine. */
async function advise(page, advice) {
    await page.route(/\/v1\/probe/, async (route) => {
        const response = await route.fetch();
        const headers = { ...response.headers(), "cache-control": "no-store" };
        await route.fulfill({ response, headers, json: { ...(await response.json()), advice } });
    });
}

onPage("a missing table: the moves, and for the owner the command that makes it", {}, async (hands, page) => {
    const missing = "8/8/3R3k/8/8/8/rP6/3K4 b - - 0 1";
    await advise(page, null);
    await hands.open(missing);
    assert.equal(await hands.text("#sentence"), "Not known");
    assert.match(await hands.text("#note"), /^There is no table for KRPvKR \(5 pieces\) here/);
    assert.ok(await page.isHidden("#missing"));
    assert.equal(await page.locator(".move").count(), 4, "all moves are there");
    await hands.shot("missing-visitor");
    await page.unroute(/\/v1\/probe/);
    await advise(page, "'trebuchet gen KRPvKR' makes it: about 1.2 GB of memory and 100 MB of disk (twice that while it runs)");
    await hands.open(missing);
    assert.equal(await hands.text("#missing code"), "trebuchet gen KRPvKR");
    assert.match(await hands.text("#missing"), /makes it: about 1\.2 GB of memory and 100 MB of disk \(twice that while it runs\)$/);
    await hands.shot("missing");
});

onPage("beyond the tables play goes on", {}, async (hands, page) => {
    await hands.open("8/2R5/3P4/8/3r4/8/k3p3/4K3 w - - 0 1");
    assert.equal(await hands.text("#sentence"), "Not known");
    assert.match(await hands.text("#note"), /^There is no table for KRPvKRP \(6 pieces\)/);
    assert.equal(await page.locator(".move").count(), 17);
    await page.locator('[data-uci="c7c4"]').click();
    await hands.settled();
    await hands.drag(await hands.middle("d4"), await hands.middle("c4"));
    await hands.settled();
    assert.match(await hands.fen(), /^8\/8\/3P4\/8\/2r5\//, "taken by dragging");
    // With all 32 men, by clicks, including castling; then back and forward.
    await hands.open("rnbqk2r/pppp1ppp/5n2/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 6 4");
    assert.match(await hands.text("#note"), /^Tables stop long before 32 pieces/);
    assert.ok(await page.isDisabled("#play"), "no best play is known");
    await hands.move("e1", "g1");
    assert.equal(await hands.fen(), "rnbqk2r/pppp1ppp/5n2/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 7 4");
    await page.click('[data-go="prev"]');
    await hands.settled();
    assert.match(await hands.fen(), /KQkq/);
    await hands.shot("beyond");

    // Best play begins with the winning move, although the line from here is not known.
    await hands.open("7k/8/8/8/8/8/r7/RQ2K3 w - - 0 1");
    assert.equal(await page.locator(".ply.best").count(), 0);
    await page.selectOption("#pace", "350");
    await page.click("#play");
    await page.waitForSelector('.ply.played[data-at="2"]');
    await page.click("#play");

    await hands.open("8/8/8/8/8/4k3/8/R3K3 w Q - 0 1");
    assert.match(await hands.verdict(), /^White (wins|mates)/, "each of its moves leads into a table");
    await hands.open("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    assert.match(await hands.text("#note"), /^Castling is still possible/);
    await page.click("#missing button");
    await hands.settled();
    assert.match(await hands.text("#note"), /^There is no table for KRRvKRR \(6 pieces\)/);
});

onPage("the 50-move rule", {}, async (hands, page) => {
    await hands.open(KBNK.replace("0 1", "60 90"));
    assert.equal(await hands.verdict(), "White wins, but the 50-move rule saves Black");
    assert.match(await hands.text("#note"), /60 half-moves/);
    await page.click("#set-up");
    await page.fill("#clock", "0");
    assert.match(await hands.verdict(), /^White mates in/);
});

test("without the server the page says so, and goes on when it is back", { timeout: 240000 }, async () => {
    const own = await startServer();
    const hands = await openPage(browser, own.address);
    await hands.open(ROOK);
    await own.stop();
    await hands.page.locator(".move").nth(1).click();
    await hands.page.waitForSelector("#offline:not([hidden])");
    assert.match(await hands.text("#sentence"), /does not answer/);
    await hands.page.goBack();
    assert.equal(await hands.verdict(), "White mates in 6 moves", "what was seen is still known");
    await hands.page.goForward();
    const again = await startServer({ port: new URL(own.address).port });
    await hands.awaitVerdict(/Draw/);
    assert.ok(await hands.page.isHidden("#offline"));
    await hands.close(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|503/);
    await again.stop();
});

const BOOK = "8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1"; // seven men, only Kf5 wins

test("a blocked-pawn table: verdict, moves and corresponding squares", { timeout: 240000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "trebuchet-page-"));
    execFileSync(join(build, "trebuchet"), ["blocked", "-p", "1", "-t", tables, "--write", folder, BOOK]);
    const solve = ["solve", "-q", "-p", "0", "-t", tables, "--write", folder];
    execFileSync(join(build, "trebuchet"), [...solve, "8/8/1p6/p7/P7/1P2k3/8/4K3 b"]);
    const own = await startServer({ folder });
    const checks = async (hands, name) => {
        const { page } = hands;
        await hands.open(BOOK);
        assert.equal(await hands.verdict(), "White wins");
        assert.match(await hands.text("#note"), /17 plies/);
        assert.deepEqual(await page.locator(".rows .move-san").allTextContents(), ["Kf5"]);
        await page.waitForSelector("#squares:not([hidden])");
        assert.equal(await page.locator(".square-mark").count(), 0, "not asked for yet");
        await page.click("#squares-toggle");
        assert.equal(await hands.text("#squares-toggle"), "Hide");
        await page.waitForSelector("#squares-list li");
        const groups = await page.locator("#squares-list li").allTextContents();
        assert.ok(groups.length >= 8, groups.join());
        assert.ok(
            groups.some((text) => /White: \d+e6, g6.*Black: \d+a6/.test(text)),
            groups.join(),
        );
        assert.ok((await page.locator(".square-mark.filled").count()) >= 14);
        assert.ok((await page.locator(".square-mark.ringed").count()) >= 8);
        const marks = await page.locator(".square-marks").boundingBox();
        const board = await page.locator("#board").boundingBox();
        assert.ok(marks.x >= board.x && marks.x + marks.width <= board.x + board.width);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${wide} pixels too wide`);
        await hands.shot(`squares-${name}`, true);
    };
    for (const [name, options] of [
        ["light", {}],
        ["dark", { colorScheme: "dark" }],
        ["320", { viewport: { width: 320, height: 700 } }],
        ["320-dark", { viewport: { width: 320, height: 700 }, colorScheme: "dark" }],
    ]) {
        const hands = await openPage(browser, own.address, options);
        await checks(hands, name);
        await hands.close();
    }
    const hands = await openPage(browser, own.address);
    const { page } = hands;
    await hands.open(BOOK);
    await page.waitForSelector("#squares:not([hidden])");
    await page.click("#squares-toggle");
    // Moves on the board, from the list, and back: all values come from the table.
    await hands.move("e5", "f5");
    assert.match(await hands.text("#judgement"), /Best move/);
    assert.equal(await hands.verdict(), "White wins");
    await hands.move("a5", "b6");
    await hands.move("f5", "f6");
    await page.waitForFunction(() => /mutual zugzwang/.test(document.getElementById("squares-here").textContent));
    assert.equal(await page.locator(".square-mark.filled").count() > 10, true, "the marks stay");
    await page.click('label:has(input[name="attacker"][value="black"])');
    await page.waitForFunction(() => /^When Black/.test(document.getElementById("squares-rule").textContent));
    await page.check("#hide");
    assert.ok(await page.isHidden("#squares"), "hidden with the answers");
    assert.equal(await page.locator(".square-mark").count(), 0);
    await page.uncheck("#hide");
    // Without a table the page says how to make one.
    await hands.open("8/8/8/2k1p1p1/4P1P1/8/8/4K3 w - - 0 1");
    assert.match(await hands.text("#missing"), /trebuchet blocked --write tables '8\/8/);
    assert.ok(await page.isHidden("#squares"));
    // Without other tables these files are still listed, and a click sets up a position.
    await page.click("#browse-open");
    await page.click('[data-pawns="a3 c4 – a4 c5 c6"]');
    assert.notEqual(await hands.verdict(), "Not known");
    assert.equal(await hands.fen(), "4k3/8/2p5/2p5/p1P5/P7/8/4K3 w - - 0 1");
    await page.click("#browse-open");
    await page.click('[data-pawns="b3 a4 – a5 b6"]');
    assert.equal(await hands.verdict(), "Draw");
    assert.equal(await hands.fen(), "4k3/8/1p6/p7/P7/1P6/8/4K3 w - - 0 1");
    await hands.close();
    await own.stop();
    rmSync(folder, { recursive: true });
});

onPage("corresponding squares are asked for, not forced on anybody", {}, async (hands, page) => {
    const asked = [];
    page.on("request", (request) => /blocked/.test(request.url()) && asked.push(request.url()));
    await hands.open("8/8/8/3Kp3/4Pk2/8/8/8 w - - 0 1");
    assert.match(await hands.verdict(), /Black mates/, "a blocked position that the tables know");
    assert.deepEqual(asked, []);
    await page.click("#squares-toggle");
    await page.waitForFunction(() => /no table for these blocked pawns/.test(document.getElementById("squares-rule").textContent));
    assert.match(await hands.text("#squares-rule"), /trebuchet blocked --write tables '8\/8/);
    await hands.open(ROOK);
    assert.ok(await page.isHidden("#squares"), "not blocked");
});

test("with some tables of an ending the page makes do", { timeout: 240000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "trebuchet-page-"));
    for (const kind of ["wdl", "dtz"])
        symlinkSync(join(tables, `KRvK.${kind}.treb`), join(folder, `KRvK.${kind}.treb`));
    const own = await startServer({ folder });
    const hands = await openPage(browser, own.address);
    await hands.open("1k6/8/8/8/8/8/8/R6K w - - 0 1");
    assert.equal(await hands.text("#sentence"), "White wins");
    assert.ok(await hands.page.isDisabled('.tile input[value="dtm"]'));
    assert.ok(await hands.page.isChecked('.tile input[value="dtz"]'));
    assert.match(await hands.page.getAttribute(".tile", "title"), /KRvK\.dtm\.treb/);
    await hands.page.waitForSelector(".ply.best");
    await hands.page.waitForSelector(".chart");
    await hands.close();
    await own.stop();
    rmSync(folder, { recursive: true });
});

test("without any tables the page says what to do", { timeout: 240000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "trebuchet-page-"));
    const own = await startServer({ folder });
    const hands = await openPage(browser, own.address);
    await hands.open();
    assert.equal(await hands.text("#sentence"), "Not known");
    await hands.page.waitForSelector("#missing code");
    assert.match(await hands.text("#missing"), /^This server has no tables yet/);
    assert.equal(await hands.text("#missing code"), `trebuchet gen --men 4 --tables ${folder}`);
    await hands.move("e6", "d6");
    assert.match(await hands.fen(), / b /, "moves can be played all the same");
    await hands.close();
    await own.stop();
    rmSync(folder, { recursive: true });
});

test("with nothing but Syzygy's files the page works", { timeout: 240000 }, async () => {
    const own = await startServer({ folder: "tests/data/syzygy" });
    const hands = await openPage(browser, own.address);
    const { page } = hands;
    await hands.open("1k6/8/8/8/8/8/8/R6K w - - 0 1");
    assert.match(await hands.verdict(), /^White wins/);
    assert.ok(await page.isDisabled('.tile input[value="dtm"]'));
    assert.ok(await page.isChecked('.tile input[value="dtz"]'));
    await page.waitForSelector(".ply.best");
    assert.match(await page.textContent("body"), /\d+ or \d+ plies/, "what is rounded is said to be");
    const before = await hands.fen();
    await page.click(".ply.best");
    await hands.settled();
    assert.notEqual(await hands.fen(), before);
    assert.match(await hands.verdict(), /White wins/);
    await hands.shot("syzygy");
    await hands.close();
    await own.stop();
});

const PAWNS = "8/8/p3k3/1p6/1P6/P3K3/8/8 w - - 0 1"; // Kf4 and its like lose, all else draws

onPage("a pawn ending without a table is solved, and what moves lead to", { serve: ["--solve", "256MiB"] }, async (hands, page) => {
    await hands.open(PAWNS);
    assert.equal(await hands.verdict(), "Not known");
    await page.click(".solver button");
    await hands.awaitVerdict(/^Draw$/, PATIENCE);
    assert.match(await hands.text("#note"), /^Proved just now; \d+ pawn structures examined\./);
    assert.deepEqual(await page.locator("#moves .group-head h2").allTextContents(), ["Drawing", "Losing"]);
    await hands.shot("solved");
    // After a move the new position is solved as well.
    await page.click('#moves [data-uci="e3f4"]');
    await hands.awaitVerdict(/^Black wins$/, PATIENCE);
    await page.keyboard.press("ArrowLeft");
    await hands.awaitVerdict(/^Draw$/);
    // A reload finds the answer.
    await page.reload();
    await hands.awaitVerdict(/^Draw$/);
});

onPage("a position that takes long to solve is watched, and stopped", { serve: ["--solve", "256MiB"], allow: NOT_FOUND }, async (hands, page) => {
    const job = await playJob(page, "/v1/solve", "solve-x");
    const says = (words) =>
        page.waitForFunction((text) => document.querySelector(".solver")?.textContent.includes(text), words);
    job.says = { state: "waiting", ahead: 2 };
    await hands.open(PAWNS);
    await page.focus(".solver button");
    await page.keyboard.press("Enter");
    await says("Waiting for 2 other jobs.");
    assert.equal(await hands.text(":focus"), "Stop", "the focus is not lost");
    job.says = { state: "running", done: 1002 };
    await says("Solving: 1,002 pawn structures so far.");
    assert.deepEqual(await hands.faults(), []);
    await page.reload();
    await says("Solving: ");
    await page.click(".solver button");
    await says("Solve it");
    while (!job.cancelled) {
        await page.waitForTimeout(20);
    }
    await page.unroute("**/v1/solve");
    await page.route("**/v1/solve", (route) =>
        route.fulfill({ status: 404, json: { error: { code: "off", message: "this server does not solve positions" } } }),
    );
    await page.click(".solver button");
    await says("This server does not solve positions.");
});

test("the mate within the 50-move rule, with the clock that is set", { timeout: 600000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "trebuchet-page-"));
    execFileSync(join(build, "trebuchet"), ["gen", "-q", "--metric", "all5", "-t", folder, "KPvK"]);
    const late = async (place) => {
        const own = await startServer({ folder: place });
        const hands = await openPage(browser, own.address);
        await hands.open("8/6k1/8/5K2/8/8/1P6/8 w - - 0 1");
        assert.equal(await hands.verdict(), "White mates in 15 moves");
        await hands.page.click("#set-up");
        await hands.page.fill("#clock", "99");
        await hands.awaitVerdict(/in 24 moves|wins/);
        const said = [await hands.verdict(), await hands.text("#note"), await hands.fen()];
        await hands.close();
        await own.stop();
        return said;
    };
    const fen = "8/6k1/8/5K2/8/8/1P6/8 w - - 99 1";
    const rule = "White mates in 24 moves within the 50-move rule";
    assert.deepEqual(await late(folder), [rule, "Without the rule, White would mate in 15 moves.", fen]);
    assert.deepEqual(await late(tables), ["White wins", "Without the 50-move rule, White would mate in 15 moves.", fen]);
    rmSync(folder, { recursive: true });
});
