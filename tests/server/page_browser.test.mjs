// Tests of the page in Chromium, against a real server with all tables of 3 and 4 men. Run with node --test;
// TREB_BUILD is the build folder and TREB_TABLES the folder of tables.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { build, openPage, startBrowser, startServer, tables } from "./bench_page.mjs";

const ROOK = "8/5P1k/8/7K/8/8/8/8 w - - 0 1"; // won by promoting to a rook alone
const KBNK = "8/8/8/3k4/8/8/8/KBN5 w - - 0 1";
const NOT_FOUND = /status of 404/;
const PATIENCE = 120000; // what is done in the background gives way to everything else

let server;
let browser;
before(async () => {
    server = await startServer();
    browser = await startBrowser();
});
after(async () => {
    await browser?.close();
    await server?.stop();
});

/**
 * A test with a page of its own. The browser must not complain. A test that runs out of time is repeated once, with a
 * message, as the machine may be busy.
 */
function onPage(name, options, body) {
    const once = async () => {
        const own = options.serve && (await startServer({ more: options.serve }));
        const hands = await openPage(browser, (own || server).address, options.context);
        try {
            await body(hands, hands.page);
        } catch (error) {
            await hands.shot(`failed-${name.replace(/\W+/g, "-")}`).catch(() => {});
            await hands.context.close();
            await own?.stop();
            throw error;
        }
        await hands.close(options.allow).finally(() => own?.stop());
    };
    test(name, { timeout: 600000 }, () =>
        once().catch((error) => {
            if (error.name !== "TimeoutError") throw error;
            console.log(`once more: ${name}: ${error.stack}`);
            return once();
        }),
    );
}

onPage("the first visit: light, quick, with an answer", {}, async (hands, page) => {
    const loads = [];
    page.on("response", (response) => loads.push(response));
    await hands.open();
    assert.match(await hands.verdict(), /^Black mates in \d+ moves$/);
    assert.equal(await page.title(), "Black mates in 15 moves · KPvKP");
    await page.waitForSelector(".shares");
    const paths = loads.map((response) => new URL(response.url()).pathname);
    const files = paths.filter((path) => !path.startsWith("/v1/"));
    assert.deepEqual([...new Set(files)].sort(), ["/", "/app.css", "/app.js", "/favicon.svg"]);
    assert.ok(paths.length <= 10, `${paths.length} requests: ${paths}`);
    let bytes = 0;
    for (const response of loads) bytes += (await response.request().sizes()).responseBodySize;
    console.log(`first visit: ${paths.length} requests, ${bytes} bytes`);
    assert.ok(bytes < 70000, `${bytes} bytes`);
    await hands.shot("light-wide");
    await hands.shot("light-wide-full", true);
});

for (const [width, height] of [
    [1024, 768],
    [1280, 900],
]) {
    onPage(`setting up at ${width} x ${height}`, { context: { viewport: { width, height } } }, async (hands, page) => {
        await hands.open();
        await page.click("#set-up");
        await hands.toTop();
        const bottoms = await page.$$eval("#clear, #done", (all) => all.map((b) => b.getBoundingClientRect().bottom));
        assert.ok(Math.max(...bottoms) < height, "Clear and Done are in view");
    });
}

onPage("setting up by drag, tray, taps and off the board", {}, async (hands, page) => {
    await hands.open();
    await page.click("#set-up");
    await page.click("#clear");
    assert.equal(await hands.fen(), "8/8/8/8/8/8/8/8 w - - 0 1");
    assert.match(await hands.text("#missing"), /White has no king/);
    await hands.settled();
    await hands.drag(await hands.spare("K"), await hands.middle("h5"));
    assert.match(await hands.text("#missing"), /Black has no king/);
    await hands.drag(await hands.spare("k"), await hands.middle("h8"));
    await page.click('.tray [data-man="P"]');
    for (const square of ["f7", "a2"]) await page.mouse.click(...(await hands.middle(square)));
    assert.equal(await hands.fen(), "7k/5P2/8/7K/8/8/P7/8 w - - 0 1");
    await page.click('.tray [data-man="P"]');
    await hands.settled();
    await hands.shot("set-up");
    await hands.move("h8", "h7");
    const [x, y] = await hands.middle("a2");
    await hands.drag([x, y], [x + 900, y]);
    assert.equal(await hands.fen(), ROOK);
    assert.equal(await hands.verdict(), "White mates in 6 moves");
    await page.click('label:has(input[name="turn"][value="b"])');
    assert.equal(await hands.fen(), ROOK.replace(" w ", " b "));
    await page.click("#done");
    assert.ok(await page.isHidden("#set-up-panel"));
});

onPage("FENs: taken, and refused with a reason", { allow: /status of 40[04]/ }, async (hands, page) => {
    await hands.open();
    await hands.type("8/8/8/8/8/8/8 w");
    assert.match(await hands.text("#fen-error"), /8 ranks/);
    assert.match(await hands.verdict(), /Black mates/, "the position stays");
    await hands.type("8/5P1k/8/7K/8/8/8/8_w");
    assert.equal(await hands.verdict(), "White mates in 6 moves");
    assert.equal(await hands.text("#fen-error"), "");
    assert.equal(await hands.fen(), ROOK);
    assert.ok(page.url().endsWith("/?fen=8/5P1k/8/7K/8/8/8/8_w_-_-_0_1"), page.url());
    await hands.type("8/8/8/8/8/8/1Q6/k6K w - - 0 1");
    await page.waitForSelector("#missing:not([hidden])");
    assert.equal(await hands.text("#sentence"), "Not a legal position yet", "Black is in check, White to move");
    assert.ok((await hands.text("#missing")).length > 20);
    await hands.open("8/8/8/nonsense w");
    assert.match(await hands.text("#fen-error"), /address has no valid position/);
});

