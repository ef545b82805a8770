// What the page's tests in Chromium share: a real server with all tables of 3 and 4 men, a real browser, and actions on
// the page. TREB_BUILD is the build folder and TREB_TABLES the folder of tables. Each file of tests starts a server and a
// browser of its own, so that files can run side by side:
//     node --test --test-name-pattern='drill' tests/server/page_board.test.mjs
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";

export const build = resolve(process.env.TREB_BUILD || "build");
export const tables = resolve(process.env.TREB_TABLES || join(build, "test", "tables"));
const fromPage = createRequire(join(build, "page/package.json"));
const { chromium } = fromPage("playwright-core");
const shots = join(build, "page/shots");
mkdirSync(shots, { recursive: true });

export const ROOK = "8/5P1k/8/7K/8/8/8/8 w - - 0 1"; // won by promoting to a rook alone
export const KBNK = "8/8/8/3k4/8/8/8/KBN5 w - - 0 1";
export const NOT_FOUND = /status of 404/;
export const PATIENCE = 120000; // what is done in the background gives way to everything else

/** Starts `trebuchet serve` and waits for its address; port 0 takes a free one. */
export async function startServer({ port = 0, folder = tables, more = [] } = {}) {
    const args = ["serve", "--quiet", "--port", String(port), "--tables", folder, ...more];
    const child = spawn(join(build, "trebuchet"), args, { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    const address = await new Promise((done, fail) => {
        const late = setTimeout(() => fail(new Error(`no address within 20 s: ${said}`)), 20000);
        const read = (chunk) => {
            said += chunk;
            const found = said.match(/http:\/\/[\d.]+:\d+/);
            if (found) done((clearTimeout(late), found[0]));
        };
        child.stdout.on("data", read);
        child.stderr.on("data", read);
        child.on("exit", (code) => fail(new Error(`the server ended with ${code}: ${said}`)));
    });
    const stop = () =>
        new Promise((done) =>
            child.exitCode === null ? (child.on("exit", done), child.kill("SIGTERM")) : done(),
        );
    return { address, stop };
}

// The headless shell draws no windows and takes half the time.
const browsers = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

export const startBrowser = () =>
    chromium.launch({
        executablePath: process.env.CHROMIUM || browsers.find(existsSync),
        args: process.getuid() === 0 ? ["--no-sandbox"] : [],
    });

/** A page that collects all complaints of the browser, except those that the test expects: `allow`. */
export async function openPage(browser, address, options = {}) {
    const { script, ...contextOptions } = options;
    const context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        permissions: ["clipboard-read", "clipboard-write"],
        ...contextOptions,
    });
    if (script) await context.addInitScript(script);
    const page = await context.newPage();
    page.setDefaultTimeout(30000);
    const complaints = [];
    page.on("console", (message) => {
        // On a slow machine the board's library warns about a man that is removed while it still moves.
        const ofTheBoard = /without parentNode$/.test(message.text());
        if (/error|warning/.test(message.type()) && !ofTheBoard) complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => complaints.push(error.stack));
    page.on("request", (request) => {
        if (!request.url().startsWith(address)) complaints.push(`asks elsewhere: ${request.url()}`);
    });
    return new Hands(page, context, address, complaints);
}

export class Hands {
    constructor(page, context, address, complaints) {
        Object.assign(this, { page, context, address, complaints });
    }

    async open(fen) {
        await this.page.goto(this.address + (fen ? `/?fen=${fen.replaceAll(" ", "_")}` : "/"));
        await this.settled();
    }

    /** Waits until the answer for the position on the board has arrived, and no man moves. */
    async settled() {
        await this.page.waitForFunction(
            () => document.querySelector(".answer").getAttribute("aria-busy") === "false",
        );
        await this.page.waitForFunction(
            () => {
                const now = JSON.stringify(
                    [...document.querySelectorAll(".pieces g")].map((man) => man.getAttribute("transform")),
                );
                const still = window.lastMen === now;
                window.lastMen = now;
                return still;
            },
            null,
            { polling: 60 },
        );
    }

    text(selector) {
        return this.page.locator(selector).first().textContent();
    }

    async verdict() {
        await this.settled();
        return this.text("#sentence");
    }

    /** Waits for a verdict that changes without an action of the test. */
    awaitVerdict(pattern, timeout = 30000) {
        return this.page.waitForFunction(
            ([source]) => new RegExp(source).test(document.getElementById("sentence").textContent),
            [pattern.source],
            { timeout },
        );
    }

    fen() {
        return this.page.inputValue("#fen");
    }

    /** Scrolls to the top of the page, with the board and its trays, so that measured places stay valid. */
    toTop() {
        return this.page.evaluate(() => scrollTo(0, 0));
    }

    async middle(square, flipped = false) {
        await this.toTop();
        const box = await this.page.locator("#board").boundingBox();
        const side = box.width / 8;
        let [file, row] = ["abcdefgh".indexOf(square[0]), 8 - square[1]];
        if (flipped) [file, row] = [7 - file, 7 - row];
        return [box.x + (file + 0.5) * side, box.y + (row + 0.5) * side];
    }

    async drag(from, to) {
        const { mouse } = this.page;
        await mouse.move(...from);
        await mouse.down();
        await mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, { steps: 4 });
        await mouse.move(...to, { steps: 4 });
        await mouse.up();
    }

    async move(from, to) {
        await this.drag(await this.middle(from), await this.middle(to));
        await this.settled().catch(() => {});
    }

    async spare(man) {
        await this.toTop();
        const box = await this.page.locator(`.tray [data-man="${man}"]`).boundingBox();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }

    async type(fen) {
        await this.page.fill("#fen", fen);
        await this.page.press("#fen", "Enter");
    }

    /** A tap of a finger, with the click that the browser makes of it. */
    async tap([x, y]) {
        const cdp = await this.context.newCDPSession(this.page);
        await cdp.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
        await cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
        await cdp.detach();
    }

    /** Moves a finger from one place to another. */
    async swipe(from, to) {
        const cdp = await this.context.newCDPSession(this.page);
        const send = (type, ...points) =>
            cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
        await send("touchStart", from);
        for (let step = 1; step <= 8; step++)
            await send(
                "touchMove",
                from.map((start, i) => start + ((to[i] - start) * step) / 8),
            );
        await send("touchEnd");
        await cdp.detach();
    }

    /** The faults that axe finds on the current page: ids of rules, and places. */
    async faults() {
        const { source } = fromPage("axe-core");
        return this.page.evaluate(async (script) => {
            // It cannot be a script of the page because of the Content-Security-Policy.
            if (!globalThis.axe) new Function(script).call(globalThis);
            // Ignore colours during a transition.
            await Promise.allSettled(document.getAnimations().map((animation) => animation.finished));
            const { violations } = await axe.run(document, { resultTypes: ["violations"] });
            return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
        }, source);
    }

    clipboard() {
        return this.page.evaluate(() => navigator.clipboard.readText());
    }

    shot(name, fullPage = false) {
        return this.page.screenshot({ path: join(shots, `${name}.png`), fullPage });
    }

    async close(allow = /^$/) {
        await this.context.close();
        assert.deepEqual(
            this.complaints.filter((text) => !allow.test(text)),
            [],
            "the browser complains",
        );
    }
}

export let server;
export let browser;
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
export function onPage(name, options, body) {
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

/**
 * A background job that is answered here instead of by the server. Its state stays until the test changes it, so that
 * a slow machine shows it in time.
 */
export async function playJob(page, start, job) {
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
