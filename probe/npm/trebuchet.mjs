// trebuchet.mjs - chess endgame tablebases in a browser, a worker or Node: the library libtrebuchet as WebAssembly.
//
//     const tb = await Trebuchet.open("https://host/tables/");
//     const { rule, dtm } = await tb.probe("8/8/8/8/8/2K5/1Q6/k7 w - - 0 1");
//
// trebuchet.d.ts describes all of it, docs/browser.md shows how to use it.
import { STATUS, TrebuchetError, codeOf, fail } from "./errors.mjs";
import { Files } from "./files.mjs";
import { fromBase64, unpack } from "./unpack.mjs";
import packed from "./wasm.mjs";

export { TrebuchetError };

const METRICS = ["wdl", "dtz", "dtc", "dtm", "dtm50"];
const NUMBERS = [0, 1, 2, 3, 6]; // of treb_metric
const ARRAYS = 4; // metrics in the arrays of a value; behind them is dtm50
const DISTANCES = ["dtm", "dtm50", "dtc", "dtz"]; // as statistics list them
const VERDICTS = ["loss", "blessed_loss", "draw", "cursed_win", "win"];
const RULES = ["50", "none"];
const ENDS = ["mate", "stalemate", "draw", "capacity"];
const ROUNDED = ["exact", "rounded", "at_most"];
const FLAGS = ["capture", "zeroing", "conversion", "check", "mate", "stalemate"];

// The layout of exports.h: sizes in bytes, and numbers of 32-bit words.
const TEXT_SIZE = 256;
const VALUE_WORDS = 3 + 3 * ARRAYS + 2;
const MOVE_SIZE = 16 + 4 + 4 * VALUE_WORDS;
const ERROR_TEXT = 4;
const ERROR_METRIC = 4 + 484;
const ERROR_MATERIAL = 4 + 484 + 4;
const LINE_MOST = 1024;
const NAME_SIZE = 64;
const FEN_SIZE = 96;
const INFO = { format: 28, count: 64, longest: 144, fen: 184 }; // treb_table_info

const COLORS = ["white", "black"];

let compiled;
const compile = () => (compiled ||= unpack(fromBase64(packed)).then((bytes) => WebAssembly.compile(bytes)));

const metricNumber = (metric, name = "metric") => {
    const number = METRICS.indexOf(metric);
    return number >= 0 ? NUMBERS[number] : fail("ARGUMENT", `${name}: there is no "${metric}"; ${METRICS.join(", ")}`);
};
const ruleNumber = (rule) => {
    const number = RULES.indexOf(String(rule));
    return number >= 0 ? number : fail("ARGUMENT", `rule: there is no "${rule}"; 50 or "none"`);
};

/** The three-man tables that come with the package, by name. */
async function threeMen() {
    const { default: text, files } = await import("./three.mjs");
    const bytes = await unpack(fromBase64(text));
    let at = 0;
    return Object.fromEntries(files.map(([name, size]) => [name, bytes.subarray(at, (at += size))]));
}

export class Trebuchet {
    #files;
    #module;
    #view;
    #bytes;
    #closed = false;

