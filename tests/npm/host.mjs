// host.mjs - what the tests of the npm package share: a plain web host with ranges, positions, and the native library's answers.
import { execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, fstatSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const build = resolve(process.env.TREB_BUILD || "build");
export const tables = resolve(process.env.TREB_TABLES || join(build, "tables"));
export const tool = join(build, "trebuchet");
export const npm = join(build, "npm");
export const chromium = process.env.CHROMIUM || ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find(existsSync);
export const syzygy = resolve(import.meta.dirname, "../data/syzygy");
export const { Trebuchet, TrebuchetError } = await import(join(npm, "package/trebuchet.mjs"));

/** Bytes of a file from a place on, and its size. */
function read(path, at, most) {
    const file = openSync(path);
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.max(0, Math.min(most, size - at)));
    readSync(file, bytes, 0, bytes.length, at);
    closeSync(file);
    return { bytes, size };
}

/**
 * A web host of a folder. `files` are served instead of those of the folder; null: there is none. `ranges: false` sends whole
 * files. `spoil(name, bytes, at)` changes what is sent, or returns a status to fail with.
 */
export async function host(folder, { files = {}, ranges = true, spoil, post } = {}) {
    const log = [];
    const server = createServer((request, answer) => {
        const asked = decodeURIComponent(new URL(request.url, "http://host").pathname.slice(1));
        const name = /(^|\/)$/.test(asked) && !(asked in files) ? `${asked}index.html` : asked;
        answer.setHeader("Access-Control-Allow-Origin", "*");
        if (request.method === "POST") {
            let text = "";
            request.on("data", (chunk) => (text += chunk));
            request.on("end", async () => (await post(text), answer.end()));
            return;
        }
        log.push(name);
        const own = files[name];
        const path = join(folder, name);
        const range = ranges && /^bytes=(\d+)-(\d+)$/.exec(request.headers.range || "");
        if (own === null || (own === undefined && !existsSync(path))) {
            answer.writeHead(404).end();
            return;
        }
        if (/\.m?js$/.test(name)) answer.setHeader("Content-Type", "text/javascript");
        if (name.endsWith(".html")) answer.setHeader("Content-Type", "text/html");
        if (name.endsWith(".css")) answer.setHeader("Content-Type", "text/css");
        if (name.endsWith(".svg")) answer.setHeader("Content-Type", "image/svg+xml");
        const [from, to] = range ? [Number(range[1]), Number(range[2]) + 1] : [0, Infinity];
        let { bytes, size } =
            own === undefined
                ? read(path, from, range ? to - from : 2 ** 40)
                : { bytes: Buffer.from(own).subarray(from, to), size: Buffer.from(own).length };
        const spoilt = spoil?.(name, bytes, from);
        if (typeof spoilt === "number") {
            answer.writeHead(spoilt).end();
            return;
        }
        bytes = spoilt || bytes;
        if (range) answer.writeHead(206, { "Content-Range": `bytes ${from}-${from + bytes.length - 1}/${size}` });
        answer.end(bytes);
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    // A browser may have left a connection on which nothing was asked yet: close() alone would wait for it.
    const close = () => (server.close(), server.closeAllConnections());
    return { url: `http://127.0.0.1:${server.address().port}/`, log, close };
}

/** The bundle of a folder of tables, which stays as it is. */
export function bundleOf(folder) {
    const path = join(npm, "headers");
    execFileSync("sh", ["-c", `rm -rf "${path}" && mkdir -p "${path}" && ln -s "${folder}"/*.treb "${path}"/`]);
    execFileSync(tool, ["gen", "--quiet", "--web", "--tables", path]);
    return readFileSync(join(path, "trebuchet.headers"));
}

/** Opens a page in Chromium; returns the function that ends it. */
export function browse(url) {
    const profile = mkdtempSync(join(tmpdir(), "trebuchet-chromium-"));
    const flags = ["--headless", "--disable-gpu", `--user-data-dir=${profile}`, ...(process.getuid() === 0 ? ["--no-sandbox"] : [])];
    const child = spawn(chromium, [...flags, "--remote-debugging-port=0", url], { stdio: "ignore", detached: true });
    const ended = new Promise((done) => child.on("exit", done));
    return async () => {
        process.kill(-child.pid, "SIGKILL"); // with the processes that it has started
        await ended;
        rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    };
}

// ---- Positions -------------------------------------------------------------------------------------

let seed = 20;
const draw = (n) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
};

/** A FEN with the given men on random squares; it may be impossible. */
function place(men) {
    const board = Array(64).fill("");
    for (const man of men) {
        let square;
        do square = "Pp".includes(man) ? 8 + draw(48) : draw(64);
        while (board[square]);
        board[square] = man;
    }
    const rows = [];
    for (let row = 0; row < 64; row += 8)
        rows.push(board.slice(row, row + 8).map((man) => man || "1").join("").replace(/1+/g, (ones) => ones.length));
    return `${rows.join("/")} ${"wb"[draw(2)]} - - ${[0, 0, 0, 60, 99][draw(5)]} 1`;
}

/** Random positions of random materials of a folder, possible or not. */
export function positions(count, materials) {
    return Array.from({ length: count }, () => {
        const [white, black] = materials[draw(materials.length)].split("v");
        const swap = draw(2);
        return place(swap ? white.toLowerCase() + black : white + black.toLowerCase());
    });
}

/** What the native library says of positions: by FEN, undefined for impossible ones. */
export async function native(fens, folder) {
    const child = spawn(tool, ["probe", "--tables", folder, "--input", "fen", "--output", "jsonl", "-"]);
    const found = new Map();
    let rest = "";
    child.stdin.on("error", () => {});
    child.stdin.end(`${fens.join("\n")}\n`);
    child.stderr.resume();
    for await (const chunk of child.stdout.setEncoding("utf8")) {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop();
        for (const line of lines) {
            const answer = JSON.parse(line);
            if (answer.moves) found.set(fens[answer.line - 1], answer);
        }
    }
    return found;
}

/** An answer of the package in the words of the command's. */
export function same(assert, fen, value, moves, wanted) {
    const of = (v) => [v.rule, v.wdl, v.dtz, v.dtc, v.dtm, v.dtm50];
    const nativeOf = (v) => [v.verdict, v.verdict_clock_zero, v.dtz_plies, v.dtc_plies, v.dtm_plies, v.dtm50_plies ?? null];
    if (wanted.state === "ongoing") assert.deepEqual(of(value), nativeOf(wanted), fen);
    const flags = (m) => [m.capture, m.zeroing, m.conversion, m.check];
    assert.deepEqual(
        moves.map((m) => [m.uci, m.san, ...of(m), ...flags(m), m.mate, m.stalemate]),
        wanted.moves.map((m) => [m.uci, m.san, ...nativeOf(m), ...flags(m), m.checkmate, m.stalemate]),
        fen,
    );
}