onPage("best moves from the list lead to mate", {}, async (hands, page) => {
    await hands.open(ROOK);
    assert.deepEqual(await page.locator(".group h2").allTextContents(), ["Winning", "Drawing"]);
    assert.equal(await page.locator(".move").count(), 7);
    assert.equal(await hands.text(".rows .move-san"), "f8=R");
    let plies = 0;
    while (!/Checkmate/.test(await hands.verdict())) {
        assert.ok(plies++ < 11, "mate takes too long");
        await page.locator(".move").first().click();
        assert.match(await hands.text("#judgement"), /Best move/);
    }
    assert.equal(plies, 11);
    assert.equal(await hands.verdict(), "Checkmate. White wins.");
    assert.match(await hands.text("#moves"), /The game is over/);
    assert.equal(await page.locator("#notation .ply.played").count(), 11);
});

onPage("a move is shown when pointed at, and on focus", {}, async (hands, page) => {
    await hands.open(ROOK);
    await page.hover('[data-uci="h5g4"]');
    assert.equal(await page.locator('[data-arrow="h5g4"]').count(), 1);
    await page.mouse.move(5, 5);
    assert.equal(await page.locator("[data-arrow]").count(), 0);
    await page.focus('[data-uci="f7f8r"]');
    assert.equal(await page.locator('[data-arrow="f7f8"].tone-win').count(), 1);
});

