// Tests of the page in Chromium: keys, fingers, sizes, colours, and what axe finds. See browser.mjs.
import assert from "node:assert/strict";

import { KBNK, PATIENCE, ROOK, onPage, server } from "./browser.mjs";

onPage("axe finds no fault: light, dark, narrow, beyond, dialogs", {}, async (hands, page) => {
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
        return page.evaluate(() => {
            const { activeElement: it } = document;
            return it.closest("#drill") ? it.textContent : it.id || it.textContent.trim();
        });
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
