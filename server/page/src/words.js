// The numbers of the server in words for a player. No DOM, no server.

import { blockedNote } from "./blocked.js";
import { pliesOf, plural } from "./plural.js";

export { plural } from "./plural.js";

const SIDE = { white: "White", black: "Black" };
export const other = (side) => (side === "white" ? "black" : "white");
export const sideName = (side) => SIDE[side];

/** A message of the server as a sentence, with a capital letter and a full stop. A move at its beginning is kept. */
export const sentence = (text) =>
    text.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase()).replace(/[^.!?]$/, "$&.");

/** Plies of a distance as moves of the side that moves first; half a move counts as one. */
export const movesOf = (plies) => Math.ceil(plies / 2);

export const inMoves = (plies) => plural(movesOf(plies), "move");

export const METRICS = {
    dtm: { name: "Mate", long: "distance to mate", key: "dtm_plies" },
    dtc: { name: "Conversion", long: "distance to mate, capture or promotion", key: "dtc_plies" },
    dtz: { name: "Zeroing", long: "distance to mate, capture or pawn move", key: "dtz_plies" },
};

/** "33 plies" for a position or move, "33 or 34 plies" if a Syzygy file has rounded the distance. */
export function pliesWords(value, metric) {
    const plies = value[METRICS[metric].key];
    const rounded = metric === "dtz" && value.dtz_rounded;
    return rounded ? `${plies} or ${plies + 1} plies` : pliesOf(plies);
}

/** Who would win without the 50-move rule, "white", "black" or null, from a verdict for `turn`. */
export function winnerOf(verdict, turn) {
    if (verdict === "win" || verdict === "cursed_win") return turn;
    if (verdict === "loss" || verdict === "blessed_loss") return other(turn);
    return null;
}

/** Whether the 50-move rule delays the mate. */
const isDelayed = ({ dtm_plies: mate, dtm50_plies: ruled }) => mate != null && ruled != null && mate !== ruled;

/** Whether the 50-move rule may delay the mate, and no table says by how much. */
const mayBeDelayed = ({ dtm_plies: mate, dtm50_plies: ruled }) => mate != null && ruled === null;

/** The verdict in one sentence, and its tone: white, black, cursed or draw. */
export function verdictSentence(probe) {
    const { state, turn, verdict } = probe;
    if (state === "checkmate") return { text: `Checkmate. ${SIDE[other(turn)]} wins.`, tone: other(turn) };
    if (state === "stalemate") return { text: "Stalemate. It is a draw.", tone: "draw" };
    if (state === "insufficient_material") return { text: "Draw: not enough pieces to give mate.", tone: "draw" };
    const winner = winnerOf(verdict, turn);
    if (verdict === "draw") return { text: "Draw", tone: "draw" };
    if (verdict === null && probe.solved) return { text: "Not decided", tone: "draw" };
    if (!winner && probe.verdict_clock_zero === null) return { text: "Not known", tone: "draw" };
    if (!winner) return { text: "It depends on the 50-move rule", tone: "draw" };
    if (verdict === "cursed_win" || verdict === "blessed_loss")
        return { text: `${SIDE[winner]} wins, but the 50-move rule saves ${SIDE[other(winner)]}`, tone: "cursed" };
    if (isDelayed(probe))
        return { text: `${SIDE[winner]} mates in ${inMoves(probe.dtm50_plies)} within the 50-move rule`, tone: winner };
    if (probe.dtm_plies != null && !mayBeDelayed(probe))
        return { text: `${SIDE[winner]} mates in ${inMoves(probe.dtm_plies)}`, tone: winner };
    return { text: `${SIDE[winner]} wins`, tone: winner };
}

/** Why a position is not known, and what is known of its moves. */
function unknownNote(probe) {
    const known = probe.moves.filter(({ verdict }) => verdict !== null).length;
    const { code } = probe.unknown[0] ?? {};
    const why =
        probe.material === null
            ? `Tables stop ${probe.men > 16 ? "long " : ""}before ${probe.men} pieces.`
            : code === "castling"
              ? "Castling is still possible here, and no table covers that."
              : `There is no table for ${probe.material} (${probe.men} pieces) here.`;
    const moves =
        known === 0
            ? " You can still play every legal move."
            : known === 1
              ? " One move leads to a known position."
              : ` ${known} moves lead to known positions.`;
    return why + moves;
}

/** What a player should know about a verdict that the server has proved on request. */
function solvedNote(probe) {
    const { verdict, solved } = probe;
    const all = plural(solved.structures, "pawn structure");
    const proved = `Proved just now; ${all} examined.`;
    if (verdict === "draw") return proved;
    if (verdict !== null) {
        const most = probe.at_most_plies ?? probe.dtc_plies;
        const bound = probe.at_most_plies == null ? "" : "At most ";
        const plies = most == null ? "" : ` ${bound}${pliesOf(most)} to the next capture, promotion or mate.`;
        const rule = solved.rule50 === "no" ? "The 50-move rule changes nothing." : "The 50-move rule is ignored.";
        return `${proved}${plies} ${rule}`;
    }
    const limit = solved.out_of_memory ? "memory" : "time";
    return `The ${limit} allowed for this ran out after ${all}.`;
}

