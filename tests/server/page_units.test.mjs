// Unit tests of the page's modules without document: positions, words, games, PGN, charts. Run with node --test.
import assert from "node:assert/strict";
import { test } from "node:test";

import { byMoves, rankWords, tickStep } from "../../server/page/src/chart.js";
import { outcomeOf } from "../../server/page/src/drill.js";
import {
    EMPTY,
    epSquares,
    fenIn,
    formatFen,
    indexOf,
    mirrorFiles,
    movedMan,
    obstacle,
    parseFen,
    played,
    possibleCastling,
    settle,
    squareOf,
    swapColours,
    withMan,
} from "../../server/page/src/fen.js";
import {
    after,
    branchOf,
    currentFen,
    endOf,
    gameOf,
    goTo,
    isGame,
    newGame,
    nextOf,
    parentOf,
    pathTo,
    play,
    recalled,
    withoutVariation,
    written,
} from "../../server/page/src/game.js";
import { faultOf, looksLikeGames, openingMove } from "../../server/page/src/games.js";
import { resultOf, writePgn } from "../../server/page/src/pgn.js";
import {
    bothLose,
    isBlocked,
    marksBySquare,
    ownMachine,
    pawnsOf,
    positionAmong,
    blockedNote,
    squaresRule,
    structureOf,
    withBounds,
    zugzwangHere,
} from "../../server/page/src/blocked.js";
import { byKind, endingName, isNamed } from "../../server/page/src/endingname.js";
import { canLookUp, isCovered } from "../../server/page/src/installed.js";
import { resist } from "../../server/page/src/resist.js";
import { SAMPLES } from "../../server/page/src/samples.js";
import {
    claimWords,
    figuresWords,
    groupMoves,
    groupWords,
    judgeMove,
    listWords,
    moveWords,
    movesOf,
    percent,
    placeWords,
    ruleText,
    ruleTitle,
    sentence,
    verdictNote,
    verdictSentence,
} from "../../server/page/src/words.js";

const again = (fen) => formatFen(parseFen(fen));

const RANKS = {
    fen: "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1",
    verdict: "black",
    plies: 2,
    upper_bounds: false,
    moves: [
        { uci: "e5f4", san: "Kf4", capture: false, goal: false, verdict: "black", plies: 2 },
        { uci: "e5e6", san: "Ke6", capture: false, goal: false, verdict: "open", plies: null },
        { uci: "e5f6", san: "Kf6", capture: false, goal: false, verdict: "draw", plies: null },
    ],
    line: ["Kf4", "Kxd4"],
    line_uci: ["e5f4", "c4d4"],
    attacker: "black",
    groups: [
        { mark: "1", attacker: ["c4", "c6"], defender: ["e5"] },
        { mark: "2", attacker: ["e5"], defender: ["c4", "c2"] },
    ],
    zugzwangs: { c4: ["e5"], c6: ["e5"], e5: ["c4", "c2"] },
    double_zugzwangs: { c4: ["e5"] },
};

test("blocked positions are told from others as the server tells them", () => {
    const blocked = (fen) => isBlocked(parseFen(fen));
    for (const fen of [
        RANKS.fen,
        "8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1",
        "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
        "7K/7p/7P/8/8/8/8/k7 w - - 0 1",
    ])
        assert.ok(blocked(fen), fen);
    for (const fen of [
        "8/8/8/8/8/8/8/K6k w - - 0 1", // no pawns
        "8/8/8/8/3P4/8/8/K6k w - - 0 1", // free
        "8/8/2p5/2Pp4/2PP4/8/8/K6k w - - 0 1", // takes
        "8/8/8/3pr3/3P4/8/8/K6k w - - 0 1", // a piece
        "8/3P4/8/8/8/8/8/K6k w - - 0 1", // nothing before it but the edge
        "8/8/7p/p7/7P/P7/8/K6k w - - 0 1", // apart; and nothing of the next rank is before it
    ])
        assert.ok(!blocked(fen), fen);
    assert.equal(structureOf(parseFen(RANKS.fen)), "Pd4pd5");
});

test("files of one structure of pawns are named after it, and a position of it can be set up", () => {
    assert.deepEqual(pawnsOf("a3c4-a4c5c6.exact.treb"), [["a3", "c4"], ["a4", "c5", "c6"]]);
    assert.deepEqual(pawnsOf("-e5.solved.treb"), [[], ["e5"]]);
    for (const name of ["KPvK.wdl.treb", "a1-a8.solved.treb", ""]) assert.equal(pawnsOf(name), null);
    const fen = (white, black) => formatFen(positionAmong([white, black]));
    assert.equal(fen(["a3", "c4"], ["a4", "c5", "c6"]), "4k3/8/2p5/2p5/p1P5/P7/8/4K3 w - - 0 1");
    assert.equal(fen(["d7"], ["f2"]), "3k4/3P4/8/8/8/8/5p2/3K4 w - - 0 1", "neither is in check");
});

test("what a blocked-pawn table says, in words", () => {
    const blocked = { file: "d4-d5.exact.treb", upper_bounds: false };
    const known = probe({ verdict: "loss", verdict_clock_zero: "loss", dtm_plies: null, dtc_plies: 2, blocked });
    assert.equal(verdictSentence(known).text, "Black wins");
    assert.match(verdictNote(known), /^From a blocked-pawn table: 2 plies to mate or .*50-move rule is ignored/);
    const bound = { ...known, dtc_plies: null, at_most_plies: 2, blocked: { ...blocked, upper_bounds: true } };
    assert.match(verdictNote(bound), /at most 2 plies/);
    assert.match(verdictNote({ ...known, verdict: "draw" }), /neither side can win/);
    const open = { ...known, verdict: null, verdict_clock_zero: null };
    assert.match(verdictNote(open), /does not decide this/);
    assert.equal(verdictSentence(open).text, "Not known");
});

