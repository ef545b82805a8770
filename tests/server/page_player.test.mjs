// The page in Chromium as a player uses it: games with variations, drills, phones, setting up. See browser.mjs.
import assert from "node:assert/strict";

import { KBNK, ROOK, onPage } from "./browser.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

/** The place of an element in the window. One step: $eval finds the element first, and the page may replace it then. */
const boxOf = (page, selector) =>
    page.evaluate((where) => {
        const { left, top, right, bottom, width } = document.querySelector(where).getBoundingClientRect();
        return { left, top, right, bottom, width };
    }, selector);

async function assertInView(page, selector, what = selector) {
    const { top, bottom } = await boxOf(page, selector);
    const height = await page.evaluate(() => innerHeight);
    assert.ok(top >= -1 && bottom <= height + 1, `${what} is in view: ${top} to ${bottom} of ${height}`);
}

onPage("a promotion is tapped with a finger", { context: PHONE }, async (hands, page) => {
    // The dialog opens in the middle of the window; from one of these squares the finger is on it, from the other not.
    for (const [fen, from, to, after] of [
        [ROOK, "f7", "f8", "5R2/7k/8/7K/8/8/8/8 b - - 0 1"],
        ["8/8/8/8/7k/8/3p3K/8 b - - 0 1", "d2", "d1", "8/8/8/8/7k/8/7K/3r4 w - - 0 2"],
    ]) {
        await hands.open(fen);
        await hands.tap(await hands.middle(from));
        await hands.tap(await hands.middle(to));
        await page.waitForSelector("#promotion[open]");
        // The browser's click of the tap comes after the pointer events.
        await page.evaluate(() => new Promise((done) => setTimeout(done, 400)));
        assert.equal(await hands.fen(), fen, "nothing is chosen yet");
        assert.ok(await page.isVisible("#promotion"), "the dialog stays open");
        const { left, top, right, bottom } = await boxOf(page, '[data-promote="r"]');
        await hands.tap([(left + right) / 2, (top + bottom) / 2]);
        await page.waitForFunction((wanted) => document.getElementById("fen").value === wanted, after);
    }
    // A tap beside the dialog closes it.
    await hands.open(ROOK);
    await hands.tap(await hands.middle("f7"));
    await hands.tap(await hands.middle("f8"));
    await page.waitForSelector("#promotion[open]");
    await hands.tap([20, 800]);
    await page.waitForSelector("#promotion", { state: "hidden" });
    assert.equal(await hands.fen(), ROOK);
});

onPage("on a phone the board and the controls are in view together", { context: PHONE }, async (hands, page) => {
    await hands.open("8/8/8/3Kp3/4Pk2/8/8/8 w - - 0 1");
    const both = async (what) => {
        await assertInView(page, "#board", `the board, ${what}`);
        await assertInView(page, ".transport", `the controls, ${what}`);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, what);
    };
    await both("at first");
    await page.waitForSelector(".shares");
    for (const place of [500, 1200, 99999]) {
        await page.evaluate((y) => scrollTo(0, y), place);
        await both(`scrolled to ${place}`);
    }
    await page.evaluate(() => scrollTo(0, 0));
    await page.locator("#squares-toggle").tap();
    await assertInView(page, "#board", "the board with the squares");
    // Nothing pushes a drill's controls away while one plays.
    await hands.open("8/8/8/8/8/4k3/4r3/K7 b - - 0 1");
    await page.locator("#drill-start").tap();
    await hands.settled();
    await assertInView(page, "#hint");
    await assertInView(page, "#take-back");
    await page.evaluate(() => scrollTo(0, 0));
    const before = await boxOf(page, "#hint");
    await page.locator("#hint").tap();
    await page.locator("#hint").tap();
    assert.equal((await boxOf(page, "#hint")).top, before.top);
    await hands.drag(await hands.middle("e3", true), await hands.middle("d3", true));
    await page.waitForFunction(() => /1 move made/.test(document.getElementById("drill").textContent));
    assert.equal((await boxOf(page, "#take-back")).top, before.top, "a remark does not push them");
    await assertInView(page, "#take-back");
});

onPage("low windows: what Show shows is scrolled to", { context: { viewport: { width: 700, height: 420 } } }, async (hands, page) => {
    await hands.open("8/8/8/3Kp3/4Pk2/8/8/8 w - - 0 1");
    await page.locator("#squares-toggle").scrollIntoViewIfNeeded();
    await page.evaluate(() => scrollBy(0, 300));
    assert.ok((await boxOf(page, "#board")).top < 0, "the board is out of view");
    await page.$eval("#squares-toggle", (button) => button.click());
    await assertInView(page, "#board");
});