onPage("playing on the board, promotion and remarks", {}, async (hands, page) => {
    await hands.open(ROOK);
    await hands.move("h7", "h8");
    assert.equal(await hands.fen(), ROOK, "Black is not to move");
    await hands.move("h5", "h7");
    assert.equal(await hands.fen(), ROOK, "no legal move");
    await hands.drag(await hands.middle("f7"), await hands.middle("f8"));
    await page.waitForSelector("#promotion[open]");
    await page.keyboard.press("Escape");
    assert.equal(await hands.fen(), ROOK);
    await page.mouse.click(...(await hands.middle("f7")));
    const dot = await page.locator(".mark-dot").evaluate((mark) => getComputedStyle(mark).fill);
    assert.match(dot, /^rgb\((\d+), (?!\1)/, "where it can go is marked in the colour of the verdict");
    await page.mouse.click(...(await hands.middle("f8")));
    await page.waitForSelector("#promotion[open]");
    assert.match(await hands.text("#promotion"), /stalemate/);
    await hands.shot("promotion");
    await page.click('[data-promote="q"]');
    assert.equal(await hands.verdict(), "Stalemate. It is a draw.");
    assert.match(await hands.text("#judgement"), /f8=Q: Gives away the win/);
});

onPage("a shared link, Back and Forward", {}, async (hands, page) => {
    await hands.open(KBNK);
    assert.match(await hands.verdict(), /White mates in \d+ moves/);
    const first = await hands.verdict();
    await hands.move("a1", "b2");
    assert.match(page.url(), /\?fen=8\/8\/8\/3k4\/8\/8\/1K6\/1BN5_b_-_-_1_1$/);
    const second = await hands.verdict();
    await page.locator(".move").first().click();
    await hands.settled();
    await page.goBack();
    assert.equal(await hands.verdict(), second);
    assert.equal(await page.locator(".ply.played").count(), 1, "the game comes back, too");
    await page.goBack();
    assert.equal(await hands.verdict(), first);
    assert.equal(await hands.fen(), KBNK);
    await page.goForward();
    assert.equal(await hands.verdict(), second);
    await page.reload();
    assert.equal(await hands.verdict(), second);
});

onPage("the best line is played out, paused, gone through", {}, async (hands, page) => {
    await hands.open(ROOK);
    await page.waitForSelector(".ply.best");
    assert.equal(await page.locator(".ply.best").count(), 11);
    await page.selectOption("#pace", "350");
    await page.click("#play");
    await page.waitForSelector('.ply.played[data-at="3"]');
    await page.click("#play");
    await hands.settled();
    const played = await page.locator(".ply.played").count();
    await page.waitForTimeout(900);
    assert.equal(await page.locator(".ply.played").count(), played, "paused");
    await page.click("#play");
    await hands.awaitVerdict(/Checkmate/);
    await page.waitForSelector('#play[aria-pressed="false"]');
    assert.equal(await page.locator(".ply.played").count(), 11);
    await page.locator("#sentence").click();
    await page.keyboard.press("Home");
    assert.equal(await hands.fen(), ROOK);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await hands.settled();
    assert.equal(
        await hands.text("[aria-current]"),
        (await page.locator(".ply.played").allTextContents())[1],
    );
    await page.click('[data-go="prev"]');
    await page.click('[data-go="last"]');
    assert.match(await hands.verdict(), /Checkmate/);
    await page.locator(".ply.played").first().click();
    assert.equal(await hands.verdict(), "White mates in 5 moves");
});

onPage("the table plays the other side", {}, async (hands, page) => {
    await hands.open(ROOK);
    await page.selectOption("#table-plays", "black");
    await page.check("#hide");
    assert.equal(await hands.verdict(), "White to move");
    assert.ok(await page.isHidden("#metrics"));
    assert.equal(await page.locator(".ply").count(), 0, "no line is given away");
    await page.mouse.click(...(await hands.middle("f7")));
    await page.mouse.click(...(await hands.middle("f8")));
    await page.click('[data-promote="r"]');
    await page.waitForSelector('.ply.played[data-at="2"]');
    assert.match(await hands.text("#judgement"), /f8=R: Best move/);
    await hands.settled();
    assert.match(await hands.fen(), / w /);
    await page.goBack();
    await hands.settled();
    assert.equal(await hands.fen(), ROOK, "Back takes the answer and the move back");
});

onPage("copying PGN, FEN and link", {}, async (hands, page) => {
    await hands.open(ROOK);
    await page.locator(".move").first().click();
    await hands.settled();
    await page.waitForSelector(".ply.best");
    await page.click("#copy-pgn");
    await page.waitForSelector("#toast.shown");
    const pgn = await hands.clipboard();
    assert.match(pgn, /\[SetUp "1"\]\n\[FEN "8\/5P1k\/8\/7K\/8\/8\/8\/8 w - - 0 1"\]/);
    assert.match(
        pgn.replace(/\s+/g, " "),
        /1\. f8=R \{ White mates in 5 moves \} \(1\. f8=R K.* 6\. R\S+#\) \* $/,
    );
    assert.match(pgn, /\[Result "\*"\]/, "the game itself is not over");
    await page.click("#copy-fen");
    assert.equal(await hands.clipboard(), "5R2/7k/8/7K/8/8/8/8 b - - 0 1");
    await page.click("#copy-link");
    assert.equal(await hands.clipboard(), `${server.address}/?fen=5R2/7k/8/7K/8/8/8/8_b_-_-_0_1`);
});

onPage(
    "copying without the clipboard interface",
    { context: { script: "Object.defineProperty(navigator, 'clipboard', { value: undefined })" } },
    async (hands, page) => {
        await hands.open(ROOK);
        await page.click("#copy-fen");
        await page.waitForSelector("#toast.shown");
        assert.equal(await hands.text("#toast"), "FEN copied");
        await page.focus("#ending");
        await page.keyboard.press("Control+V");
        assert.equal(await page.inputValue("#ending"), ROOK);
    },
);

/** Adds advice to the server's answers, as for the owner of the server's machine. */
async function advise(page, advice) {
    await page.route(/\/v1\/probe/, async (route) => {
        const response = await route.fetch();
        const headers = { ...response.headers(), "cache-control": "no-store" };
        await route.fulfill({ response, headers, json: { ...(await response.json()), advice } });
    });
}

onPage("a missing table: the moves, and for the owner the command that makes it", { allow: NOT_FOUND }, async (hands, page) => {
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

onPage("beyond the tables play goes on", { allow: NOT_FOUND }, async (hands, page) => {
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

onPage("a drill: won by hints, slipped, taken back", {}, async (hands, page) => {
    await hands.open("1k6/8/1K6/8/8/8/8/R7 w - - 0 1");
    await page.click("#drill-start");
    await hands.settled();
    assert.match(await hands.text("#drill"), /^Win as White; the shortest way takes 2 moves\. 0 moves made/);
    assert.equal(await hands.text("#sentence"), "White to move", "the answers are hidden");
    assert.equal(await page.locator(".move").count(), 0);
    assert.ok(await page.isDisabled("#play"));
    await hands.move("a1", "b1");
    await page.waitForFunction(() => /1 move made/.test(document.getElementById("drill").textContent));
    await hands.open("1k6/8/1K6/8/8/8/8/R7 w - - 0 1");
    await page.click("#drill-start");
    await hands.settled();
    await page.click('#drill button:has-text("Hint")');
    await page.click('#drill button:has-text("Show the move")');
    assert.equal(await page.locator("[data-arrow]").count(), 1);
    assert.match(await hands.text("#drill"), /with 1 hint/);
    // Giving the rook away loses the win; it can be taken back.
    await hands.move("a1", "a8"); // Kxa8
    await page.waitForSelector('#drill button:has-text("Take back")');
    assert.match(await hands.text("#drill"), /^The win is gone/);
    await page.click('#drill button:has-text("Take back")');
    await hands.settled();
    assert.match(await hands.fen(), / w /);
    await page.click('#drill button:has-text("End the drill")');
    assert.match(await hands.verdict(), /^White mates in 2 moves/);
});

onPage("a game is pasted: stepped through, its blunder marked", {}, async (hands, page) => {
    await hands.open();
    await page.click("#games-open");
    await page.fill("#games-text", '[White "A"]\n[FEN "8/5P1k/8/7K/8/8/8/8 w - - 0 1"]\n\n1. f8=Q *');
    await page.click("#games-read");
    await page.waitForSelector("#games", { state: "hidden" });
    await hands.settled();
    assert.equal(await hands.fen(), ROOK);
    assert.equal(await hands.text(".ply.fault.blunder"), "f8=Q??");
    await page.click('[data-go="next"]');
    await hands.settled();
    assert.match(await hands.text("#judgement"), /^f8=Q: Throws away the win\. f8=R was better\./);
    await page.click("#copy-pgn");
    await page.waitForSelector("#toast.shown");
    assert.match(await hands.clipboard(), /\[White "A"\]/, "whose game it is stays");
    assert.match(await hands.clipboard(), /1\. f8=Q \$4/);
    // With several games the user chooses one. Unreadable games are reported.
    await page.click("#games-open");
    await page.fill("#games-text", '[White "A"]\n\n1. e4 *\n\n[White "B"]\n\n1. d4 d5 *\n');
    await page.click("#games-read");
    await page.click('#games-list button:has-text("B")');
    await hands.settled();
    assert.equal(await page.locator("#notation .ply.played").count(), 2);
    await page.click("#games-open");
    await page.fill("#games-text", "nothing of the kind");
    await page.click("#games-read");
    await page.waitForFunction(() => document.getElementById("games-error").textContent.length > 10);
});

onPage("an ending: by chance, from a bar, from the list", {}, async (hands, page) => {
    await hands.open("8/8/8/3k4/8/8/8/KBN5 w - - 0 1");
    await page.waitForSelector("#random");
    const before = await hands.fen();
    await page.click("#random");
    await page.waitForFunction((old) => document.getElementById("fen").value !== old, before);
    await hands.settled();
    assert.equal(await hands.text(".material-name"), "KBNvK");
    await page.waitForSelector(".chart");
    await page.focus(".chart");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await hands.awaitVerdict(/White mates in 33 moves/);
    await page.click("#browse-open");
    await page.click('[data-ending="KQvKR"]');
    await page.waitForFunction(() => document.querySelector(".material-name")?.textContent === "KQvKR");
});

onPage("mutual zugzwangs: asked for, counted, set up", {}, async (hands, page) => {
    await hands.open("3k4/3p4/8/8/8/3K4/8/8 w - - 0 1"); // Black has the pawn
    await page.waitForSelector('[data-list="zugzwang"]');
    await page.click('[data-list="zugzwang"] button');
    await page.waitForSelector('[data-list="zugzwang"] .thumb', { timeout: PATIENCE });
    assert.equal(await hands.text('[data-list="zugzwang"] .hint'), "80 positions. In all of them White loses if it must move.");
    assert.equal(await page.locator('[data-list="zugzwang"] .thumb').count(), 6);
    await page.click('[data-list="zugzwang"] .gallery-box > button');
    assert.equal(await page.locator('[data-list="zugzwang"] .thumb').count(), 30);
    assert.ok(await page.evaluate(() => document.activeElement.matches(".thumb")), "the focus is on the first of the new ones");
    const thumb = page.locator('[data-list="zugzwang"] .thumb').first();
    assert.match(await thumb.textContent(), /^White loses in 27 moves\. White: king .*Black: /);
    await thumb.click();
    assert.equal(await hands.verdict(), "Black mates in 27 moves");
    assert.match(await hands.fen(), / w /, "who loses is to move");
    // The list is still there after a visit to another ending.
    await hands.open(KBNK);
    await page.waitForSelector('[data-list="zugzwang"] button');
    await page.click('[data-list="longest"] button');
    await page.waitForSelector('[data-list="longest"] .thumb', { timeout: PATIENCE });
    assert.match(await hands.text('[data-list="longest"] .thumb'), /^White wins in 33 moves/);
    await page.click('[data-list="longest"] .thumb');
    assert.equal(await hands.verdict(), "White mates in 33 moves");
    await page.waitForSelector('[data-list="longest"] .thumb');
});

/**
 * A background job that is answered here instead of by the server. Its state stays until the test changes it, so that
 * a slow machine shows it in time.
 */
async function playJob(page, start, job) {
    const play = { says: {}, asked: 0, cancelled: false };
    const answer = () => ({ job: `/v1/jobs/${job}`, ahead: 0, done: 0, total: 0, error: null, result: null, ...play.says });
    await page.route(`**${start}`, (route) => route.fulfill({ json: answer() }));
    await page.route("**/v1/jobs/**", (route) => {
        play.cancelled ||= route.request().method() === "DELETE";
        play.asked++;
        route.fulfill({ json: answer() });
    });
    return play;
}

onPage("a list that takes long is watched, and stopped", { allow: NOT_FOUND }, async (hands, page) => {
    const job = await playJob(page, "/v1/find", "zugzwang-KBNvK");
    const list = '[data-list="zugzwang"]';
    const says = (words) =>
        page.waitForFunction(([at, text]) => document.querySelector(at).textContent.includes(text), [list, words]);
    job.says = { state: "waiting", ahead: 2 };
    await hands.open(KBNK);
    await page.focus(`${list} button`);
    await page.keyboard.press("Enter");
    await says("Waiting for 2 other jobs.");
    assert.equal(await hands.text(":focus"), "Stop", "the focus is not lost");
    job.says = { state: "running", done: 2, total: 200 };
    await says("Checking all positions: 1.0 %");
    assert.equal(await hands.text(":focus"), "Stop", "the focus is not lost");
    assert.equal(await page.locator(`${list} progress`).getAttribute("value"), "2");
    assert.deepEqual(await hands.faults(), []);
    await page.click(`${list} button`);
    assert.equal(await hands.text(`${list} button`), "Find them");
    while (!job.cancelled) {
        await page.waitForTimeout(20);
    }
    const before = job.asked;
    await page.waitForTimeout(1500);
    assert.equal(job.asked, before, "nobody asks any more");
    await page.unroute("**/v1/find");
    await page.route("**/v1/find", (route) =>
        route.fulfill({ status: 404, json: { error: { code: "too_many_men", message: "this server makes no lists" } } }),
    );
    await page.click('[data-list="zugzwang"] button');
    await page.waitForFunction(() => /This server makes no lists\./.test(document.querySelector('[data-list="zugzwang"]').textContent));
});

onPage("rules of thumb: right and wrong, figures, examples", {}, async (hands, page) => {
    await hands.open("8/8/8/8/K7/8/P1k5/8 b - - 0 1");
    await page.waitForSelector("[data-rule]");
    const heads = await page.locator("#rules summary").allTextContents();
    assert.deepEqual(heads, [
        "✗The square of the pawn: a draw: in the square, and nearer to the pawnwrong here",
        "✓King and pawn against king: White wins: looking aheadright",
        "✓A bare king cannot win: Black does not win: a king aloneright",
        "–Key squares: says nothing here",
        "–The opposition: says nothing here",
    ]);
    await page.click('[data-rule="square"] summary');
    assert.match(await hands.text('[data-rule="square"]'), /It applies to 80\.1 % of all positions of KPvK \(132,739\), and is wrong in 4\.3 % of them \(5,740\)\./);
    assert.deepEqual(await page.locator('[data-rule="square"] tbody tr').allTextContents(), [
        "Wonoutside the square49,746> 99.9 %",
        "Lostoutside the square36,81798.4 %",
        "Drawnin the square, and nearer to the pawn46,17688.9 %",
    ]);
    assert.deepEqual(await hands.faults(), []);
    await page.locator('[data-rule="square"] .thumb').first().click();
    assert.equal(await hands.fen(), "K7/P1k5/8/8/8/8/8/8 w - - 0 1");
    assert.equal(await hands.verdict(), "Stalemate. It is a draw.");
    await page.waitForFunction(() => /White wins: outside the square/.test(document.querySelector('[data-rule="square"]').textContent));
    assert.ok(await page.locator('[data-rule="square"]').evaluate((rule) => rule.open && rule.classList.contains("wrong")), "it stays open");
    // With colours exchanged the examples are exchanged as well.
    await page.click("#swap");
    await page.waitForFunction(() => /Black wins: outside the square/.test(document.querySelector('[data-rule="square"]').textContent));
    await page.locator('[data-rule="square"] .thumb').nth(1).click();
    assert.equal(await hands.fen(), "8/8/8/8/8/8/p7/k1K5 b - - 0 1");
    // Hidden answers hide the rules, and endings without rules show none.
    await page.check("#hide");
    assert.ok(await page.isHidden("#rules"));
    await page.uncheck("#hide");
    await page.waitForSelector("#rules:not([hidden])");
    await hands.open("8/8/4k3/8/8/8/3Q4/4K3 w - - 0 1");
    assert.ok(await page.isHidden("#rules"));
});

onPage("same setup, shifted: two maps", {}, async (hands, page) => {
    await hands.open("8/8/8/3k4/8/3KP3/8/8 w - - 0 1");
    await page.click("#shift-toggle");
    await page.waitForSelector(".shift-map");
    assert.equal(await page.locator(".shift-map").count(), 2);
    assert.equal(await page.locator(".shift-cell").count(), 70);
    assert.equal(await page.locator(".shift-map").nth(1).locator(".shift-cell.draw").count(), 29);
    assert.deepEqual(await page.locator("#shift tbody tr").last().locator("th, td").allTextContents(), [
        "In a corner: 2",
        "a draw by Kd2, Ke2, e4+",
        "a draw in 1, White wins in 1",
    ]);
    assert.deepEqual(await hands.faults(), []);
    await page.locator(".shift-map").first().focus();
    assert.equal(await page.getAttribute(":focus", "aria-valuetext"), "King on d3: a draw");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowUp");
    assert.equal(await page.getAttribute(":focus", "aria-valuetext"), "King on c4: a draw");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.getElementById("fen").value === "8/8/2k5/8/2KP4/8/8/8 w - - 0 1");
    await page.waitForFunction(() => document.activeElement.classList.contains("shift-map"));
    await page.locator(".shift-map").nth(1).locator(".shift-cell.white").first().click();
    assert.match(await hands.verdict(), /^White mates in/);
    await hands.shot("shift", true);
    await page.click("#shift-toggle");
    assert.equal(await page.locator(".shift-map").count(), 0);
});

onPage("axe finds no fault: light, dark, narrow, beyond, dialogs", { allow: NOT_FOUND }, async (hands, page) => {
    const check = async (where) => assert.deepEqual(await hands.faults(), [], where);
    await hands.open(KBNK);
    await page.waitForSelector(".chart");
    await check("an answer");
    await page.click("#set-up");
    await check("setting up");
    await page.click("#done");
    await page.click("#browse-open");
    await page.waitForSelector("#browse .chip");
    await check("the list of endings");
    await page.keyboard.press("Escape");
    await page.click("#games-open");
    await check("reading games");
    await page.keyboard.press("Escape");
    await page.click("#drill-start");
    await check("a drill");
    await page.emulateMedia({ colorScheme: "dark" });
    await hands.open(ROOK);
    await check("dark");
    await page.setViewportSize({ width: 320, height: 700 });
    await hands.open("8/2R5/3P4/8/3r4/8/k3p3/4K3 w - - 0 1");
    await check("narrow, and beyond the tables");
});

onPage("the side not to move in check: let it move", { allow: /status of 400/ }, async (hands, page) => {
    await hands.open("8/8/8/8/8/8/1Q6/k6K w - - 0 1");
    assert.equal(await hands.text("#sentence"), "Not a legal position yet");
    assert.match(await hands.text("#missing"), /^Black is in check, but it is White’s move\./);
    await page.click("#missing button");
    assert.match(await hands.verdict(), /White|Draw|Stalemate|Checkmate/);
    assert.match(await hands.fen(), / b /);
});

onPage("the 50-move rule", {}, async (hands, page) => {
    await hands.open(KBNK.replace("0 1", "60 90"));
    assert.equal(await hands.verdict(), "White wins, but the 50-move rule saves Black");
    assert.match(await hands.text("#note"), /60 half-moves/);
    await page.click("#set-up");
    await page.fill("#clock", "0");
    assert.match(await hands.verdict(), /^White mates in/);
});

onPage("metrics, mirror, swap, flip, examples", {}, async (hands, page) => {
    await hands.open(KBNK);
    assert.equal(await page.locator(".tile").count(), 3);
    await page.click('.tile:has(input[value="dtz"])');
    await hands.settled();
    assert.equal(await hands.text(".column.main"), "Zeroing");
    await page.reload();
    await hands.settled();
    assert.equal(await page.locator('.tile input[value="dtz"]').isChecked(), true, "the choice is kept");
    await page.click("#mirror");
    assert.equal(await hands.fen(), "8/8/8/4k3/8/8/8/5NBK w - - 0 1");
    await page.click("#swap");
    assert.equal(await hands.fen(), "5nbk/8/8/8/4K3/8/8/8 b - - 0 1");
    assert.match(await hands.verdict(), /Black mates in/);
    await page.click("#flip");
    await hands.drag(await hands.middle("h8", true), await hands.middle("h7", true));
    await hands.settled();
    assert.match(await hands.fen(), /^5nb1\/7k\//);
    const options = await page.locator("#samples option").count();
    for (let i = 1; i < options; i++) {
        const name = await page.locator("#samples option").nth(i).textContent();
        if (!/60 moves|115 moves|78 moves|Lucena|1983/.test(name)) {
            await page.selectOption("#samples", { index: i });
            assert.match(await hands.verdict(), /mates in|Draw/, name);
        }
    }
});

onPage("the ending: shares, distances, longest wins, smaller endings", {}, async (hands, page) => {
    await hands.open("3K4/8/8/8/8/8/8/6kr b - - 0 1");
    assert.match(await hands.verdict(), /Black mates/);
    await page.waitForSelector(".shares");
    assert.equal(await hands.text(".material-name"), "KRvK");
    const share = await hands.text('.shares[data-turn="white"]');
    assert.match(share, /Black 90\.1 %/, "Black is the stronger side here");
    assert.doesNotMatch(share, /White \d/);
    const here = Number(await page.getAttribute(".chart", "data-here"));
    assert.match(
        await hands.verdict(),
        new RegExp(`in ${here} moves?$`),
        "the mark is where the verdict says",
    );
    assert.match(await hands.text(".readout"), new RegExp(`mate in ${here} move`));
    assert.ok(await page.locator(".bars.black").getAttribute("d"));
    await page.focus(".chart");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    assert.match(await hands.text(".readout"), /Mate in 1 move: Black wins [\d,]+ positions/);
    await page.click(".longest-win");
    assert.equal(await hands.verdict(), "Black mates in 16 moves");
    assert.equal(await page.getAttribute(".chart", "data-here"), "16");
    await hands.open("8/8/8/3Kp3/4Pk2/8/8/8 w - - 0 1");
    await page.click('[data-material="KQvKP"]');
    await page.waitForFunction(() => document.querySelector(".material-name")?.textContent === "KQvKP");
    assert.match(await hands.verdict(), /mates in \d+ moves/);
    await page.fill("#ending", "kbnvk");
    await page.press("#ending", "Enter");
    await page.waitForFunction(() => document.querySelector(".material-name")?.textContent === "KBNvK");
    assert.equal(await hands.verdict(), "White mates in 33 moves");
    await page.locator(".material").scrollIntoViewIfNeeded();
    await hands.shot("material", true);
});

onPage("by keyboard alone", {}, async (hands, page) => {
    await hands.open();
    const tabTo = async (id) => {
        for (let i = 0; i < 80; i++) {
            if (
                await page.evaluate(
                    (name) =>
                        document.activeElement.id === name ||
                        document.activeElement.matches(name.startsWith(".") ? name : "#" + name),
                    id,
                )
            )
                return;
            await page.keyboard.press("Tab");
        }
        assert.fail(`Tab does not lead to ${id}`);
    };
    await tabTo("set-up");
    await page.keyboard.press("Enter");
    await tabTo("clear");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Shift+Tab");
    await page.focus("body");
    await tabTo("board");
    const go = async (square) => {
        for (let i = 0; i < 7; i++)
            for (const key of ["ArrowLeft", "ArrowDown"]) await page.keyboard.press(key);
        for (let i = 0; i < "abcdefgh".indexOf(square[0]); i++) await page.keyboard.press("ArrowRight");
        for (let i = 1; i < square[1]; i++) await page.keyboard.press("ArrowUp");
    };
    for (const [man, square] of [
        ["K", "h5"],
        ["k", "h7"],
        ["P", "f7"],
        ["q", "a1"],
    ]) {
        await go(square);
        await page.keyboard.press(man);
    }
    await page.keyboard.press("Delete").catch(() => {});
    assert.equal(await hands.fen(), ROOK);
    assert.match(await hands.text("#announce"), /a1/);
    await tabTo("done");
    await page.keyboard.press("Enter");
    await hands.settled(); /* moves are known once the answer is there */
    await page.focus("body");
    await tabTo("board");
    await go("f7");
    await page.keyboard.press("Enter");
    assert.match(await hands.text("#announce"), /f7, white pawn picked up/);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#promotion[open]");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await hands.verdict(), "White mates in 5 moves");
    await tabTo(".move");
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.equal(outline, "solid", "focus is seen");
    await page.keyboard.press("Enter");
    assert.equal(await hands.verdict(), "White mates in 5 moves");
});

onPage("by keys alone the focus is never lost", { allow: /status of 40[04]/ }, async (hands, page) => {
    const press = async (selector) => {
        await page.locator(selector).first().focus();
        await page.keyboard.press("Enter");
        await hands.settled();
        return page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim());
    };
    await hands.open("8/8/8/3k4/8/8/2r5/K5Q1 w - - 0 1");
    assert.equal(await press("#drill-start"), "Hint");
    assert.equal(await press("#drill button"), "Show the move");
    assert.equal(await press("#drill button:last-child"), "drill-start");
    assert.match(await press("#moves .move"), /^R/, "the first move of the reply");
    await press('[data-go="first"]');
    assert.equal(await page.evaluate(() => document.activeElement.dataset.go), "next", "the way back");
    assert.match(await press("#notation .ply"), /^Q/);
    await press(".chip:not([aria-disabled])");
    // Wait until the other ending is shown completely.
    await page.waitForFunction(() => document.activeElement.id === "random");
    await hands.open("8/8/8/8/8/8/1Q6/k6K w - - 0 1");
    assert.equal(await press("#missing button"), "verdict");
});

for (const width of [320, 390]) {
    onPage(
        `a phone ${width} pixels wide`,
        {
            context: {
                viewport: { width, height: 700 },
                hasTouch: true,
                isMobile: true,
                deviceScaleFactor: 2,
            },
        },
        async (hands, page) => {
            const fits = async (what) =>
                assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, what);
            await hands.open("1k6/8/2K5/Q7/8/8/8/8 w - - 0 1");
            await page.waitForSelector(".shares");
            await page.locator("#shift-toggle").tap();
            await page.waitForSelector(".shift-map");
            await page.locator('[data-list="zugzwang"] button').tap();
            await page.waitForFunction(
                () => /There are none/.test(document.querySelector('[data-list="zugzwang"]').textContent),
                null,
                { timeout: PATIENCE },
            );
            await fits("the page");
            await hands.shot(`narrow-${width}`);
            await hands.shot(`narrow-${width}-full`, true);
            await page.locator("#set-up").tap();
            await fits("setting up");
            await page.locator('.tray [data-man="N"]').tap();
            await page.touchscreen.tap(...(await hands.middle("h1")));
            await hands.settled();
            assert.match(await hands.fen(), /\/7N w/);
            await page.touchscreen.tap(...(await hands.middle("h1")));
            await page.locator("#done").tap();
            await hands.settled();
            await page.touchscreen.tap(...(await hands.middle("a5")));
            await page.touchscreen.tap(...(await hands.middle("e5")));
            await hands.settled();
            assert.match(await hands.fen(), / b /);
            await page.goBack();
            await hands.settled();
            await hands.swipe(await hands.middle("a5"), await hands.middle("a2"));
            await hands.settled();
            assert.match(await hands.fen(), /\/Q7\/8 b /, "a finger drags men");
            assert.equal(await page.evaluate(() => scrollY), 0, "and does not scroll the page meanwhile");
            await hands.swipe(await hands.middle("h1"), await hands.middle("h6"));
            await page.waitForFunction(() => scrollY > 50);
            await page.goBack();
            await hands.settled();
            const moves = page.locator(".rows .move:visible");
            assert.equal(await moves.count(), 8, "many moves are folded");
            await page.locator(".more").tap();
            assert.ok((await moves.count()) > 20);
            const small = await page.evaluate(() =>
                [...document.querySelectorAll("button, select, input[type=text], header input, .tile, .check, summary")]
                    .filter((element) => {
                        const box = element.getBoundingClientRect();
                        const least = element.matches(".ply") ? 32 : 44; // moves in running text
                        return box.width > 0 && (box.height < least || box.width < 24);
                    })
                    .map((element) => element.outerHTML.slice(0, 80)),
            );
            assert.deepEqual(small, [], "targets are large enough for fingers");
        },
    );
}

onPage(
    "dark as the system asks, and by the button",
    { context: { colorScheme: "dark" } },
    async (hands, page) => {
        const paper = () =>
            page.evaluate(() =>
                getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).map(Number),
            );
        const isDark = async () => Math.max(...(await paper())) < 60;
        await hands.open(KBNK);
        await page.waitForSelector(".shares");
        assert.ok(await isDark());
        await hands.shot("dark-wide");
        await page.setViewportSize({ width: 360, height: 740 });
        await page.waitForTimeout(300);
        await hands.shot("dark-narrow", true);
        await page.click("#theme");
        assert.ok(!(await isDark()), "light when chosen");
        await page.reload();
        await hands.settled();
        assert.ok(!(await isDark()), "and it stays");
        await page.click("#theme");
        assert.ok(await isDark());
    },
);

onPage(
    "little motion for those who want it",
    { context: { reducedMotion: "reduce" } },
    async (hands, page) => {
        await hands.open(ROOK);
        await page.locator(".move").first().click();
        await page.waitForFunction(() => document.querySelector('.pieces g[data-piece="wr"]'));
        const moving = await page.evaluate(
            () => document.getAnimations().filter(({ playState }) => playState === "running").length,
        );
        assert.equal(moving, 0);
    },
);

onPage("a strict Content-Security-Policy is enough", {}, async (hands, page) => {
    const policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";
    await page.route(`${server.address}/?*`, async (route) => {
        const response = await route.fetch();
        await route.fulfill({
            response,
            headers: { ...response.headers(), "content-security-policy": policy },
        });
    });
    await hands.open(ROOK);
    await page.waitForSelector(".chart");
    await page.hover(".move");
    await page.click("#set-up");
    await hands.drag(await hands.spare("N"), await hands.middle("a1"));
    await page.click("#done");
    await page.locator(".move").first().click();
    await hands.settled();
    assert.match(await hands.verdict(), /mates/);
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
        await hands.close(NOT_FOUND);
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
    await hands.close(NOT_FOUND);
    await own.stop();
    rmSync(folder, { recursive: true });
});

onPage("corresponding squares are asked for, not forced on anybody", { allow: NOT_FOUND }, async (hands, page) => {
    const asked = [];
    page.on("request", (request) => /blocked/.test(request.url()) && asked.push(request.url()));
    await hands.open();
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
    assert.equal(await hands.text("#missing code"), "trebuchet gen --men 4");
    await hands.move("d5", "c5");
    assert.match(await hands.fen(), / b /, "moves can be played all the same");
    await hands.close(NOT_FOUND);
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

onPage("advice that plays: one sees which it follows, to the mate", {}, async (hands, page) => {
    await hands.open("8/8/8/8/3R4/8/2k5/K7 w - - 0 1");
    await page.waitForSelector('[data-strategy="king-and-rook"]');
    assert.match(await hands.text(".strategy-here"), /^Rb4 – divide in 2$/);
    assert.match(await hands.text("#advice"), /It wins from every won position, against any defence, in at most 33 moves; best play needs 16\./);
    assert.deepEqual(await hands.faults(), []);
    await page.selectOption("#pace", "350");
    await page.selectOption("#table-plays", "black");
    await page.click('[data-strategy="king-and-rook"] button');
    // The strategy keeps to its tree: the game is that of `trebuchet play`, up to mate.
    await page.waitForFunction(() => /Checkmate/.test(document.querySelector("#verdict").textContent), null, { timeout: 120000 });
    assert.equal(await page.locator(".ply.played").last().textContent(), "Rf8#");
    assert.equal(await page.locator(".ply.played").count(), 61);
    assert.deepEqual((await page.locator(".advice-log li").allTextContents()).slice(0, 2), ["Rf8# – mate in 2", "Kg6 – mate in 2"]);
    // With colours exchanged, from the middle of a game; then stopped.
    await hands.open("8/8/8/7K/8/4q3/8/k7 b - - 0 1");
    await page.waitForSelector('[data-strategy="king-and-queen"]');
    assert.equal(await page.locator('[data-strategy="king-and-queen"] button').textContent(), "Let it play Black");
    assert.equal(await page.locator('[data-strategy="king-and-queen"] button').getAttribute("aria-pressed"), "false");
    await page.click('[data-strategy="king-and-queen"] button');
    await page.waitForSelector('.ply.played[data-at="1"]');
    assert.match(await hands.text(".strategy-here"), /This method plays Black; the other side is to move\./);
    await page.click('[data-strategy="king-and-queen"] button');
    // Hidden answers hide the strategies, and endings without strategies show none.
    await page.check("#hide");
    assert.ok(await page.isHidden("#advice"));
    await page.uncheck("#hide");
    await page.waitForSelector("#advice:not([hidden])");
    await hands.open("8/8/8/8/K7/8/P1k5/8 b - - 0 1");
    await page.waitForSelector("[data-rule]");
    assert.ok(await page.isHidden("#advice"));
});

const PAWNS = "8/8/p3k3/1p6/1P6/P3K3/8/8 w - - 0 1"; // Kf4 and its like lose, all else draws

onPage("a pawn ending without a table is solved, and what moves lead to", { serve: ["--solve", "256MiB"], allow: NOT_FOUND }, async (hands, page) => {
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
