// What a request that failed says.

/** `code` is that of the API, or "offline" if there was no response. `advice` says how to make the missing table; it is null
 * unless the server is on this machine and can make it. */
export class ApiError extends Error {
    constructor(code, message, advice = null) {
        super(message);
        this.code = code;
        this.advice = advice;
    }
}