test("what the server has proved on request, in words", () => {
    const solved = { structures: 12, rule50: "no", out_of_memory: false };
    const move = { uci: "e3d3", at_most_plies: 7, dtc_plies: null };
    const won = { state: "ongoing", turn: "white", verdict: "win", at_most_plies: 7, dtc_plies: null, moves: [move], solved };
    assert.match(verdictNote(won), /12 pawn structures examined\. At most 7 plies to the next capture.*rule changes nothing\.$/);
    assert.match(verdictNote({ ...won, at_most_plies: null, dtc_plies: 1 }), /examined\. 1 ply to the next capture/);
    assert.match(verdictNote({ ...won, at_most_plies: null }), /examined\. The 50-move rule/);
    assert.match(verdictNote({ ...won, solved: { ...solved, rule50: "maybe" } }), /50-move rule is ignored\.$/);
    assert.equal(verdictNote({ ...won, verdict: "draw" }), "Proved just now; 12 pawn structures examined.");
    assert.match(verdictNote({ ...won, verdict: null }), /^The time allowed for this ran out/);
    assert.equal(withBounds(won).moves[0].dtc_plies, 7);
    assert.equal(withBounds({ ...won, moves: [{ at_most_plies: null, dtc_plies: 3 }] }).moves[0].dtc_plies, 3);
});

test("where tables end the page says so, and what is known", () => {
    const moves = [{ verdict: "draw" }, { verdict: null }, { verdict: null }];
    const beyond = (code, extra) =>
        probe({
            verdict: null,
            verdict_clock_zero: null,
            dtm_plies: null,
            men: 7,
            material: "KRPPvKRP",
            moves,
            unknown: [{ metric: "wdl", code, message: "" }],
            ...extra,
        });
    assert.equal(verdictSentence(beyond("no_table")).text, "Not known");
    assert.equal(
        verdictNote(beyond("no_table")),
        "There is no table for KRPPvKRP (7 pieces) here. One move leads to a known position.",
    );
    const many = beyond("too_many_men", { men: 32, material: null, moves: [] });
    assert.equal(verdictNote(many), "Tables stop long before 32 pieces. You can still play every legal move.");
    assert.match(verdictNote(beyond("castling")), /^Castling is still possible/);
});

test("corresponding squares in words", () => {
    assert.match(squaresRule(RANKS), /^When Black’s king goes to a filled mark, White’s king must/);
    assert.match(squaresRule({ ...RANKS, groups: [] }), /no mutual zugzwang/);
    assert.match(zugzwangHere(RANKS, parseFen(RANKS.fen)), /the side to move loses/);
    const here = zugzwangHere(RANKS, parseFen("8/8/2k5/3pK3/3P4/8/8/8 w - - 0 1"));
    assert.match(here, /Black to move does not win; White to move loses/);
    assert.equal(zugzwangHere(RANKS, parseFen("8/2k5/8/3pK3/3P4/8/8/8 w - - 0 1")), "");
    assert.equal(bothLose(RANKS), "The side to move loses: Ke5–Kc4.");
    assert.equal(bothLose({ ...RANKS, double_zugzwangs: {} }), "");
    const marks = marksBySquare(RANKS.groups);
    assert.deepEqual(marks.e5, { attacker: [1], defender: [0] });
    assert.deepEqual(marks.c2, { attacker: [], defender: [1] });
});

test("a FEN is read and written", () => {
    for (const fen of [
        "8/8/8/3Kp3/4Pk2/8/8/8 w - - 0 1",
        "7K/8/k1P5/7p/8/8/8/8 b - - 17 42",
        "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
        EMPTY,
    ])
        assert.equal(again(fen), fen);
    assert.equal(again(" 8/8/8/3Kp3/4Pk2/8/8/8_w_-_-_0_1 "), "8/8/8/3Kp3/4Pk2/8/8/8 w - - 0 1");
    assert.equal(again("8/8/8/3Kp3/4Pk2/8/8/8"), "8/8/8/3Kp3/4Pk2/8/8/8 w - - 0 1");
    assert.equal(again("8/8/8/3Kp3/4Pk2/8/8/8 b"), "8/8/8/3Kp3/4Pk2/8/8/8 b - - 0 1");
    assert.equal(again("11111111/8/8/3Kp3/4Pk2/8/8/8 w"), "8/8/8/3Kp3/4Pk2/8/8/8 w - - 0 1");
});

test("what is wrong with a FEN is said", () => {
    const cases = {
        "": /Type or paste/,
        "8/8/8/8/8/8/8 w": /7/,
        "8/8/8/8/8/8/8/9 w": /“9”/,
        "8/8/8/8/8/8/8/7 w": /Rank 1 .* 7 squares/,
        "8/8/8/8/8/8/8/KKKKKKKKK w": /9 squares/,
        "8/8/8/3Kx3/8/8/8/8 w": /“x”/,
        "8/8/8/8/8/8/8/8 x": /w or b/,
        "8/8/8/8/8/8/8/8 w X": /castling/,
        "8/8/8/8/8/8/8/8 w - e4": /en passant/,
        "8/8/8/8/8/8/8/8 w - - -1": /halfmove/,
        "8/8/8/8/8/8/8/8 w - - 0 0": /move number/,
        "8/8/8/8/8/8/8/8 w - - 0 1 2": /six/,
    };
    for (const [fen, message] of Object.entries(cases)) assert.throws(() => parseFen(fen), message, fen);
});

