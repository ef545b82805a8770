// Answers from table files that any web host has, by the library in the page: what server.js asks of a server, as far as
// tables alone can answer it.

import { Trebuchet } from "trebuchet";

import { ApiError } from "./apierror.js";
import { formatFen, parseFen, sideLetters } from "./fen.js";
import { sentence } from "./words.js";

const METRICS = ["dtm", "dtc", "dtz"];
const MOST_MEN = 8; // of any table
const CODES = {
    FEN: "bad_fen",
    POSITION: "bad_position",
    CASTLING: "castling",
    MEN: "too_many_men",
    NO_TABLE: "no_table",
    DAMAGED: "damaged",
    NETWORK: "offline",
    IO: "offline",
};

// ---- The tables ------------------------------------------------------------------------------------

let opened = null;

/** Opens the tables at the address that the page names. After a failure the next question tries again. */
function open() {
    const { content } = document.querySelector('meta[name="tables"]');
    const address = new URL(content, document.baseURI);
    opened ??= Trebuchet.open(address, { threeMen: false, cache: "idb" }).catch((error) => {
        opened = null;
        throw error;
    });
    return opened;
}

/** Asks the tables; turns failures into those of the page. */
async function ask(question) {
    try {
        return await question(await open());
    } catch (error) {
        if (error.name !== "TrebuchetError") throw error;
        const code = CODES[error.code] ?? "bad_request";
        throw new ApiError(code, code === "offline" ? "The tables cannot be read." : sentence(error.message));
    }
}

// ---- A position ------------------------------------------------------------------------------------

const sideOf = (turn) => (turn === "w" ? "white" : "black");

/** The members of a value. */
function valueOf(value) {
    const bound = value.rounded === "at_most";
    const { dtz, dtc, dtm, dtm50 } = value;
    return {
        verdict: value.rule,
        verdict_clock_zero: value.wdl,
        dtz_plies: bound ? null : dtz,
        ...(bound && { at_most_plies: dtz }),
        dtc_plies: dtc,
        dtm_plies: dtm,
        dtz_rounded: value.rounded === "rounded",
        dtm50_plies: dtm50,
    };
}

const moveOf = (move) => ({
    uci: move.uci,
    san: move.san,
    ...valueOf(move),
    capture: move.capture,
    zeroing: move.zeroing,
    conversion: move.conversion,
    check: move.check,
    checkmate: move.mate,
    stalemate: move.stalemate,
});

/** Whether no side has enough men to mate: json/members.c. */
function isInsufficient({ men }) {
    const pieces = men.flatMap((man, index) => (man && !/k/i.test(man) ? [[man.toLowerCase(), (index + (index >> 3)) % 2]] : []));
    if (pieces.some(([man]) => /[pqr]/.test(man))) return false;
    return pieces.length <= 1 || (pieces.every(([man]) => man === "b") && new Set(pieces.map(([, colour]) => colour)).size === 1);
}

function stateOf(position, value, moves) {
    if (moves.length === 0) return value.wdl === "loss" ? "checkmate" : "stalemate";
    return isInsufficient(position) ? "insufficient_material" : "ongoing";
}

/** What is not known about a position or its moves: [{metric, code, message}]. */
function unknownOf(material, value, moves) {
    const entries = ["wdl", "dtz", "dtc", "dtm"].map((metric) => {
        const why = [value, ...moves].map((entry) => entry.why?.[metric]).find(Boolean);
        const own = value.why?.[metric] === "NO_TABLE";
        const table = own ? `The file ${material}.${metric}.treb is not installed` : "A move leads to a table that is not installed";
        return { metric, code: CODES[why] ?? "bad_request", message: why === "NO_TABLE" ? table : "Not known", why };
    });
    return entries.filter(({ why }) => why).map(({ metric, code, message }) => ({ metric, code, message }));
}

/** A value of a position of which not even the verdict is known. */
function nothing(error) {
    const codes = ["NO_TABLE", "CASTLING", "MEN"];
    if (!codes.includes(error.code)) throw error;
    const why = Object.fromEntries(["wdl", ...METRICS].map((metric) => [metric, error.code]));
    return { wdl: null, rule: null, dtz: null, dtc: null, dtm: null, dtm50: null, why };
}

