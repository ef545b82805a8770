// What the table plays in a drawn position: a move after which the other side can go wrong. No DOM; `batch` asks the
// server for many positions at once, as api.batch does.

import { formatFen, played } from "./fen.js";

const WIDE = 6; // moves and replies that are looked at further
const LARGE = 5; // men; with more, looking further may take too long

/** A position without its clocks. */
const placeOf = (fen) => fen.split(" ").slice(0, 4).join(" ");

/** How many replies of a position keep the draw, and how many lose. A game that is over has no replies. */
function repliesOf({ state, moves }) {
    const losing = state === "ongoing" ? moves.filter(({ verdict }) => verdict === "loss").length : 0;
    return { over: state !== "ongoing", losing, holding: moves.length - losing };
}

/** Sorts the replies that are hardest to find first: few hold, and many lose. */
const harder = (a, b) =>
    a.over - b.over ||
    (b.losing > 0) - (a.losing > 0) ||
    (a.losing > 0 ? a.holding - b.holding : 0) ||
    b.losing - a.losing;

/** The share of replies that lose. */
const danger = ({ losing, holding }) => losing / Math.max(1, losing + holding);

/** The distance of a man that moves from the enemy king afterwards. */
function distance({ men, turn }, uci) {
    const king = men.indexOf(turn === "w" ? "k" : "K");
    const [file, rank] = [uci.charCodeAt(2) - 97, uci[3] - 1];
    return Math.max(Math.abs(file - (king % 8)), Math.abs(rank - (king >> 3)));
}

/** The positions after drawing moves of a position, at most `most`. */
const drawn = (position, moves, most) =>
    moves
        .filter(({ verdict }) => verdict === "draw")
        .slice(0, most)
        .map((move) => ({ move, position: played(position, move.uci) }));

const ask = async (entries, batch) =>
    entries.length === 0 ? [] : batch(entries.map(({ position }) => formatFen(position)));

/** How dangerous each candidate is one move later: the average over the replies of the worst that the other side can
 * then be asked. */
async function later(candidates, batch) {
    const replies = candidates.flatMap((candidate) =>
        drawn(candidate.position, candidate.answer.moves, WIDE).map((entry) => ({ ...entry, candidate })),
    );
    const seconds = (await ask(replies, batch)).flatMap((answer, index) =>
        answer.moves ? drawn(replies[index].position, answer.moves, WIDE).map((entry) => ({ ...entry, reply: replies[index] })) : [],
    );
    for (const [index, answer] of (await ask(seconds, batch)).entries())
        if (answer.moves) {
            const { reply } = seconds[index];
            reply.danger = Math.max(reply.danger ?? 0, danger(repliesOf(answer)));
        }
    return candidates.map((candidate) => {
        const own = replies.filter((reply) => reply.candidate === candidate);
        return own.reduce((sum, reply) => sum + (reply.danger ?? 0), 0) / Math.max(1, own.length);
    });
}

/**
 * The drawing move of a drawn position that is hardest to answer. It repeats no position if it can; few replies hold;
 * the other side can go wrong soon; it pushes a pawn; it comes near to the enemy king. `before` are the FENs of the
 * game, from which repeated positions are known.
 */
export async function resist(position, moves, before, batch) {
    const seen = before.map(placeOf);
    const isPawn = (uci) => /p/i.test(position.men[uci.charCodeAt(0) - 97 + 8 * (uci[1] - 1)]);
    const entries = drawn(position, moves, Infinity);
    const answers = await ask(entries, batch);
    const candidates = entries
        .map(({ move, position: next }, index) => ({
            move,
            position: next,
            answer: answers[index],
            replies: repliesOf(answers[index]),
            seen: seen.filter((place) => place === placeOf(formatFen(next))).length,
            pawn: isPawn(move.uci),
            distance: distance(position, move.uci),
        }))
        .sort((a, b) => a.seen - b.seen || harder(a.replies, b.replies) || b.pawn - a.pawn || a.distance - b.distance);
    const [first] = candidates;
    const large = position.men.filter(Boolean).length > LARGE;
    if (first.replies.losing > 0 || first.replies.over || large) return first.move;
    const quiet = candidates.filter(({ seen: times, replies }) => times === first.seen && !replies.over).slice(0, WIDE);
    const dangers = await later(quiet, batch);
    return quiet[dangers.indexOf(Math.max(...dangers))].move;
}