/** More about the verdict; "" if there is nothing to add. */
export function verdictNote(probe) {
    if (probe.state === "ongoing" && probe.blocked) return blockedNote(probe);
    if (probe.state === "ongoing" && probe.solved) return solvedNote(probe);
    if (probe.state === "ongoing" && probe.verdict_clock_zero === null) return unknownNote(probe);
    const { turn, verdict, verdict_clock_zero: fresh, halfmove_clock: clock } = probe;
    const winner = winnerOf(verdict, turn);
    if (probe.state !== "ongoing") return "";
    if (verdict === "draw") return "With best play neither side can win.";
    if (isDelayed(probe)) return `Without the rule, ${SIDE[winner]} would mate in ${inMoves(probe.dtm_plies)}.`;
    if (verdict === "cursed_win" || verdict === "blessed_loss") {
        const late =
            probe.dtm_plies == null
                ? ""
                : ` Without the rule, ${SIDE[winner]} would mate in ${inMoves(probe.dtm_plies)}.`;
        if (fresh !== verdict)
            return `The last capture or pawn move was ${plural(clock, "half-move")} ago; with the clock at 0 ${SIDE[winner]} would win.${late}`;
        return `${SIDE[winner]} cannot force a capture or a pawn move before ${SIDE[other(winner)]} can claim a draw.${late}`;
    }
    if (mayBeDelayed(probe)) return `Without the 50-move rule, ${SIDE[winner]} would mate in ${inMoves(probe.dtm_plies)}.`;
    return "";
}

const GROUPS = [
    ["win", "Winning"],
    ["cursed_win", "Win spoilt by the 50-move rule"],
    ["draw", "Drawing"],
    ["blessed_loss", "Saved by the 50-move rule"],
    ["loss", "Losing"],
    [null, "Not known"],
];

/** The moves by verdict, each group in the order of `moves`: [{verdict, title, moves}]. */
export function groupMoves(moves) {
    return GROUPS.map(([verdict, title]) => ({
        verdict,
        title,
        moves: moves.filter((move) => move.verdict === verdict),
    })).filter((group) => group.moves.length > 0);
}

/** The distance of a move in words: "mates in 12 moves", "mated in 3 moves". */
export function moveWords(move, metric) {
    if (move.checkmate) return "checkmate";
    if (move.stalemate) return "stalemate";
    if (move.verdict === "draw") return "draw";
    const plies = move[METRICS[metric].key];
    if (move.verdict === null) return "not known";
    if (plies == null) return "distance not known";
    const wins = move.verdict === "win" || move.verdict === "cursed_win";
    const moves = inMoves(plies);
    if (metric === "dtm") return wins ? `mates in ${moves}` : `is mated in ${moves}`;
    return `${metric === "dtc" ? "conversion" : "zeroing move"} in ${moves}`;
}

const WORTH = { loss: 0, blessed_loss: 1, draw: 2, cursed_win: 3, win: 4 };

/** How good a move was, compared with the best one: {text, tone: good|fair|bad}; null if not known. */
export function judgeMove(moves, played, metric) {
    const best = moves[0];
    if (!best || !played || best.verdict === null || played.verdict === null) return null;
    if (WORTH[played.verdict] < WORTH[best.verdict]) {
        if (best.verdict === "draw") return { text: "Loses a drawn game", tone: "bad" };
        if (WORTH[played.verdict] < 2)
            return {
                text: WORTH[best.verdict] > 2 ? "Turns a win into a loss" : "Gives up the 50-move draw",
                tone: "bad",
            };
        return { text: "Gives away the win", tone: "bad" };
    }
    // An unknown move might be better than the best known one.
    if (best.verdict !== "win" && moves.some(({ verdict }) => verdict === null)) return null;
    const key = METRICS[metric].key;
    const [a, b] = [best[key], played[key]];
    if (best.verdict === "draw") return { text: "Holds the draw", tone: "good" };
    if (a == null || b == null) return null;
    const lost = Math.abs(movesOf(a) - movesOf(b));
    if (a === b || lost === 0) return { text: "Best move", tone: "good" };
    const wins = WORTH[best.verdict] > 2;
    return {
        text: wins ? `Still winning, ${plural(lost, "move")} slower` : `Loses ${plural(lost, "move")} sooner`,
        tone: "fair",
    };
}

/** A share as a percentage. It is 0 % or 100 % only if the share is exactly that. */
export function percent(count, total) {
    if (total === 0 || count === 0) return "0 %";
    if (count === total) return "100 %";
    const share = (100 * count) / total;
    if (share < 0.1) return "< 0.1 %";
    if (share > 99.9) return "> 99.9 %";
    return `${share.toFixed(1)} %`;
}

/** How many positions a list has; for zugzwangs also which side loses. `swapped`: White in the tables is Black on the
 * board. */
