// Example positions.

/** The first position of the page. */
export const FIRST = "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1";

export const SAMPLES = [
    { name: "King and pawn against king", fen: FIRST },
    { name: "The bridge (Lucena)", fen: "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1" },
    { name: "The third rank defence (Philidor, 1777)", fen: "4k3/7R/r7/4PK2/8/8/8/8 b - - 0 1" },
    { name: "Underpromotion: a queen only draws", fen: "8/5P1k/8/7K/8/8/8/8 w - - 0 1" },
    { name: "Two plans at once (Réti, 1921)", fen: "7K/8/k1P5/7p/8/8/8/8 w - - 0 1" },
    { name: "Saavedra's move (1895)", fen: "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1" },
    { name: "Queen against rook (Philidor, 1777)", fen: "1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1" },
    { name: "Bishop and knight", fen: "8/8/8/3k4/8/8/8/KBN5 w - - 0 1" },
    { name: "The trébuchet: the side to move loses", fen: "8/8/8/3Kp3/4Pk2/8/8/8 w - - 0 1" },
    { name: "Corresponding squares (1983)", fen: "8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1" },
    { name: "Rook and pawn: 60 moves to convert", fen: "8/8/3R3k/8/8/8/rP6/3K4 b - - 0 1" },
    { name: "Two knights and a pawn: 115 moves, too many", fen: "1N6/8/p7/8/8/8/2k1N3/K7 w - - 0 1" },
    { name: "Two bishops against a knight: 78 moves", fen: "7B/6n1/8/4k3/8/7B/8/K7 b - - 0 1" },
];
