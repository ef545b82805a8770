// Tests of the page in Chromium: what it says of an ending: figures, lists, rules of thumb, advice, other places.
// See browser.mjs.
import assert from "node:assert/strict";

import { KBNK, NOT_FOUND, PATIENCE, onPage, playJob } from "./browser.mjs";

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
    // A list is still there after one of its positions is set up. The server makes lists with the lowest priority, so
    // a small ending is asked for.
    await hands.open("8/8/8/3k4/8/8/8/KR6 w - - 0 1");
    await page.waitForSelector('[data-list="zugzwang"] button');
    await page.click('[data-list="longest"] button');
    await page.waitForSelector('[data-list="longest"] .thumb', { timeout: PATIENCE });
    assert.match(await hands.text('[data-list="longest"] .thumb'), /^White wins in 16 moves/);
    await page.click('[data-list="longest"] .thumb');
    assert.equal(await hands.verdict(), "White mates in 16 moves");
    await page.waitForSelector('[data-list="longest"] .thumb');
});

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
        "2 rules say nothing here",
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
