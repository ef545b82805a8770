// errors.mjs - what can go wrong, by code.

// By treb_status (include/trebuchet.h).
const CODES = [
    "OK", "FEN", "POSITION", "CASTLING", "MEN", "NO_TABLE", "DAMAGED", "IO", "MEMORY", "ARGUMENT", "NOT_READY", "NETWORK",
    "TIMEOUT", "UNSUPPORTED",
];
export const STATUS = Object.fromEntries(CODES.map((code, status) => [code, status]));

export class TrebuchetError extends Error {
    /** `code` is one of the names above; with NO_TABLE, `material` and `metric` say which table is missing. */
    constructor(code, message, { material = "", metric = "", cause } = {}) {
        super(message, cause === undefined ? undefined : { cause });
        this.name = "TrebuchetError";
        this.code = code;
        this.material = material;
        this.metric = metric;
    }
}

export const codeOf = (status) => CODES[status] || "IO";
export const fail = (code, message, more) => {
    throw new TrebuchetError(code, message, more);
};