/** The first metric whose distance is known, in the order in which players want them. */
const knownMetric = (value) => METRICS.find((metric) => !value.why?.[metric]) ?? null;

/** The name of the ending of a position. */
const endingOf = (tables, position) => tables.nameOf(`${sideLetters(position, true)}v${sideLetters(position, false)}`);

async function probeWith(tables, fen, wanted) {
    const position = parseFen(fen);
    const men = position.men.filter(Boolean).length;
    const material = men > 2 && men <= MOST_MEN ? endingOf(tables, position) : null;
    const value = await tables.probe(fen).catch(nothing);
    const metric = wanted ?? knownMetric(value);
    const moves = await tables.moves(fen, { metric: metric ?? "wdl" });
    return {
        fen: formatFen(position),
        turn: sideOf(position.turn),
        men,
        material,
        state: stateOf(position, value, moves),
        ...valueOf(value),
        halfmove_clock: position.halfmove,
        metric,
        moves: moves.map(moveOf),
        unknown: unknownOf(material, value, moves),
        blocked: null,
        advice: null,
    };
}

export const probe = (fen, metric) => ask((tables) => probeWith(tables, fen, metric));

export const batch = (fens) =>
    ask(async (tables) => ({ answers: await Promise.all(fens.map((fen) => probeWith(tables, fen))) }));

let walking = new AbortController();

/** Best play from a position. A line that is asked for later ends an earlier one, so that its requests do not hold it up. */
export function line(fen, metric) {
    walking.abort();
    walking = new AbortController();
    const { signal } = walking;
    return ask(async (tables) => {
        const { moves } = await tables.line(fen, { metric, signal });
        let at = fen;
        return { moves: moves.map((move) => ({ uci: move.uci, san: move.san, fen: (at = tables.play(at, move.uci)) })) };
    });
}

// ---- Pawn endings without a table ------------------------------------------------------------------

const SOLVE_SECONDS = 60;
const SOLVE_MEMORY = 512 * 2 ** 20;
const jobs = new Map(); // by address: {says, worker}

/** The members of a value that was solved. */
function solvedValue({ verdict, plies, at_most: bound }, turn) {
    const known = plies >= 0 && verdict !== "draw";
    const word = verdict === "draw" ? "draw" : verdict === "open" ? null : verdict === turn ? "win" : "loss";
    return {
        verdict: word,
        verdict_clock_zero: word,
        dtz_plies: null,
        dtc_plies: known && !bound ? plies : null,
        dtm_plies: null,
        dtm50_plies: null,
        dtz_rounded: false,
        at_most_plies: known && bound ? plies : null,
    };
}

const solvedMove = ({ uci, san, capture, zeroing, conversion, check, over, ...value }, turn) => ({
    uci,
    san,
    ...solvedValue(value, turn),
    capture,
    zeroing,
    conversion,
    check,
    checkmate: over && check,
    stalemate: over && !check,
});

/** What the solver says of a position, in the form of an answer from tables. */
export function solvedAnswer(tables, fen, found) {
    const position = parseFen(fen);
    const turn = sideOf(position.turn);
    const men = position.men.filter(Boolean).length;
    const { rule50, structures, stopped, out_of_memory, moves, line } = found;
    const message = "Solving does not tell this distance";
    const probe = {
        fen: formatFen(position),
        turn,
        men,
        material: men <= MOST_MEN ? endingOf(tables, position) : null,
        state: moves.length > 0 ? "ongoing" : "stalemate",
        ...solvedValue(found, turn),
        halfmove_clock: position.halfmove,
        metric: "dtc",
        moves: moves.map((move) => solvedMove(move, turn)),
        unknown: ["dtz", "dtm"].map((metric) => ({ metric, code: "no_table", message })),
        solved: { rule50, structures, stopped, out_of_memory },
    };
    return { fen, probe, line: line.map(({ san }) => san), line_uci: line.map(({ uci }) => uci) };
}