onPage("while the table plays, back goes to the player's own turn", {}, async (hands, page) => {
    await hands.open(KBNK);
    await page.selectOption("#pace", "350");
    await page.selectOption("#table-plays", "black");
    await hands.move("a1", "b2");
    await page.waitForSelector('.ply.played[data-at="2"]');
    const second = await hands.fen();
    await hands.move("b2", "a3");
    await page.waitForSelector('.ply.played[data-at="4"]');
    await page.click('[data-go="prev"]');
    await hands.settled();
    assert.equal(await hands.fen(), second, "two plies back");
    await page.click('[data-go="prev"]');
    await hands.settled();
    assert.equal(await hands.fen(), KBNK);
    await page.click('[data-go="next"]');
    await hands.settled();
    assert.equal(await hands.fen(), second, "and two plies on");
    // Another move, or the same one again, is answered; a place chosen in the list is not left.
    await hands.move("b2", "c2");
    await page.waitForSelector('.ply.played[data-at="6"]');
    await page.click('[data-go="prev"]');
    await hands.settled();
    await hands.move("b2", "a3");
    await page.waitForFunction(() => document.querySelector('.ply.played[data-at="4"]')?.getAttribute("aria-current"));
    await page.click('.ply.played[data-at="3"]');
    await hands.settled();
    await page.waitForTimeout(900);
    assert.match(await hands.fen(), / b /, "the table waits");
});

const GAME = `[White "Réti"]
[FEN "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1"]

1. Kd3 Kd5 2. e3 Ke5 3. e4 Ke6 4. Kd4 Kd6 5. e5+ Ke6 6. Ke4 Ke7 *
`;

onPage("a pasted game stays as it is while one explores", {}, async (hands, page) => {
    await hands.open();
    await page.click("#games-open");
    await page.fill("#games-text", GAME);
    await page.click("#games-read");
    await page.waitForSelector("#games", { state: "hidden" });
    await hands.settled();
    assert.equal(await page.locator(".ply.played").count(), 12);
    assert.ok(await page.isHidden("#aside"));
    await page.click('.ply.played[data-at="4"]');
    await hands.settled();
    const place = await hands.fen();
    await hands.move("d3", "c4");
    await hands.move("e5", "e4");
    assert.equal(await page.locator(".ply.played").count(), 14, "the game and the variation");
    assert.match((await hands.text(".aside")).replace(/\s+/g, ""), /^3\.Kc4Ke4$/);
    assert.equal(await hands.text("#aside-back"), "Back to the game");
    await hands.shot("variation");
    assert.deepEqual(await hands.faults(), []);
    await page.click("#aside-back");
    await hands.settled();
    assert.equal(await hands.fen(), place);
    assert.equal(await page.locator(".aside").count(), 1, "the variation stays");
    await page.click('[data-go="last"]');
    await hands.settled();
    assert.equal(await hands.text("[aria-current]"), "Ke7");
    await page.click("#copy-pgn");
    await page.waitForSelector("#toast.shown");
    assert.match((await hands.clipboard()).replace(/\s+/g, " "), /3\. e4 \(3\. Kc4 Ke4\) 3\.\.\. Ke6/);
    // Back in the browser's history loses nothing, either.
    await page.goBack();
    await hands.settled();
    assert.equal(await page.locator(".ply.played").count(), 14);
    await page.click(".aside .ply >> nth=1");
    await hands.settled();
    await page.click("#aside-delete");
    await hands.settled();
    assert.equal(await page.locator(".ply.played").count(), 12);
    assert.equal(await hands.fen(), place);
    // A drill from a place of the game leads back to it.
    await page.click("#drill-start");
    await hands.settled();
    await page.click('#drill button:has-text("End the drill")');
    await hands.settled();
    assert.equal(await page.locator(".ply.played").count(), 12);
});

