// Positions as text and as data, and the changes that an editor makes. No DOM, no server.
//
// A position is {men, turn, castling, ep, halfmove, fullmove}: `men` has 64 entries, a1 first, each
// a FEN letter or "".

export const FILES = "abcdefgh";
export const EMPTY = "8/8/8/8/8/8/8/8 w - - 0 1";

export const indexOf = (square) => FILES.indexOf(square[0]) + 8 * (square[1] - 1);
export const squareOf = (index) => FILES[index % 8] + (1 + Math.floor(index / 8));
export const isWhite = (man) => man !== "" && man === man.toUpperCase();

function readBoard(text) {
    const men = new Array(64).fill("");
    const ranks = text.split("/");
    if (ranks.length !== 8) throw new Error(`A FEN has 8 ranks, this one has ${ranks.length}.`);
    ranks.forEach((rank, row) => {
        let file = 0;
        for (const letter of rank) {
            if (/[1-8]/.test(letter)) file += Number(letter);
            else if (/[KQRBNPkqrbnp]/.test(letter)) men[(7 - row) * 8 + Math.min(file++, 7)] = letter;
            else throw new Error(`“${letter}” is not a piece: use KQRBNP for White, kqrbnp for Black.`);
        }
        if (file !== 8) throw new Error(`Rank ${8 - row} (“${rank}”) has ${file} squares instead of 8.`);
    });
    return men;
}

function readCount(text, name, least) {
    if (!/^\d{1,4}$/.test(text) || Number(text) < least)
        throw new Error(`The ${name} “${text}” is not a number of at least ${least}.`);
    return Number(text);
}

/** Castling rights, "KQkq" or less. Letters of files, as Shredder-FEN has them, are those of Chess960 unless king and
 * rooks stand as in chess. */
function readCastling(text, men) {
    if (/^(-|K?Q?k?q?)$/.test(text)) return text;
    if (!/^[KQkqA-Ha-h]{1,4}$/.test(text)) throw new Error(`The castling field “${text}” is not valid: use “-”.`);
    const possible = possibleCastling({ men });
    const rights = [...text].map((letter) => ({ H: "K", A: "Q", h: "k", a: "q" })[letter] ?? letter);
    if (!rights.every((right) => possible.includes(right)))
        throw new Error(
            "These castling rights are those of Chess960, which is not supported: write - in place of them if castling no longer matters.",
        );
    return [..."KQkq"].filter((right) => rights.includes(right)).join("");
}

const RANK = "[KQRBNPkqrbnp1-8]{1,8}";
const IN_TEXT = new RegExp(
    `(?<![A-Za-z0-9])((?:${RANK}/){7}${RANK})((?:[ _]+[-A-Za-z0-9]+){0,5})(?![A-Za-z0-9/])`,
);

/** The FEN in a pasted text: in quotes, a tag of PGN, a link of some site. Returns the text itself if there is none. */
export function fenIn(text) {
    let plain = text;
    try {
        plain = decodeURIComponent(text.replaceAll("+", " "));
    } catch {
        // Accept a text with a stray %.
    }
    const found = plain.match(IN_TEXT);
    return found && found.index > 0 ? found[1] + found[2] : plain;
}