/** Starts to solve a position, in a worker. */
export const solve = (fen) =>
    ask((tables) => {
        const job = `solve ${fen}`;
        const worker = new Worker("solver.js", { type: "module" });
        const says = { job, state: "running", ahead: 0, done: 0, total: 0, error: null, result: null };
        const end = (state, more) => (worker.terminate(), Object.assign(says, { state }, more));
        worker.onerror = () => end("failed", { error: { code: "internal", message: "the solver failed" } });
        worker.onmessage = ({ data: { done, result, problem } }) => {
            if (done !== undefined) says.done = done;
            if (result) end("done", { result: solvedAnswer(tables, fen, result) });
            if (problem) end("failed", { error: { code: "bad_position", message: problem } });
        };
        worker.postMessage({ fen, memory: SOLVE_MEMORY, seconds: SOLVE_SECONDS });
        jobs.set(job, { says, worker });
        return { ...says };
    });

export async function job(address) {
    if (!jobs.has(address)) throw new ApiError("not_found", "This job is not known any more.");
    return { ...jobs.get(address).says };
}

export async function cancelJob(address) {
    jobs.get(address)?.worker.terminate();
    jobs.delete(address);
}

// ---- An ending -------------------------------------------------------------------------------------

export const tables = () =>
    ask(async (set) => ({
        directories: [],
        tables: set.materials.map(({ material, men }) => ({ material, men, counts: null, longest: [] })),
        ranks: [],
        solved: [],
        solve_seconds: SOLVE_SECONDS,
    }));

export const stats = (text) =>
    ask(async (tables) => {
        const { material, men, counts, longest, histograms, subEndings } = await tables.statistics(text);
        const there = new Set(tables.materials.map((entry) => entry.material));
        const children = subEndings
            .filter((name) => name.length > 3)
            .map((name) => ({
                material: name,
                by: name.length === material.length ? "promotion" : "capture",
                installed: there.has(name),
            }));
        return { material, men, children, counts, longest, histograms };
    });

const DRAWS = 32; // positions that are looked at together
const TRIES = 64; // for a position of any value; most are possible

/** A FEN with the men of an ending on random squares. It may be impossible. */
function draw(material, turn) {
    const [white, black] = material.split("v");
    const men = Array(64).fill("");
    for (const man of [...white, ...black.toLowerCase()]) {
        const squares = men.map((_, index) => index).filter((index) => !men[index] && !(/p/i.test(man) && (index < 8 || index > 55)));
        men[squares[Math.floor(Math.random() * squares.length)]] = man;
    }
    const mover = turn ?? (Math.random() < 0.5 ? "white" : "black");
    return formatFen({ men, turn: mover[0], castling: "-", ep: "-", halfmove: 0, fullmove: 1 });
}

/** A position that is possible and in which the game goes on. */
async function drawPossible(tables, material, turn) {
    for (let i = 0; i < TRIES; i++) {
        const fen = draw(material, turn);
        const moves = await tables.moves(fen).catch((error) => (error.code === "POSITION" ? [] : Promise.reject(error)));
        if (moves.length > 0) return fen;
    }
    throw new ApiError("bad_request", `No position of ${material} was found.`);
}

const isWanted = (value, { verdict, metric, plies }) => value && value.wdl === verdict && value[metric] === plies;

/** A position with a verdict and a distance: one of a few that are drawn, or else one of the longest line of the ending, where
 * each ply makes the distance shorter by one. */
async function drawAtDistance(tables, material, wish) {
    const { turn, metric, plies } = wish;
    const fens = Array.from({ length: DRAWS }, () => draw(material, turn));
    const values = await Promise.all(fens.map((fen) => tables.probe(fen).catch(() => null)));
    const found = fens.find((_, i) => isWanted(values[i], wish));
    if (found) return found;
    const { longest } = await tables.statistics(material);
    for (const entry of longest.filter((other) => other.metric === metric && other.plies >= plies)) {
        const { fen } = await tables.line(entry.fen, { metric, rule: "none", most: entry.plies - plies });
        const position = parseFen(fen);
        const of = sideOf(position.turn) === turn && endingOf(tables, position) === material;
        if (of && isWanted(await tables.probe(fen), wish))
            return formatFen({ ...position, halfmove: 0, fullmove: 1 });
    }
    throw new ApiError("bad_request", `No position of ${material} with this distance was found.`);
}

export const random = (text, wish) =>
    ask(async (tables) => {
        const material = tables.nameOf(text);
        const fen = wish.plies === undefined ? await drawPossible(tables, material, wish.turn) : await drawAtDistance(tables, material, wish);
        return { material, fen };
    });