export function listWords(result, swapped) {
    const { kind, found, positions } = result;
    if (kind === "longest") {
        const words = found === 1 ? "No other win takes as long." : `${plural(found, "position")}; no win takes longer.`;
        return positions.length < found ? `${words} The first ${positions.length}:` : words;
    }
    if (found === 0) return "There are none: in no position does a side lose only because it must move.";
    const { zugzwang_full: full, zugzwang_white_loses: first, zugzwang_black_loses: second } = result;
    const [white, black] = swapped ? [second, first] : [first, second];
    const parts = [
        [full, "the side to move loses, whichever it is"],
        [white, "White loses if it must move"],
        [black, "Black loses if it must move"],
    ].filter(([count]) => count > 0);
    const where = (count) => (found === 1 ? "there" : parts.length === 1 ? "all of them" : count.toLocaleString("en"));
    const capital = (text) => text[0].toUpperCase() + text.slice(1);
    const who =
        found === 1
            ? capital(parts[0][1])
            : capital(parts.map(([count, words]) => `in ${where(count)} ${words}`).join("; "));
    const cut = positions.length < found ? ` The ${positions.length} that take longest to win:` : "";
    return `${plural(found, "position")}. ${who}.${cut}`;
}

/** The claim of a rule of thumb, for the side to move. */
export function claimWords(says, turn) {
    const [me, you] = [SIDE[turn], SIDE[other(turn)]];
    return {
        win: `${me} wins`,
        draw: "a draw",
        loss: `${you} wins`,
        "not win": `${me} does not win`,
        "not loss": `${me} does not lose`,
        true: "true here",
        false: "false here",
    }[says];
}

/** The claim of a rule about many positions, seen by the side to move. */
export const CLAIMS = {
    win: "Won",
    draw: "Drawn",
    loss: "Lost",
    "not win": "Not won",
    "not loss": "Not lost",
    true: "True",
    false: "False",
};

/** Whether a rule makes a statement that is true or false of a position, and not a claim about its result. */
export const isStatement = (says) => says === "true" || says === "false";

/** The title of a rule: its text up to the first colon, parenthesis or full stop. */
export const ruleTitle = (about) => about.match(/^.*?(?=[:(]|\.\s|\.?$)/s)[0].trim();

/** The text of a rule as a list of paragraphs, without breaks between lines. */
export const ruleText = (about) =>
    about.split(/\n\s*\n|\n(?= *\(\d\))/).map((part) => part.replace(/\s+/g, " ").trim());

/** How often a rule is right over an ending. */
export function figuresWords({ positions, silent, sayings }, name) {
    const spoken = positions - silent;
    const wrong = sayings.reduce((sum, saying) => sum + saying.wrong, 0);
    if (spoken === 0) return `It applies to no position of ${name}.`;
    const of = `It applies to ${percent(spoken, positions)} of all positions of ${name} (${spoken.toLocaleString("en")})`;
    const [right, not] = sayings.every(({ says }) => isStatement(says)) ? ["true of", "false of"] : ["right in", "wrong in"];
    return wrong === 0 ? `${of}, and is ${right} all of them.` : `${of}, and is ${not} ${percent(wrong, spoken)} of them (${wrong.toLocaleString("en")}).`;
}

/** What was proved of a strategy. */
export function provenWords({ white_to_move: white, black_to_move: black, best_longest_moves: best }) {
    const won = white.won + black.won;
    const wins = white.wins + black.wins;
    const longest = Math.max(white.longest_moves, black.longest_moves);
    const all = wins === won ? "It wins from every won position" : `It wins from ${percent(wins, won)} of the won positions`;
    return `${all}, against any defence, in at most ${plural(longest, "move")}${best === null ? "" : `; best play needs ${best}`}.`;
}

/** Who wins a shifted position, from its result for the side to move: white, black, draw or impossible. */
export const winnerIn = (result, turn) => (result === "impossible" ? result : winnerOf(result, turn) ?? "draw");

const RESULTS = { white: "White wins", black: "Black wins", draw: "a draw", impossible: "not possible" };

/** "King on e4: White wins". */
export const placeWords = (square, result, turn) => `King on ${square}: ${RESULTS[winnerIn(result, turn)]}`;

/** "Free of the edges: 20". */
export const edgeWords = ({ group, places }) => `${group[0].toUpperCase()}${group.slice(1)}: ${places}`;

/** The result of a group of shifted positions with a side to move: one verdict and the moves that keep it in all of
 * them, or the number of each verdict. */
export function groupWords(side, turn) {
    const counts = ["win", "draw", "loss"].filter((result) => side[result] > 0);
    if (counts.length === 0) return "not possible";
    if (!side.one_verdict)
        return counts.map((result) => `${RESULTS[winnerIn(result, turn)]} in ${side[result]}`).join(", ");
    const moves = side.moves.length > 3 ? `${side.moves.slice(0, 3).join(", ")}, …` : side.moves.join(", ");
    return RESULTS[winnerIn(counts[0], turn)] + (moves && counts[0] !== "loss" ? ` by ${moves}` : "");
}