const LINK = /^\s*["'(<]?(https?:|www\.|lichess\.org)/i;

/** Reads a FEN of one to six fields, or a text that contains one; underscores count as spaces. Impossible castling
 * rights and en passant squares of links are dropped. Throws an Error with a message for the player. */
export function parseFen(text) {
    const plain = fenIn(text);
    if (!LINK.test(text)) return readFen(plain);
    if (LINK.test(plain)) throw new Error("This link has no position in it: paste the FEN or the PGN.");
    return withPossibleRights(readFen(plain));
}

function readFen(text) {
    const fields = text.replaceAll("_", " ").trim().split(/\s+/);
    if (fields[0] === "") throw new Error("Type or paste a FEN.");
    if (fields.length > 6) throw new Error("A FEN has at most six fields.");
    const [board, turn = "w", castling = "-", ep = "-", halfmove = "0", fullmove = "1"] = fields;
    const men = readBoard(board);
    if (!/^[wb]$/.test(turn)) throw new Error(`The side to move is w or b, not “${turn}”.`);
    if (!/^(-|[a-h][36])$/.test(ep))
        throw new Error(`The en passant square “${ep}” is not on the third or sixth rank.`);
    return {
        men,
        turn,
        castling: readCastling(castling, men),
        ep,
        halfmove: readCount(halfmove, "halfmove clock", 0),
        fullmove: readCount(fullmove, "move number", 1),
    };
}

export function formatBoard(men) {
    const ranks = [];
    for (let rank = 7; rank >= 0; rank--) {
        const row = men.slice(rank * 8, rank * 8 + 8).map((man) => man || "1");
        ranks.push(row.join("").replace(/1+/g, (ones) => ones.length));
    }
    return ranks.join("/");
}

export function formatFen(position) {
    const { men, turn, castling, ep, halfmove, fullmove } = position;
    return [formatBoard(men), turn, castling, ep, halfmove, fullmove].join(" ");
}

/** The possible en passant squares: those behind a pawn that may just have made a double step and can be captured. */
export function epSquares({ men, turn }) {
    const [rank, forward, enemy, own] = turn === "w" ? [4, 8, "p", "P"] : [3, -8, "P", "p"];
    const found = [];
    for (let file = 0; file < 8; file++) {
        const at = rank * 8 + file;
        const beside = [file > 0 && men[at - 1], file < 7 && men[at + 1]];
        const open = men[at + forward] === "" && men[at + 2 * forward] === "";
        if (men[at] === enemy && open && beside.includes(own)) found.push(squareOf(at + forward));
    }
    return found;
}

/** Drops an impossible en passant square. */
function withPossibleEp(position) {
    const ep = epSquares(position).includes(position.ep) ? position.ep : "-";
    return { ...position, ep };
}

/** The castling rights whose king and rook are at home: "KQkq" or less. */
export function possibleCastling({ men }) {
    const homes = { K: ["e1", "h1"], Q: ["e1", "a1"], k: ["e8", "h8"], q: ["e8", "a8"] };
    const at = (man, square) => men[indexOf(square)] === man;
    return Object.keys(homes)
        .filter((right) => at(isWhite(right) ? "K" : "k", homes[right][0]) && at(isWhite(right) ? "R" : "r", homes[right][1]))
        .join("");
}

/** Drops an impossible en passant square, and castling rights whose king or rook is not at home. */
export function withPossibleRights(position) {
    const castling = [...possibleCastling(position)].filter((right) => position.castling.includes(right));
    return withPossibleEp({ ...position, castling: castling.join("") || "-" });
}

/** Drops an impossible en passant square and all castling rights. */
export const settle = (position) => ({ ...withPossibleEp(position), castling: "-" });

function moved(position, where) {
    const men = new Array(64).fill("");
    position.men.forEach((man, index) => (men[where(index)] = man));
    const ep = position.ep === "-" ? "-" : squareOf(where(indexOf(position.ep)));
    return { ...position, men, ep, castling: "-" };
}

/** The position with left and right exchanged. */
export const mirrorFiles = (position) => moved(position, (index) => index ^ 7);

/** The position with White and Black exchanged: ranks, colours and side to move. */
export function swapColours(position) {
    const flipped = moved(position, (index) => index ^ 56);
    const swap = (man) => (isWhite(man) ? man.toLowerCase() : man.toUpperCase());
    const turned = { ...flipped, men: flipped.men.map(swap), turn: position.turn === "w" ? "b" : "w" };
    const castling = position.castling === "-" ? "-" : [...position.castling].map(swap).join("");
    return withPossibleRights({ ...turned, castling });
}

export function withMan(position, square, man) {
    const men = position.men.slice();
    men[indexOf(square)] = man;
    return withPossibleRights({ ...position, men });
}

export function movedMan(position, from, to) {
    const man = position.men[indexOf(from)];
    return withMan(withMan(position, from, ""), to, man);
}

/** The castling rights that a move from or to a square ends. */
const RIGHTS = { a1: "Q", e1: "KQ", h1: "K", a8: "q", e8: "kq", h8: "k" };

function castlingAfter(castling, uci) {
    const lost = [uci.slice(0, 2), uci.slice(2, 4)].map((square) => RIGHTS[square] ?? "").join("");
    const left = [...castling].filter((right) => right !== "-" && !lost.includes(right));
    return left.join("") || "-";
}

/** The position after a legal move such as "e7e8q". Does not check that it is legal; the server lists legal moves. */
export function played(position, uci) {
    const [from, to] = [indexOf(uci.slice(0, 2)), indexOf(uci.slice(2, 4))];
    const men = position.men.slice();
    const man = men[from];
    const pawn = /p/i.test(man);
    const zeroing = pawn || men[to] !== "";
    if (/k/i.test(man) && Math.abs(to - from) === 2) {
        const corner = to > from ? from + 3 : from - 4;
        men[(from + to) / 2] = men[corner];
        men[corner] = "";
    }
    if (pawn && uci.slice(2, 4) === position.ep) men[to + (position.turn === "w" ? -8 : 8)] = "";
    men[from] = "";
    const promoted = uci[4] && (position.turn === "w" ? uci[4].toUpperCase() : uci[4]);
    men[to] = promoted || man;
    const next = {
        men,
        turn: position.turn === "w" ? "b" : "w",
        castling: castlingAfter(position.castling, uci),
        ep: pawn && Math.abs(to - from) === 16 ? squareOf((from + to) / 2) : "-",
        halfmove: zeroing ? 0 : position.halfmove + 1,
        fullmove: position.fullmove + (position.turn === "b" ? 1 : 0),
    };
    return withPossibleEp(next);
}

/** Letters of one side, king first: "KRP". */
export function sideLetters({ men }, white) {
    const own = men.filter((man) => man && isWhite(man) === white).map((man) => man.toUpperCase());
    return [..."KQRBNP"].map((letter) => own.filter((man) => man === letter).join("")).join("");
}

/** Why the position is impossible, as far as the page can tell; "" if it finds nothing. */
export function obstacle(position) {
    for (const [white, name] of [
        [true, "White"],
        [false, "Black"],
    ]) {
        const kings = sideLetters(position, white).match(/^K*/)[0].length;
        if (kings === 0) return `${name} has no king: put one on the board.`;
        if (kings > 1) return `${name} has ${kings} kings: remove all but one.`;
    }
    const pawn = position.men.findIndex((man, index) => /p/i.test(man) && (index < 8 || index >= 56));
    if (pawn >= 0)
        return `There is a pawn on ${squareOf(pawn)}: pawns never stand on the first or last rank.`;
    return "";
}