onPage("in a drill that holds a draw the table tries to win", {}, async (hands, page) => {
    // The player answers as the server advises; meanwhile no position may come twice, and the pawn must go on.
    await hands.open("8/4k3/8/8/4K3/4P3/8/8 b - - 0 1");
    await page.selectOption("#pace", "350");
    await page.click("#drill-start");
    await hands.settled();
    assert.match(await hands.text("#drill"), /Hold the draw as Black for 25 moves/);
    const places = new Set();
    let hard = 0;
    for (let move = 1; move <= 8 && (await page.isVisible("#hint")); move++) {
        const { moves } = await (await fetch(`${hands.address}/v1/probe?fen=${encodeURIComponent(await hands.fen())}`)).json();
        const holding = moves.filter(({ verdict }) => verdict === "draw");
        hard += holding.length === 1 && moves.length > 1;
        const { uci } = holding[0];
        await page.mouse.click(...(await hands.middle(uci.slice(0, 2), true)));
        await page.mouse.click(...(await hands.middle(uci.slice(2, 4), true)));
        await page.waitForSelector(`.ply.played[data-at="${2 * move}"]`);
        await hands.settled();
        const place = (await hands.fen()).split(" ")[0];
        assert.ok(!places.has(place), `${place} comes twice`);
        places.add(place);
    }
    assert.ok(hard >= 3, `only ${hard} moves were hard to find`);
    assert.ok([...places].some((place) => !/4P3\/8\/8$/.test(place)), "the pawn goes on");
});

onPage("setting up: the board stays, undo, right click, castling, Escape", { context: { viewport: { width: 1280, height: 720 } } }, async (hands, page) => {
    const start = "4k2r/8/8/8/8/8/8/R3K3 w - - 0 1";
    await hands.open(start);
    const before = await boxOf(page, "#board");
    const fen = await boxOf(page, "#fen");
    await page.keyboard.press("e");
    await page.waitForSelector("#set-up-panel:not([hidden])");
    assert.deepEqual(await boxOf(page, "#board"), before, "the board stays where it is");
    assert.deepEqual(await boxOf(page, "#fen"), fen, "and the FEN");
    await assertInView(page, "#fen");
    await assertInView(page, "#tray-bottom");
    assert.ok(await page.isDisabled("#undo"));
    await page.keyboard.press("r");
    await page.keyboard.press("d");
    assert.equal(await hands.fen(), start);
    assert.ok(await page.isVisible("#set-up-panel"), "keys beside the board change nothing");
    // Castling can be chosen where king and rook are at home.
    assert.deepEqual(await page.locator("#castling label").allTextContents(), ["White O-O-O", "Black O-O"]);
    await page.check('[data-right="Q"]');
    await page.check('[data-right="k"]');
    assert.equal(await hands.fen(), start.replace("- -", "Qk -"));
    await hands.settled();
    await page.mouse.click(...(await hands.middle("a1")), { button: "right" });
    assert.equal(await hands.fen(), "4k2r/8/8/8/8/8/8/4K3 w k - 0 1", "the rook is gone, and its right to castle");
    await page.keyboard.press("Control+z");
    assert.equal(await hands.fen(), start.replace("- -", "Qk -"));
    await page.click("#undo");
    await page.click("#undo");
    assert.equal(await hands.fen(), start);
    assert.ok(await page.isDisabled("#undo"));
    await page.click('.tray [data-man="N"]');
    await page.keyboard.press("Escape");
    assert.ok(await page.isVisible("#set-up-panel"), "the first Escape puts the man back");
    await page.keyboard.press("Escape");
    assert.ok(await page.isHidden("#set-up-panel"));
});

onPage("the first screen: what this is, a verdict, no cross", {}, async (hands, page) => {
    await hands.open();
    assert.equal(await hands.verdict(), "White mates in 11 moves");
    assert.match(await hands.text(".motto"), /^Chess endings: who wins, in how many moves/);
    await assertInView(page, ".motto");
    await page.waitForSelector("[data-rule]");
    assert.equal(await page.locator(".rule.wrong").count(), 0);
    assert.ok(await page.isHidden(".rule.silent"), "rules that say nothing are folded away");
    await page.click(".silent-rules > summary");
    assert.ok(await page.isVisible(".rule.silent"));
    await page.setViewportSize({ width: 390, height: 844 });
    await assertInView(page, ".motto", "on a phone");
    await assertInView(page, "#sentence", "the verdict on a phone");
});

