// Tests of the page in Chromium: setting up, FENs, moves, games, links and copies. See browser.mjs.
import assert from "node:assert/strict";

import { KBNK, ROOK, onPage, server } from "./browser.mjs";

onPage("the first visit: light, quick, with an answer", {}, async (hands, page) => {
    const loads = [];
    page.on("response", (response) => loads.push(response));
    await hands.open();
    assert.equal(await hands.verdict(), "White mates in 11 moves");
    assert.equal(await page.title(), "White mates in 11 moves · KPvK");
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
    assert.match(await hands.verdict(), /White mates in 11/, "the position stays");
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
    assert.equal(await page.locator(".ply.played").count(), 2, "what was played stays");
    assert.equal(await hands.text("[aria-current]"), "Kb2");
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

onPage("a drill: won by hints, slipped, taken back", {}, async (hands, page) => {
    await hands.open("1k6/8/1K6/8/8/8/8/R7 w - - 0 1");
    await page.click("#drill-start");
    await hands.settled();
    assert.match(await hands.text("#drill"), /Win as White; the shortest way takes 2 moves\. 0 moves made/);
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
    await page.waitForSelector('#drill button:has-text("Try again")');
    assert.match(await hands.text("#drill"), /The win is gone/);
    await page.click('#drill button:has-text("Take back")');
    await hands.settled();
    assert.match(await hands.fen(), / w /);
    assert.match(await hands.text("#drill"), /with 1 hint and 1 move taken back/);
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
    assert.equal(await hands.fen(), "5Q2/7k/8/7K/8/8/8/8 b - - 0 1", "it opens at the blunder");
    assert.equal(await hands.text("[aria-current].fault.blunder"), "f8=Q??");
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

onPage("the side not to move in check: let it move", { allow: /status of 400/ }, async (hands, page) => {
    await hands.open("8/8/8/8/8/8/1Q6/k6K w - - 0 1");
    assert.equal(await hands.text("#sentence"), "Not a legal position yet");
    assert.match(await hands.text("#missing"), /^Black is in check, but it is White’s move\./);
    await page.click("#missing button");
    assert.match(await hands.verdict(), /White|Draw|Stalemate|Checkmate/);
    assert.match(await hands.fen(), / b /);
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
    // Examples that no table here covers are grey.
    await page.click("#samples");
    await page.waitForSelector("#browse .thumb");
    const names = await page.locator("#browse .thumb .thumb-caption").allTextContents();
    const grey = names.filter((name) => /no table here/.test(name));
    assert.equal(await page.locator("#browse .thumb:disabled").count(), grey.length);
    assert.ok(grey.length === 6 && grey.every((name) => /60 moves|115 moves|78 moves|Lucena|third rank|1983/.test(name)), grey.join());
    await hands.shot("examples");
    await page.keyboard.press("Escape");
    for (const name of names.filter((text) => !grey.includes(text))) {
        await page.click("#samples");
        await page.click(`#browse .thumb:has-text("${name}")`);
        assert.match(await hands.verdict(), /mates in|Draw/, name);
    }
});
