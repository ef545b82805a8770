// Types of the package trebuchet. Distances are plies (half moves). Verdicts are for the side to move; those of a move are for
// the side that makes it.

export type Verdict = "win" | "cursed_win" | "draw" | "blessed_loss" | "loss";
export type Metric = "wdl" | "dtz" | "dtc" | "dtm" | "dtm50";
export type Rule = "50" | "none";

/** What went wrong. FEN: not a FEN. POSITION: impossible. CASTLING: castling rights remain. MEN: more men than any table has.
 * NO_TABLE: a table is missing, see `material` and `metric`. DAMAGED: a file is altered or cut short, or of a format that this
 * library does not read. UNSUPPORTED: a file of codec zstd. NETWORK: a host does not answer, or does not have what it lists. */
export type ErrorCode =
    | "FEN" | "POSITION" | "CASTLING" | "MEN" | "NO_TABLE" | "DAMAGED" | "IO" | "MEMORY" | "ARGUMENT" | "NETWORK" | "TIMEOUT"
    | "UNSUPPORTED";

export class TrebuchetError extends Error {
    code: ErrorCode;
    /** With NO_TABLE: the missing table, "KRPvKR" and "dtm"; else "". */
    material: string;
    metric: Metric | "";
}

/** What the tables know. Distances are null where they are not known, and in draws. */
export interface Value {
    /** At a clock of 0; null if not known. */
    wdl: Verdict | null;
    /** With the position's clock, under the 50-move rule; null if that is not known for certain. */
    rule: Verdict | null;
    dtz: number | null;
    dtc: number | null;
    dtm: number | null;
    /** To mate under the 50-move rule, with the position's clock; null also where the rule makes it a draw. */
    dtm50: number | null;
    /** How exact dtz is: "rounded" may be one ply more (Syzygy's files). */
    rounded?: "rounded" | "at_most";
    /** Why a verdict or a distance is not known, by metric; left out where all are known. */
    why?: Partial<Record<Metric, ErrorCode>>;
}

export interface Move extends Value {
    uci: string;
    san: string;
    /** The distance by the metric that was asked for; with "wdl" the verdict. */
    value: number | Verdict | null;
    capture: boolean;
    /** A capture or pawn move. */
    zeroing: boolean;
    /** A capture or promotion. */
    conversion: boolean;
    check: boolean;
    mate: boolean;
    stalemate: boolean;
}

export interface Line {
    moves: Move[];
    end: "mate" | "stalemate" | "draw" | "capacity";
    /** The position at the end. */
    fen: string;
}

export interface Material {
    material: string;
    men: number;
    metrics: Metric[];
}

/** The positions of an ending in numbers, "white" being the side that its name has first. */
export interface Statistics {
    material: string;
    men: number;
    /** How many positions have each verdict, by the side to move; null if no file says so (Syzygy's files). */
    counts: Record<"white" | "black", Record<Verdict, number>> | null;
    /** A position with the longest way for each metric, side to move and verdict; by dtm50 at a clock of 0. */
    longest: { metric: Metric; turn: "white" | "black"; verdict: Verdict; plies: number; fen: string }[];
    /** [plies, positions], by metric, side to move and verdict; null where no file says so. */
    histograms: Record<"dtz" | "dtc" | "dtm" | "dtm50", Record<"white" | "black", Partial<Record<Verdict, [number, number][]>>> | null>;
    /** The endings that captures and promotions lead to. */
    subEndings: string[];
}

export interface Stats {
    /** How often calls had to wait for bytes. */
    rounds: number;
    /** Requests to web hosts, and the bytes that they sent. */
    requests: number;
    bytes: number;
    /** Bytes that came from the browser's database instead. */
    stored: number;
    /** Bytes of memory of the library and of pages of files. */
    memory: number;
}

/** A way of one's own to read tables. */
export interface OwnReader {
    files: { name: string; size: number }[] | ((signal?: AbortSignal) => Promise<{ name: string; size: number }[]>);
    /** Returns `length` bytes of a file from `offset` on; all of them are in the file. */
    read(name: string, offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array | ArrayBuffer>;
    /** A text that names this place in the browser's database; without one its pages are not stored. */
    key?: string;
}

/** Where tables are: the address of a folder of a web host; files (of an <input type="file" multiple>); a folder that the user
 * chose; bytes by name ("KQvK.wdl.treb"); a reader; in Node also a path. */
export type Place =
    | string
    | URL
    | Iterable<File>
    | File
    | FileSystemDirectoryHandle
    | Record<string, Uint8Array | ArrayBuffer>
    | OwnReader;

export interface OpenOptions {
    /** "idb" keeps what was read in the browser's database. */
    cache?: "memory" | "idb";
    /** The most that the database keeps, in MB: 256. */
    cacheMB?: number;
    /** The name of that database: "trebuchet". */
    cacheName?: string;
    /** The most memory that pages of tables take, in MB: 16. Headers, some 200 KB for a table of five men, come on top. */
    memoryMB?: number;
    /** Whether the three-man tables of the package are used: true. */
    threeMen?: boolean;
    /** Ends what this set fetches. */
    signal?: AbortSignal;
    /** Headers of requests, and a function to make them by, instead of the usual ones. */
    headers?: Record<string, string>;
    fetch?: typeof fetch;
}

export interface MoveOptions {
    /** The metric by which moves are ordered: "dtm". */
    metric?: Metric;
    /** "50": the 50-move rule, with the position's clock. "none": cursed wins count as wins. */
    rule?: Rule;
}

export class Trebuchet {
    private constructor();

    /** Opens tables of one place or several; null for the three-man tables alone. The first place that has a file is used. */
    static open(tables: Place | Place[] | null, options?: OpenOptions): Promise<Trebuchet>;

    /** What is known of a position. A distance whose table is missing is null; fails with NO_TABLE if the verdict is not known. */
    probe(fen: string, options?: { signal?: AbortSignal }): Promise<Value>;

    /** All legal moves, best first; none if the game is over. Moves of which nothing is known come last. */
    moves(fen: string, options?: MoveOptions & { signal?: AbortSignal }): Promise<Move[]>;

    /** The line in which both sides play the best move, up to `most` moves (1024). */
    line(fen: string, options?: MoveOptions & { most?: number; signal?: AbortSignal }): Promise<Line>;

    /** Fetches all tables of an ending: into the browser's database, else into memory. Returns the files. */
    prefetch(material: string, options?: { metrics?: Metric[]; signal?: AbortSignal }): Promise<{ name: string; size: number }[]>;

    /** What the tables of an ending say of it as a whole. Reads headers only. */
    statistics(material: string, options?: { signal?: AbortSignal }): Promise<Statistics>;

    /** The name of an ending as files have it: "KRPvKR" for "KR v KRP". */
    nameOf(material: string): string;

    /** Like probe and moves, at once: undefined where something that they need is not in memory. */
    probeSync(fen: string): Value | undefined;
    movesSync(fen: string, options?: MoveOptions): Move[] | undefined;

    /** The verdict at a clock of 0, at once: undefined where it is not in memory. */
    wdlSync(fen: string): Verdict | undefined;

    /** The FEN after a legal move, given as "e7e8q" or "exd8=Q". */
    play(fen: string, move: string): string;

    /** The endings that the set has tables of. */
    readonly materials: Material[];
    readonly stats: Stats;

    close(): Promise<void>;
}