onPage("the field of endings understands words, and the list has small boards", {}, async (hands, page) => {
    await hands.open();
    const goTo = async (text, name) => {
        await page.fill("#ending", text);
        await page.press("#ending", "Enter");
        await page.waitForFunction((wanted) => document.querySelector(".material-name")?.textContent === wanted, name);
    };
    await goTo("rook and pawn v king", "KRPvK");
    await goTo("Q vs R", "KQvKR");
    await goTo("saavedra", "KRvKP");
    assert.match(await hands.fen(), /^8\/8\/1KP5\/3r4/);
    await page.click("#browse-open");
    assert.deepEqual(await page.locator("#browse h3").allTextContents(), ["Pawn endings", "Rook endings", "Queen endings", "Minor pieces"]);
    assert.equal(await page.locator('#browse [data-ending="KBNvK"] .mini').count(), 1);
    assert.deepEqual(await hands.faults(), []);
    await hands.shot("endings");
    await page.click('#browse [data-ending="KBNvK"]');
    await page.waitForFunction(() => document.querySelector(".material-name")?.textContent === "KBNvK");
});

onPage("arrows and rings are drawn, and the other small things", {}, async (hands, page) => {
    await hands.open(KBNK);
    const draw = async (from, to) => {
        await page.mouse.move(...(await hands.middle(from)));
        await page.mouse.down({ button: "right" });
        await page.mouse.move(...(await hands.middle(to)), { steps: 3 });
        await page.mouse.up({ button: "right" });
    };
    await draw("a1", "c3");
    await draw("d5", "d5");
    assert.equal(await page.locator('[data-arrow="a1c3"]').count(), 1);
    assert.equal(await page.locator(".mark-drawn").count(), 1);
    await page.hover('[data-uci="a1b2"]');
    assert.equal(await page.locator("[data-arrow]").count(), 2, "a move is shown beside it");
    await page.mouse.move(5, 5);
    await draw("a1", "c3");
    assert.equal(await page.locator("[data-arrow]").count(), 0, "drawn again it is removed");
    await draw("a1", "c3");
    await page.mouse.click(...(await hands.middle("h8")));
    assert.equal(await page.locator("[data-arrow], .mark-drawn").count(), 0, "a click removes all");
    assert.equal(await page.getAttribute("#lichess", "href"), "https://lichess.org/analysis/standard/8/8/8/3k4/8/8/8/KBN5_w_-_-_0_1");
    // All keys are listed.
    await page.keyboard.press("?");
    await page.waitForSelector("#keys[open]");
    assert.match(await hands.text("#keys"), /hint, take back/);
    assert.deepEqual(await hands.faults(), []);
    await page.keyboard.press("Escape");
    // A longer bar does not look better: it is a thin line in grey.
    const bar = await page.evaluate(() => {
        const move = document.querySelector(".rows .move");
        const { height, backgroundColor } = getComputedStyle(move, "::before");
        return { height, grey: backgroundColor === getComputedStyle(document.querySelector(".move-other")).color };
    });
    assert.deepEqual(bar, { height: "2px", grey: true });
    // Drills by keys; as Black from below.
    await hands.open("8/8/8/8/8/4k3/4r3/K7 b - - 0 1");
    await page.keyboard.press("d");
    await page.waitForSelector("#drill:not([hidden])");
    // Black is below.
    await page.waitForFunction(() => document.querySelectorAll(".coordinate")[1].textContent.trim() === "1");
    await page.keyboard.press("h");
    await page.waitForFunction(() => /Move the king on e3/.test(document.getElementById("drill").textContent));
    await hands.drag(await hands.middle("e3", true), await hands.middle("d3", true));
    await page.waitForSelector('.ply.played[data-at="2"]');
    await hands.settled();
    await page.keyboard.press("u");
    await page.waitForFunction(() => /taken back/.test(document.getElementById("drill").textContent));
    assert.match(await hands.fen(), /4k3\/4r3\/K7 b/);
    // Best play that is grey says why.
    await hands.open("8/8/8/8/4k3/8/4P3/4K3 b - - 0 1");
    await page.click("#play", { force: true });
    await page.waitForSelector("#toast.shown");
    assert.match(await hands.text("#toast"), /^No best play in a draw/);
    assert.match(await page.getAttribute("#play", "title"), /^No best play in a draw/);
});

onPage("Chess960 is refused by name", { allow: /status of 400/ }, async (hands, page) => {
    await hands.open();
    await hands.type("1k5r/8/8/8/8/8/8/1K5R w Hh - 0 1");
    assert.match(await hands.text("#fen-error"), /those of Chess960, which is not supported/);
    assert.match(await hands.verdict(), /White mates in 11/);
});