test("a FEN is found in what people paste", () => {
    const fen = "8/8/8/3Kp3/4Pk2/8/8/8 w - - 0 1";
    const under = fen.replaceAll(" ", "_");
    for (const text of [
        `"${fen}"`,
        `[FEN "${fen}"]`,
        `https://lichess.org/analysis/standard/${under}`,
        `https://lichess.org/analysis/fromPosition/${under}#0`,
        `https://lichess.org/editor/${under}?color=white`,
        `https://syzygy-tables.info/?fen=${under}`,
        `http://localhost:8080/?fen=${encodeURIComponent(fen)}`,
        `https://example.org/?fen=${fen.replaceAll(" ", "+")}&x=1`,
        `FEN: ${fen}, a trebuchet`,
        fen,
        under,
    ])
        assert.equal(again(text), fen, text);
    assert.equal(again("see 8/8/8/3Kp3/4Pk2/8/8/8"), fen);
    for (const text of ["no position at all", "8/8/8/8 w", "https://lichess.org/abcdefgh", "100%"])
        assert.equal(fenIn(text), text);
    assert.throws(() => parseFen("https://lichess.org/abcdefgh"), /link has no position/);
    const impossible = "https://lichess.org/editor/4k3/8/8/8/8/8/8/4K2R_w_KQkq_e6_0_1";
    assert.equal(again(impossible), "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "links may have impossible rights");
});

test("what the server says becomes a sentence", () => {
    assert.equal(sentence("the FEN is empty"), "The FEN is empty.");
    assert.equal(sentence("f8=R is no move"), "f8=R is no move.", "moves stay");
    assert.equal(sentence("No answer."), "No answer.");
});

test("games are told from positions", () => {
    for (const text of ["1. e4 e5", '[Event "x"]\n\n1. d4', "1.e4", '[FEN "8/8/8/3Kp3/4Pk2/8/8/8 w - - 0 1"]\n\n1. Kd6 *'])
        assert.ok(looksLikeGames(text), text);
    for (const text of ["8/8/8/3Kp3/4Pk2/8/8/8 w - - 0 1", '[FEN "8/8/8/3Kp3/4Pk2/8/8/8 w - - 0 1"]', "KRPvKR", ""])
        assert.ok(!looksLikeGames(text), text);
    assert.equal(
        faultOf({ judgement: "blunder", verdict_before: "win", best: { san: "f8=R" } }),
        "Throws away the win. f8=R was better.",
    );
    assert.equal(faultOf({ judgement: "blunder", verdict_before: "draw", best: null }), "Loses a drawn game.");
    assert.equal(faultOf({ san: "Kd5" }), "");
});

test("how a drill stands", () => {
    const win = { side: "white", goal: "win" };
    const at = (extra) => probe({ verdict: "win", ...extra });
    assert.equal(outcomeOf(win, at({}), 1), null);
    assert.equal(outcomeOf(win, at({ turn: "black", verdict: "loss" }), 1), null);
    assert.equal(outcomeOf(win, at({ verdict: "draw" }), 1), "slipped");
    assert.equal(outcomeOf(win, at({ verdict: "cursed_win" }), 1), "slipped");
    assert.equal(outcomeOf(win, at({ turn: "black", state: "checkmate", verdict: "loss" }), 1), "won");
    assert.equal(outcomeOf(win, at({ turn: "black", state: "stalemate", verdict: "draw" }), 1), "slipped");
    const hold = { side: "black", goal: "draw" };
    assert.equal(outcomeOf(hold, at({ verdict: "draw" }), 24), null);
    assert.equal(outcomeOf(hold, at({ verdict: "draw" }), 25), "held");
    assert.equal(outcomeOf(hold, at({}), 3), "slipped");
    assert.equal(outcomeOf(hold, at({ turn: "black", state: "checkmate", verdict: "loss" }), 3), "lost");
    assert.equal(outcomeOf(hold, at({ state: "insufficient_material", verdict: "draw" }), 3), "held");
});

test("castling rights: those that are possible, and those of Chess960", () => {
    const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w";
    assert.equal(again(`${start} HAha - 0 1`), `${start} KQkq - 0 1`, "Shredder's letters for a position of chess");
    assert.equal(again(`${start} Hq - 0 1`), `${start} Kq - 0 1`);
    for (const fen of [
        "bqnrkbnr/pppppppp/8/8/8/8/PPPPPPPP/BQNRKBNR w HDhd - 0 1",
        "1k5r/8/8/8/8/8/8/1K5R w Hh - 0 1",
        "4k3/8/8/8/8/8/8/4K1R1 w G - 0 1",
    ])
        assert.throws(() => parseFen(fen), /Chess960, which is not supported/, fen);
    assert.throws(() => parseFen(`${start} XY - 0 1`), /castling field/);
    assert.equal(possibleCastling(parseFen("r3k3/8/8/8/8/8/8/4K2R w")), "Kq");
    const both = parseFen("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1");
    assert.equal(withMan(both, "d4", "Q").castling, "Kq", "rights stay while a position is edited");
    assert.equal(withMan(both, "h1", "").castling, "q");
    assert.equal(movedMan(both, "e8", "d8").castling, "K");
    assert.equal(swapColours(both).castling, "Qk");
    assert.equal(mirrorFiles(both).castling, "-");
});

test("endings as players write them", () => {
    const names = {
        "rook and pawn v rook": "KRPvKR",
        "Rook and Pawn versus Rook": "KRPvKR",
        "R+P vs R": "KRPvKR",
        "R+P vs. R": "KRPvKR",
        "RP v R": "KRPvKR",
        "rook & pawn against rook": "KRPvKR",
        "king, rook and pawn - king and rook": "KRPvKR",
        "Q v R": "KQvKR",
        "two bishops v knight": "KBBvKN",
        "2 knights vs pawn": "KNNvKP",
        "a queen against two pawns": "KQvKPP",
        "king and pawn": "KPvK",
        pawn: "KPvK",
        "bishop and knight": "KBNvK",
        "Rook endings": "KRvK",
        "KRP v KR": "KRPvKR",
        "krp-kr": "KRPvKR",
    };
    for (const [text, name] of Object.entries(names)) assert.equal(endingName(text), name, text);
    // What the server reads, and what nobody knows, stays.
    for (const text of ["KRPvKR", "KRPKR", "lucena", "mate in two", "king v king", "rook v rook v rook"])
        assert.equal(endingName(text), text);
    const found = (text) => SAMPLES.find(({ name }) => isNamed(name, text))?.name;
    assert.equal(found("Lucena"), "The bridge (Lucena)");
    assert.equal(found("reti"), "Two plans at once (Réti, 1921)");
    assert.equal(found("trebuchet"), "The trébuchet: the side to move loses");
    assert.equal(found("KQ"), undefined);
});

test("endings by kind, those of few men first", () => {
    const list = ["KRPvK", "KQvKR", "KBNvK", "KPPvK", "KPvK", "KRvK", "KNvKP"].map((material) => ({ material, men: material.length - 1 }));
    assert.deepEqual(
        byKind(list).map(({ title, endings }) => [title, ...endings.map(({ material }) => material)]),
        [
            ["Pawn endings", "KPvK", "KPPvK"],
            ["Rook endings", "KRvK", "KRPvK"],
            ["Queen endings", "KQvKR"],
            ["Minor pieces", "KBNvK", "KNvKP"],
        ],
    );
});

test("what a server can look up", () => {
    const server = { tables: [{ material: "KRPvKR" }], ranks: ["a3c4-a4c5c6.exact.treb"], solved: ["d5-d6.solved.treb"] };
    const can = (fen) => canLookUp(server, parseFen(fen));
    assert.ok(can("1K1k4/1P6/8/8/8/8/r7/2R5 w"));
    assert.ok(can("1K1k4/8/8/8/8/8/pr6/2R5 w"), "colours exchanged");
    assert.ok(!can("8/8/8/3Kp3/4Pk2/8/8/8 w"));
    assert.ok(can("8/8/2p5/k1p1K3/p1P5/P7/8/8 w"), "blocked pawns");
    assert.ok(can("8/8/5p2/3K1p1k/5P1p/7P/8/8 w"), "mirrored");
    assert.ok(can("8/8/7p/p4p1P/P1K1pP1k/4P3/8/8 w") === false);
    assert.ok(can("8/8/8/3pK3/3P4/8/8/4k3 w") === false, "d4 against d5");
    assert.ok(can("4k3/8/3p4/3P4/8/8/8/4K3 w"));
    assert.ok(can("4k3/8/8/8/4p3/4P3/8/4K3 w"), "mirrored, and with colours exchanged");
    const probe = { verdict_clock_zero: "win", unknown: [] };
    assert.ok(isCovered(probe, { castling: "-" }));
    assert.ok(!isCovered(probe, { castling: "K" }));
    assert.ok(!isCovered({ ...probe, unknown: [{ metric: "wdl", code: "no_table" }] }, { castling: "-" }));
    assert.ok(isCovered({ ...probe, unknown: [{ metric: "dtm", code: "no_table" }] }, { castling: "-" }));
    assert.ok(!isCovered({ ...probe, blocked: {} }, { castling: "-" }));
});

test("squares and their numbers", () => {
    assert.equal(indexOf("a1"), 0);
    assert.equal(indexOf("h8"), 63);
    for (let index = 0; index < 64; index++) assert.equal(indexOf(squareOf(index)), index);
});

test("mirroring and exchanging colours", () => {
    const position = parseFen("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 3 9");
    assert.equal(formatFen(mirrorFiles(position)), "8/8/8/8/Q2pP2k/8/8/4K3 b - e3 3 9");
    assert.equal(formatFen(swapColours(position)), "3k4/8/8/K2pP2q/8/8/8/8 w - d6 3 9");
    assert.equal(formatFen(mirrorFiles(mirrorFiles(position))), formatFen(position));
    assert.equal(formatFen(swapColours(swapColours(position))), formatFen(position));
});

test("en passant squares are those a pawn can be taken on", () => {
    assert.deepEqual(epSquares(parseFen("8/8/8/8/k2Pp2Q/8/8/3K4 b")), ["d3"]);
    assert.deepEqual(epSquares(parseFen("8/8/8/8/k2P1p1Q/8/8/3K4 b")), []);
    assert.deepEqual(epSquares(parseFen("8/8/8/8/k2Pp2Q/8/3R4/3K4 b")), [], "no way through");
    assert.deepEqual(epSquares(parseFen("8/8/8/8/k2Pp2Q/8/8/3K4 w")), []);
    assert.deepEqual(epSquares(parseFen("8/8/8/p6P/8/8/8/K6k b")), [], "files do not wrap round");
    assert.deepEqual(epSquares(parseFen("8/8/8/2pPp3/8/8/8/K6k w")), ["c6", "e6"]);
    assert.equal(settle(parseFen("8/8/8/8/k2P1p1Q/8/8/3K4 b - d3 0 1")).ep, "-");
});

test("putting, moving and taking off men", () => {
    const empty = parseFen(EMPTY);
    assert.equal(formatFen(withMan(empty, "a1", "K")), "8/8/8/8/8/8/8/K7 w - - 0 1");
    assert.equal(
        formatFen(movedMan(parseFen("8/8/8/8/8/8/8/Kr6 w"), "a1", "b1")),
        "8/8/8/8/8/8/8/1K6 w - - 0 1",
    );
    assert.equal(
        formatFen(withMan(parseFen("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1"), "e4", "")),
        "8/8/8/8/k2P3Q/8/8/3K4 b - - 0 1",
        "en passant goes with the pawn",
    );
});

test("moves change men, clocks and en passant", () => {
    const after = (fen, uci) => formatFen(played(parseFen(fen), uci));
    assert.equal(after("8/8/8/3Kp3/4Pk2/8/8/8 w - - 4 1", "d5c4"), "8/8/8/4p3/2K1Pk2/8/8/8 b - - 5 1");
    assert.equal(after("8/8/8/4p3/2K1Pk2/8/8/8 b - - 5 1", "f4e4"), "8/8/8/4p3/2K1k3/8/8/8 w - - 0 2");
    assert.equal(after("8/5P1k/8/7K/8/8/8/8 w - - 0 1", "f7f8r"), "5R2/7k/8/7K/8/8/8/8 b - - 0 1");
    assert.equal(after("k7/8/8/8/8/8/5p2/K7 b - - 0 1", "f2f1n"), "k7/8/8/8/8/8/8/K4n2 w - - 0 2");
    assert.equal(after("8/8/8/8/k3p2Q/8/3P4/3K4 w - - 0 1", "d2d4"), "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1");
    assert.equal(after("8/8/8/8/k6Q/8/3P4/3K4 w - - 0 1", "d2d4"), "8/8/8/8/k2P3Q/8/8/3K4 b - - 0 1");
    assert.equal(after("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", "e4d3"), "8/8/8/8/k6Q/3p4/8/3K4 w - - 0 2");
    assert.equal(
        after("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 1", "e1g1"),
        "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 4 1",
    );
    assert.equal(
        after("r3k2r/8/8/8/8/8/8/R4RK1 b kq - 4 1", "e8c8"),
        "2kr3r/8/8/8/8/8/8/R4RK1 w - - 5 2",
    );
    assert.equal(after("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 1", "a1a8"), "R3k2r/8/8/8/8/8/8/4K2R b Kk - 0 1");
});

test("what hinders an answer is said before asking", () => {
    assert.match(obstacle(parseFen(EMPTY)), /White has no king/);
    assert.match(obstacle(parseFen("8/8/8/8/8/8/8/K7 w")), /Black has no king/);
    assert.match(obstacle(parseFen("KK6/8/8/8/8/8/8/k7 w")), /White has 2 kings/);
    assert.match(obstacle(parseFen("P7/8/8/8/8/8/8/k6K w")), /pawn on a8/);
    assert.equal(obstacle(parseFen("8/8/8/8/8/8/8/k6K w")), "");
    for (const { fen } of SAMPLES) assert.equal(obstacle(parseFen(fen)), "", fen);
});

const probe = (extra) => ({
    state: "ongoing",
    turn: "white",
    verdict: "win",
    verdict_clock_zero: "win",
    halfmove_clock: 0,
    dtm_plies: 45,
    ...extra,
});

test("verdicts in words", () => {
    const say = (extra) => verdictSentence(probe(extra)).text;
    assert.equal(say({}), "White mates in 23 moves");
    assert.equal(say({ dtm_plies: 1 }), "White mates in 1 move");
    assert.equal(say({ verdict: "loss", dtm_plies: 46 }), "Black mates in 23 moves");
    assert.equal(say({ turn: "black", verdict: "loss", dtm_plies: 2 }), "White mates in 1 move");
    assert.equal(say({ dtm_plies: null }), "White wins");
    assert.equal(say({ dtm50_plies: 45 }), "White mates in 23 moves");
    assert.equal(say({ dtm50_plies: 61 }), "White mates in 31 moves within the 50-move rule");
    assert.equal(verdictNote(probe({ dtm50_plies: 61 })), "Without the rule, White would mate in 23 moves.");
    assert.equal(verdictNote(probe({ dtm50_plies: 45 })), "");
    assert.equal(say({ dtm50_plies: null }), "White wins");
    assert.equal(verdictNote(probe({ dtm50_plies: null })), "Without the 50-move rule, White would mate in 23 moves.");
    assert.equal(say({ verdict: "draw", dtm_plies: null }), "Draw");
    assert.equal(say({ verdict: "cursed_win" }), "White wins, but the 50-move rule saves Black");
    assert.equal(say({ verdict: "blessed_loss" }), "Black wins, but the 50-move rule saves White");
    assert.equal(say({ state: "checkmate", verdict: "loss", dtm_plies: 0 }), "Checkmate. Black wins.");
    assert.equal(say({ state: "stalemate", verdict: "draw" }), "Stalemate. It is a draw.");
    assert.match(say({ state: "insufficient_material", verdict: "draw" }), /^Draw/);
    assert.match(
        verdictNote(probe({ verdict: "cursed_win", verdict_clock_zero: "win", halfmove_clock: 70 })),
        /70 half-moves ago; with the clock at 0 White would win/,
    );
    assert.match(
        verdictNote(probe({ verdict: "blessed_loss", verdict_clock_zero: "blessed_loss", dtm_plies: 156 })),
        /Black would mate in 78 moves/,
    );
});

test("plies become moves", () => assert.deepEqual([0, 1, 2, 3, 148].map(movesOf), [0, 1, 1, 2, 74]));

test("moves are grouped and told", () => {
    const moves = [{ verdict: "win" }, { verdict: "draw" }, { verdict: "draw" }, { verdict: "loss" }];
    assert.deepEqual(
        groupMoves(moves).map(({ title, moves: list }) => [title, list.length]),
        [
            ["Winning", 1],
            ["Drawing", 2],
            ["Losing", 1],
        ],
    );
    assert.equal(moveWords({ verdict: "win", dtm_plies: 11 }, "dtm"), "mates in 6 moves");
    assert.equal(moveWords({ verdict: "loss", dtm_plies: 12 }, "dtm"), "is mated in 6 moves");
    assert.equal(moveWords({ verdict: "win", dtc_plies: 1 }, "dtc"), "conversion in 1 move");
    assert.equal(moveWords({ verdict: "win", checkmate: true }, "dtm"), "checkmate");
});

test("a move is told against the best", () => {
    const win = (plies) => ({ verdict: "win", dtm_plies: plies });
    const [draw, loss] = [{ verdict: "draw" }, { verdict: "loss", dtm_plies: 20 }];
    const judge = (best, own) => judgeMove([best], own, "dtm")?.text;
    assert.equal(judge(win(11), win(11)), "Best move");
    assert.equal(judge(win(11), win(17)), "Still winning, 3 moves slower");
    assert.equal(judge(win(11), draw), "Gives away the win");
    assert.equal(judge(win(11), loss), "Turns a win into a loss");
    assert.equal(judge(draw, loss), "Loses a drawn game");
    assert.equal(judge(draw, draw), "Holds the draw");
    assert.equal(judge(loss, { verdict: "loss", dtm_plies: 18 }), "Loses 1 move sooner");
    assert.equal(judge({ verdict: "blessed_loss" }, loss), "Gives up the 50-move draw");
    assert.equal(judge({ verdict: null }, loss), undefined);
});

test("no move is called good while another may be better", () => {
    const moves = [{ verdict: "draw" }, { verdict: "loss", dtm_plies: 4 }, { verdict: null }];
    assert.equal(judgeMove(moves, moves[0], "dtm"), null);
    assert.equal(judgeMove(moves, moves[1], "dtm").tone, "bad");
});

test("shares never round to nothing or everything", () => {
    assert.deepEqual(
        [
            percent(0, 10),
            percent(10, 10),
            percent(1, 3),
            percent(1, 1e6),
            percent(999999, 1e6),
            percent(0, 0),
        ],
        ["0 %", "100 %", "33.3 %", "< 0.1 %", "> 99.9 %", "0 %"],
    );
});

const START = "8/5P1k/8/7K/8/8/8/8 w - - 0 1";
const ROOK = { uci: "f7f8r", san: "f8=R", fen: "5R2/7k/8/7K/8/8/8/8 b - - 0 1" };
const KING = { uci: "h7g7", san: "Kg7", fen: "5R2/6k1/8/7K/8/8/8/8 w - - 1 2" };

const KH8 = { uci: "h7h8", san: "Kh8", fen: "5R1k/8/8/7K/8/8/8/8 w - - 1 2" };
const KH6 = { uci: "h5h6", san: "Kh6", fen: "5R1k/8/7K/8/8/8/8/8 b - - 2 2" };
const QUEEN = { uci: "f7f8q", san: "f8=Q", fen: "5Q2/7k/8/7K/8/8/8/8 b - - 0 1" };
const pasted = (...moves) => gameOf({ start: START, moves, tags: { White: "Réti" }, result: "1-0" });

/** A game as it is written: numbers, moves, parentheses. */
const asWritten = (game) =>
    written(game)
        .map((token) => {
            if (typeof token === "string") return token;
            const { number, white, fresh, move } = token;
            return white ? `${number}.${move.san}` : fresh ? `${number}...${move.san}` : move.san;
        })
        .join(" ");

test("a game goes on, back, and another way: what was played stays as a variation", () => {
    let game = play(play(newGame(START), ROOK), KING);
    assert.equal(currentFen(game), KING.fen);
    game = goTo(game, 1);
    assert.equal(currentFen(game), ROOK.fen);
    assert.equal(play(game, KING).moves.length, 2, "the same move goes along the game");
    game = play(play(game, KH8), KH6);
    assert.equal(currentFen(game), KH6.fen);
    assert.deepEqual(pathTo(game), [1, 3, 4]);
    assert.deepEqual(after(game, 1), [2, 3], "the first move stays the main one");
    assert.deepEqual([nextOf(game), endOf(game, 0), parentOf(game, 3)], [0, 2, 1]);
    assert.equal(branchOf(game), 1);
    game = play(goTo(game, 0), QUEEN);
    assert.equal(asWritten(game), "1.f8=R ( 1.f8=Q ) 1...Kg7 ( 1...Kh8 2.Kh6 )");
    assert.equal(goTo(game, -3).at, 0);
    assert.equal(goTo(game, 99).at, 5);
    assert.deepEqual(game.moves.map(({ uci }) => uci), ["f7f8r", "h7g7", "h7h8", "h5h6", "f7f8q"], "numbers stay");
});

test("back to a pasted game, and a variation deleted", () => {
    let game = play(goTo(pasted(ROOK, KING), 1), KH8);
    assert.equal(branchOf(game), 1);
    game = play(game, KH6);
    assert.equal(branchOf(game), 1);
    const without = withoutVariation(game);
    assert.deepEqual([without.moves.length, without.at, without.result], [2, 1, "1-0"]);
    assert.equal(branchOf(goTo(game, 2)), 2, "on the game itself");
    assert.equal(withoutVariation(goTo(game, 2)).moves.length, 4);
    // What is played beyond the last move of a pasted game is not the game.
    const beyond = play(goTo(pasted(ROOK), 1), KING);
    assert.equal(branchOf(beyond), 1);
    assert.equal(branchOf(play(goTo(newGame(START), 0), ROOK)), 1, "a game of one's own has no such end");
    // Other variations keep their places among the moves when one goes.
    let wide = play(goTo(play(goTo(pasted(ROOK, KING), 0), QUEEN), 1), KH8);
    wide = withoutVariation(goTo(wide, 3));
    assert.equal(asWritten(wide), "1.f8=R Kg7 ( 1...Kh8 )");
});

test("a game of the browser's history gets the moves made since", () => {
    const early = play(newGame(START), ROOK);
    const late = play(play(early, KING), KH6);
    assert.deepEqual(recalled(late, early), goTo(late, 1));
    assert.equal(recalled(early, late), late, "the way forward");
    const other = play(newGame(START), QUEEN);
    assert.equal(recalled(late, other), other);
    assert.ok(isGame(late));
    for (const old of [null, {}, { start: START, moves: [ROOK], at: 1 }, { ...early, at: 7 }]) assert.ok(!isGame(old));
});

test("moves are numbered from either side", () => {
    assert.equal(asWritten(pasted(ROOK, KING)), "1.f8=R Kg7");
    const start = "8/8/8/8/8/8/8/k6K b - - 0 7";
    const moves = [{ ...KING, fen: "8/8/8/8/8/8/k7/7K w - - 1 8" }, ROOK];
    assert.equal(asWritten(gameOf({ start, moves })), "7...Kg7 8.f8=R");
    assert.equal(asWritten(newGame(START)), "");
});

test("a pasted game opens where there is something to see", () => {
    const move = (verdict_after, judgement = null) => ({ verdict_after, judgement });
    const moves = [move(null), move("draw"), move("loss", "blunder"), move("win")];
    assert.equal(openingMove({ verdict: null, moves }), 3, "the first blunder");
    assert.equal(openingMove({ verdict: null, moves: moves.slice(0, 2) }), 2, "the first known position");
    assert.equal(openingMove({ verdict: "draw", moves: moves.slice(1, 2) }), 0);
    assert.equal(openingMove({ verdict: null, moves: moves.slice(0, 1) }), 0, "nothing is known");
});

test("PGN", () => {
    const at = (game, place) => goTo(game, place);
    const text = writePgn({
        game: play(newGame(START), ROOK),
        best: [KING],
        comment: "White mates in 5 moves",
        result: "1-0",
        site: "http://x/?fen=1",
        date: new Date(2026, 0, 2),
    });
    assert.match(
        text,
        /^\[Event "Endgame study"\]\n\[Site "http:\/\/x\/\?fen=1"\]\n\[Date "2026\.01\.02"\]\n/,
    );
    assert.match(text, /\[Result "1-0"\]\n\[SetUp "1"\]\n\[FEN "8\/5P1k\/8\/7K\/8\/8\/8\/8 w - - 0 1"\]/);
    assert.ok(text.endsWith("\n\n1. f8=R { White mates in 5 moves } (1. f8=R Kg7) 1-0\n"), text);
    const body = (game, options) => writePgn({ game, ...options }).split("\n\n")[1];
    assert.equal(body(newGame(START), { best: [ROOK, KING], result: "1-0" }), "1. f8=R Kg7 1-0\n");
    const other = { ...KING, uci: "h7h6", san: "Kh6" };
    const both = pasted(ROOK, KING);
    assert.equal(body(at(both, 1), { best: [other] }), "1. f8=R Kg7 (1... Kh6) *\n");
    assert.equal(body(at(both, 1), { best: [KING] }), "1. f8=R Kg7 *\n", "what was played is best");
    assert.equal(
        body(at(both, 0), { best: [ROOK, other], comment: "so" }),
        "{ so } 1. f8=R Kg7 (1... Kh6) *\n",
        "it begins where it differs",
    );
    assert.equal(body(at(pasted(ROOK), 0), { best: [ROOK, KING] }), "1. f8=R (1. f8=R Kg7) *\n", "or goes on");
    const tree = play(at(play(play(at(both, 1), KH8), KH6), 0), QUEEN);
    assert.equal(body(tree, {}), "1. f8=R (1. f8=Q) 1... Kg7 (1... Kh8 2. Kh6) *\n", "variations");
    assert.match(writePgn({ game: { ...both, tags: { White: "Réti", Round: "2" } } }), /\[Round "2"\]\n\[White "Réti"\]\n\[Black "\?"\]/);
    const long = writePgn({ game: pasted(...Array.from({ length: 60 }, () => ROOK)) });
    assert.ok(long.split("\n").every((line) => line.length <= 80));
    assert.deepEqual(
        ["checkmate", "stalemate", "ongoing"].map((state) => resultOf(newGame(START), { state, turn: "black" })),
        ["1-0", "1/2-1/2", "*"],
    );
    assert.equal(resultOf(pasted({ ...ROOK, san: "Rf8#" }), null), "1-0");
    assert.equal(resultOf(pasted(ROOK), null), "*");
});

test("in a drawn position the table plays what is hard to answer", async () => {
    const position = parseFen("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1");
    const draws = (...ucis) => ucis.map((uci) => ({ uci, verdict: "draw" }));
    const moves = [...draws("e3d3", "e3f3", "e3d2"), { uci: "e3e4", verdict: "loss" }];
    const at = (uci) => formatFen(played(position, uci));
    const reply = (verdict) => ({ uci: "e5e6", verdict });
    const replies = (draw, loss) => ({ state: "ongoing", moves: [...Array(draw).fill(reply("draw")), ...Array(loss).fill(reply("loss"))] });
    const server = (answers, rest = replies(1, 0)) => async (fens) => fens.map((fen) => answers[fen] ?? rest);
    const choose = async (answers, before = []) => (await resist(position, moves, before, server(answers))).uci;
    assert.equal(await choose({ [at("e3f3")]: replies(1, 3), [at("e3d3")]: replies(4, 0), [at("e3d2")]: replies(2, 6) }), "e3f3");
    assert.equal(await choose({ [at("e3f3")]: replies(1, 3), [at("e3d3")]: replies(1, 5) }), "e3d3", "more replies lose");
    assert.equal(await choose({ [at("e3f3")]: replies(1, 0), [at("e3d2")]: replies(3, 1) }), "e3d2", "a forced move is easy");
    assert.equal(await choose({ [at("e3f3")]: replies(1, 3), [at("e3d2")]: replies(2, 6) }, [at("e3f3")]), "e3d2", "no repetition");
    const pawn = [...moves, ...draws("e2e4")];
    assert.equal((await resist(position, pawn, [], server({}))).uci, "e2e4", "a pawn is pushed where nothing else matters");
    const over = { state: "stalemate", moves: [] };
    assert.equal(await choose({ [at("e3d3")]: over, [at("e3f3")]: over }), "e3d2", "the game goes on");
    // Nothing can go wrong at once: towards the place where it can.
    const soon = formatFen(played(played(parseFen(at("e3d2")), "e5e6"), "d2e3"));
    const next = { state: "ongoing", moves: [{ uci: "e5e6", verdict: "draw" }] };
    const mine = { state: "ongoing", moves: draws("d2e3") };
    const after = formatFen(played(parseFen(at("e3d2")), "e5e6"));
    assert.equal(await choose({ [at("e3d2")]: next, [after]: mine, [soon]: replies(1, 4) }), "e3d2");
});

test("charts add up plies by moves", () => {
    assert.deepEqual(
        byMoves([
            [
                [1, 5],
                [3, 2],
            ],
            [
                [2, 1],
                [5, 4],
            ],
        ]),
        [0, 6, 2, 4],
    );
    assert.deepEqual(byMoves([[], []]), []);
    assert.deepEqual([tickStep(28, 7), tickStep(115, 6), tickStep(3, 6), tickStep(517, 6)], [5, 20, 1, 100]);
    assert.equal(
        rankWords([0, 6, 2, 4], 2, "White", "Mate"),
        "This position: mate in 2 moves. 33.3 % of White’s wins take longer.",
    );
    assert.match(rankWords([0, 6, 2, 4], 3, "White", "Mate"), /No win for White takes longer/);
});

test("only a page from this machine is the owner's", () => {
    for (const host of ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"]) assert.ok(ownMachine(host), host);
    for (const host of ["", "example.org", "127.0.0.1.example.org", "192.168.1.127", "[::2]"])
        assert.ok(!ownMachine(host), host);
});

test("lists in words", () => {
    const list = (full, white, black, shown) => ({
        kind: "zugzwang",
        found: full + white + black,
        zugzwang_full: full,
        zugzwang_white_loses: white,
        zugzwang_black_loses: black,
        positions: Array(shown),
    });
    assert.match(listWords(list(0, 0, 0, 0), false), /^There are none/);
    assert.equal(listWords(list(0, 0, 209, 209), false), "209 positions. In all of them Black loses if it must move.");
    assert.equal(listWords(list(0, 0, 209, 209), true), "209 positions. In all of them White loses if it must move.");
    assert.equal(
        listWords(list(15, 1063, 43, 256), false),
        "1,121 positions. In 15 the side to move loses, whichever it is; in 1,063 White loses if it must move; in 43 Black loses if it must move. The 256 that take longest to win:",
    );
    const longest = (found, shown) => ({ kind: "longest", found, positions: Array(shown) });
    assert.equal(listWords(longest(1, 1), false), "No other win takes as long.");
    assert.equal(listWords(longest(4, 4), false), "4 positions; no win takes longer.");
    assert.match(listWords(longest(300, 256), false), /The first 256:$/);
});

test("rules in words", () => {
    assert.equal(claimWords("win", "black"), "Black wins");
    assert.equal(claimWords("loss", "black"), "White wins");
    assert.equal(claimWords("not loss", "white"), "White does not lose");
    assert.equal(ruleTitle("Lucena's position (Salvio 1634; in any book): rook"), "Lucena's position");
    assert.equal(ruleTitle("The wrong bishop: a rook's pawn"), "The wrong bishop");
    assert.equal(ruleTitle("King and queen against king.\nThe queen alone"), "King and queen against king");
    assert.deepEqual(ruleText("It is\nso.\n\n  (1) One.\n  (2) Two\nlines."), ["It is so.", "(1) One.", "(2) Two lines."]);
    const figures = (wrong) => ({ positions: 1000, silent: 900, sayings: [{ says: "win", wrong: 0 }, { says: "loss", wrong }] });
    assert.equal(figuresWords(figures(0), "KPvK"), "It applies to 10.0 % of all positions of KPvK (100), and is right in all of them.");
    assert.match(figuresWords(figures(7), "KPvK"), /and is wrong in 7\.0 % of them \(7\)\.$/);
    assert.equal(claimWords("false", "white"), "false here");
    const statement = { positions: 1000, silent: 900, sayings: [{ says: "true", wrong: 0 }, { says: "false", wrong: 7 }] };
    assert.match(figuresWords(statement, "KBNvK"), /\(100\), and is false of 7\.0 % of them \(7\)\.$/);
    assert.equal(figuresWords({ positions: 9, silent: 9, sayings: [] }, "KPvK"), "It applies to no position of KPvK.");
});

test("places of a configuration in words", () => {
    assert.equal(placeWords("e4", "loss", "black"), "King on e4: White wins");
    assert.equal(placeWords("e4", "impossible", "black"), "King on e4: not possible");
    const side = { loss: 0, draw: 0, win: 0, impossible: 0, one_verdict: true, moves: [] };
    assert.equal(groupWords({ ...side, impossible: 3 }, "white"), "not possible");
    assert.equal(groupWords({ ...side, win: 3, moves: ["Ka1"] }, "black"), "Black wins by Ka1");
    assert.equal(groupWords({ ...side, draw: 3, moves: ["a", "b", "c", "d"] }, "black"), "a draw by a, b, c, …");
    assert.equal(groupWords({ ...side, loss: 1, draw: 2, one_verdict: false }, "white"), "a draw in 2, Black wins in 1");
});