    /** Opens tables: see trebuchet.d.ts. */
    static async open(tables, options = {}) {
        const { memoryMB = 16, threeMen: three = true } = options;
        if (!(memoryMB >= 1 && memoryMB <= 2048)) fail("ARGUMENT", `memoryMB: ${memoryMB} is not between 1 and 2048`);
        const set = new Trebuchet();
        const bytes = memoryMB * 2 ** 20;
        set.#files = new Files(bytes / 4);
        options.signal?.throwIfAborted();
        const [program] = await Promise.all([
            compile(),
            (async () => set.#files.open(tables, options, three ? await threeMen() : null))(),
        ]);
        const files = set.#files;
        const memory = (at, size) => new Uint8Array(set.#module.memory.buffer, at, size);
        const { exports } = await WebAssembly.instantiate(program, {
            web: {
                files: () => files.list.length,
                name: (number, at, size) => {
                    const { written } = new TextEncoder().encodeInto(files.list[number].name, memory(at, size - 1));
                    memory(at, size)[written] = 0;
                },
                size: (number) => files.sizeOf(number),
                read: (number, how, offset, size, at) => files.read(number, how, offset, size, at === 0 ? null : memory(at, size)),
            },
            // The C library's standard output, which nothing writes to: EBADF.
            wasi_snapshot_preview1: { fd_close: () => 8, fd_seek: () => 8, fd_write: () => 8 },
        });
        set.#module = exports;
        exports._initialize();
        set.#check(exports.open((3 * bytes) / 4));
        return set;
    }

    // ---- The module's memory -----------------------------------------------------------------------

    /** A view of the module's memory, which moves when the memory grows. */
    #words() {
        const { buffer } = this.#module.memory;
        if (this.#view?.buffer !== buffer) {
            this.#view = new DataView(buffer);
            this.#bytes = new Uint8Array(buffer);
        }
        return this.#view;
    }

    #textAt(at, most) {
        this.#words();
        let end = at;
        while (end < at + most && this.#bytes[end] !== 0) end++;
        return String.fromCharCode(...this.#bytes.subarray(at, end));
    }

    #write(text) {
        this.#words();
        const at = this.#module.text();
        if (typeof text !== "string" || text.length >= TEXT_SIZE) fail("FEN", "the text is not a FEN");
        for (let i = 0; i < text.length; i++) {
            const code = text.charCodeAt(i);
            this.#bytes[at + i] = code < 128 ? code : 63;
        }
        this.#bytes[at + text.length] = 0;
    }

    /** Throws the failure that a result says. */
    #check(result) {
        if (result >= 0) return;
        const at = this.#module.error();
        const metric = this.#words().getInt32(at + ERROR_METRIC, true);
        throw new TrebuchetError(codeOf(-result), this.#textAt(at + ERROR_TEXT, 484), {
            material: this.#textAt(at + ERROR_MATERIAL, 24),
            metric: METRICS[NUMBERS.indexOf(metric)] || "",
        });
    }

    #open() {
        if (this.#closed) fail("ARGUMENT", "the tables were closed");
    }

    #value(at) {
        const word = (i) => this.#view.getInt32(at + 4 * i, true);
        const known = word(3 + 8) === STATUS.OK;
        const value = {
            wdl: known ? VERDICTS[word(0)] : null,
            rule: known && word(2) === 0 ? VERDICTS[word(1)] : null,
        };
        const decided = known && word(0) !== VERDICTS.indexOf("draw");
        for (let m = 1; m < ARRAYS; m++) {
            const has = decided && word(3 + 8 + m) === STATUS.OK;
            value[METRICS[m]] = has ? word(3 + m) : null;
            if (m === 1 && has && word(3 + 4 + m) !== 0) value.rounded = ROUNDED[word(3 + 4 + m)];
        }
        const mates = word(1) === VERDICTS.indexOf("win") || word(1) === VERDICTS.indexOf("loss");
        const dtm50 = 3 + 3 * ARRAYS;
        value.dtm50 = known && mates && word(dtm50 + 1) === STATUS.OK ? word(dtm50) : null;
        const statuses = METRICS.map((metric, m) => [metric, word(m < ARRAYS ? 3 + 8 + m : dtm50 + 1)]);
        const failed = statuses.filter(([, status]) => status !== STATUS.OK);
        if (failed.length > 0) value.why = Object.fromEntries(failed.map(([metric, status]) => [metric, codeOf(status)]));
        return value;
    }

    #moves(at, count, metric) {
        const moves = [];
        this.#words();
        for (let i = 0; i < count; i++, at += MOVE_SIZE) {
            const flags = this.#view.getInt32(at + 16, true);
            const move = { uci: this.#textAt(at, 8), san: this.#textAt(at + 8, 8), value: null, ...this.#value(at + 20) };
            move.value = metric === "wdl" ? move.rule ?? move.wdl : move[metric];
            FLAGS.forEach((name, bit) => (move[name] = Boolean(flags & (1 << bit))));
            moves.push(move);
        }
        return moves;
    }

    // ---- Calls that may fetch ----------------------------------------------------------------------

    /** Makes a call until it lacks nothing, and reads its result before another call can replace it. */
    async #call(text, call, read, signal) {
        this.#open();
        let answer;
        await this.#files.run(() => {
            this.#open();
            this.#write(text);
            const result = call();
            if (result === -STATUS.NOT_READY) return result;
            this.#check(result);
            answer = read(result);
            return result;
        }, signal);
        return answer;
    }

    async probe(fen, { signal } = {}) {
        return this.#call(fen, () => this.#module.root(), () => this.#rootResult(), signal);
    }

    #rootResult() {
        this.#words();
        return this.#value(this.#module.result());
    }

    async moves(fen, { metric = "dtm", rule = "50", signal } = {}) {
        const numbers = [metricNumber(metric), ruleNumber(rule)];
        const read = (count) => this.#moves(this.#module.result(), count, metric);
        return this.#call(fen, () => this.#module.moves(...numbers, 1), read, signal);
    }

    async line(fen, { metric = "dtm", rule = "50", most = LINE_MOST, signal } = {}) {
        const numbers = [metricNumber(metric), ruleNumber(rule), Math.min(most, LINE_MOST)];
        if (!(most >= 0)) fail("ARGUMENT", `most: ${most} is not a number of moves`);
        const moves = [];
        let at = fen;
        // In parts, as other calls may use the module while this one fetches.
        for (;;) {
            let ended = -1;
            const call = () => {
                this.#write(at); // a call that is repeated goes on where it was
                this.#check(this.#module.line_begin());
                const got = this.#module.line(numbers[0], numbers[1], numbers[2] - moves.length);
                const result = this.#module.result();
                const count = this.#words().getInt32(result, true);
                ended = this.#view.getInt32(result + 4, true);
                const found = this.#moves(result + 8, count, metric);
                moves.push(...found);
                for (const { uci } of found) at = this.play(at, uci);
                return got;
            };
            await this.#call(at, call, () => {}, signal);
            if (ended >= 0) return { moves, end: ENDS[ended], fen: at };
        }
    }

    async prefetch(material, { metrics = METRICS, signal } = {}) {
        this.#open();
        for (const metric of metrics) metricNumber(metric, "metrics");
        const ending = this.nameOf(material);
        const files = this.#files.list.filter(({ name }) => name.startsWith(`${ending}.`) && metrics.includes(metricOf(name)));
        if (files.length === 0)
            fail("NO_TABLE", `${material}: no table of it is in this set`, { material: ending });
        await this.#files.prefetch(files, signal);
        return files.map(({ name, size }) => ({ name, size }));
    }

    /** The names of an ending and of its sub-endings. */
    #endings(material) {
        this.#open();
        this.#write(String(material).trim());
        const count = this.#module.endings();
        this.#check(count);
        return Array.from({ length: count }, (_, i) => this.#textAt(this.#module.result() + NAME_SIZE * i, NAME_SIZE));
    }

    nameOf(material) {
        return this.#endings(material)[0];
    }

    async statistics(material, { signal } = {}) {
        const [name, ...subEndings] = this.#endings(material);
        const found = { material: name, men: name.length - 1, counts: null, longest: [], histograms: {}, subEndings };
        return this.#call(name, () => this.#readStatistics(name, found), () => found, signal);
    }

    /** Fills in what the headers of an ending's files say; asks for all of them together. */
    #readStatistics(name, found) {
        const results = METRICS.map((metric) => {
            this.#write(name);
            return this.#module.info(metricNumber(metric, "metric"));
        });
        if (results.includes(-STATUS.NOT_READY)) return -STATUS.NOT_READY;
        const readable = METRICS.filter((_, m) => results[m] === 0);
        if (readable.length === 0) {
            this.#write(name);
            return this.#module.info(0);
        }
        found.counts = null;
        found.longest = [];
        for (const metric of [...DISTANCES, "wdl"]) if (readable.includes(metric)) this.#readInfo(metric, found);
        for (const metric of DISTANCES)
            found.histograms[metric] = readable.includes(metric) ? this.#histogram(metric) : null;
        return 0;
    }

    #readInfo(metric, found) {
        this.#module.info(metricNumber(metric, "metric"));
        const at = this.#module.result();
        const view = this.#words();
        const cells = [0, 1].flatMap((turn) => [4, 3, 2, 1, 0].map((wdl) => [turn, wdl, 5 * turn + wdl]));
        if (view.getInt32(at + INFO.format, true) === 0) {
            found.counts = { white: {}, black: {} }; // Syzygy's files have none
            for (const [turn, wdl, i] of cells)
                found.counts[COLORS[turn]][VERDICTS[wdl]] = Number(view.getBigUint64(at + INFO.count + 8 * i, true));
        }
        for (const [turn, wdl, i] of cells) {
            const fen = this.#textAt(at + INFO.fen + FEN_SIZE * i, FEN_SIZE);
            const plies = view.getUint32(at + INFO.longest + 4 * i, true);
            if (fen && metric !== "wdl" && VERDICTS[wdl] !== "draw")
                found.longest.push({ metric, turn: COLORS[turn], verdict: VERDICTS[wdl], plies, fen });
        }
    }

    /** How often each distance occurs: {white: {win: [[plies, count], ...], ...}, black}; null if the file does not say. */
    #histogram(metric) {
        const found = { white: {}, black: {} };
        for (const turn of [0, 1])
            for (const wdl of [4, 3, 1, 0]) {
                const count = this.#module.histogram(metricNumber(metric, "metric"), turn, wdl);
                if (count < 0) return null;
                const at = this.#module.result();
                const view = this.#words();
                const pairs = Array.from({ length: count }, (_, p) => [p, Number(view.getBigUint64(at + 8 * p, true))]);
                const list = pairs.filter(([, number]) => number > 0);
                if (list.length > 0) found[COLORS[turn]][VERDICTS[wdl]] = list;
            }
        return found;
    }

    // ---- Calls that do not fetch -------------------------------------------------------------------

    /** The result of a call, or undefined if something is missing. */
    #sync(text, call) {
        this.#open();
        this.#write(text);
        return this.#files.once(call);
    }

    probeSync(fen) {
        const status = this.#sync(fen, () => this.#module.root());
        if (status === undefined) return undefined;
        this.#check(status);
        return this.#rootResult();
    }

    movesSync(fen, { metric = "dtm", rule = "50" } = {}) {
        const numbers = [metricNumber(metric), ruleNumber(rule)];
        const count = this.#sync(fen, () => this.#module.moves(...numbers, 1));
        if (count === undefined) return undefined;
        this.#check(count);
        return this.#moves(this.#module.result(), count, metric);
    }

    wdlSync(fen) {
        const wdl = this.#sync(fen, () => this.#module.wdl());
        if (wdl === undefined) return undefined;
        this.#check(wdl);
        return VERDICTS[wdl];
    }

    /** The FEN after a move. */
    play(fen, move) {
        this.#open();
        this.#write(`${fen}\0${move}`);
        this.#check(this.#module.play());
        return this.#textAt(this.#module.result(), 96);
    }

    get materials() {
        const known = new Map();
        for (const { name } of this.#files.list) {
            const [material] = name.split(".");
            if (!known.has(material)) known.set(material, new Set());
            known.get(material).add(metricOf(name));
        }
        return [...known].map(([material, metrics]) => ({
            material,
            men: material.length - 1,
            metrics: METRICS.filter((metric) => metrics.has(metric)),
        }));
    }

    get stats() {
        return { ...this.#files.counts(), memory: this.#module.memory.buffer.byteLength + this.#files.memory.size };
    }

    async close() {
        if (this.#closed) return;
        this.#closed = true;
        await this.#files.close();
    }
}

const metricOf = (name) => (name.endsWith(".rtbw") ? "wdl" : name.endsWith(".rtbz") ? "dtz" : name.split(".")[1]);
