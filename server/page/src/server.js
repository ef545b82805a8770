// Answers of the server that sent the page.

import { ApiError } from "./apierror.js";
import { sentence } from "./words.js";

async function get(path, options = {}) {
    let response;
    try {
        response = await fetch(path, { headers: { Accept: "application/json" }, ...options });
    } catch {
        throw new ApiError("offline", "The server does not answer.");
    }
    const body = await response.json().catch(() => null);
    if (response.ok && body) return body;
    const error = body && body.error;
    if (error) throw new ApiError(error.code, sentence(error.message), error.advice);
    throw new ApiError("odd", `The server answered ${response.status} ${response.statusText}.`);
}

const post = (path, value) => get(path, { method: "POST", body: JSON.stringify(value) });
const fenField = (fen) => `fen=${fen.replaceAll(" ", "_")}`;
const metricField = (metric) => (metric ? `&metric=${metric}` : "");

export const probe = (fen, metric) => get(`/v1/probe?${fenField(fen)}${metricField(metric)}`);
export const line = (fen, metric) => get(`/v1/line?${fenField(fen)}${metricField(metric)}`);
export const blocked = (fen, attacker) => get(`/v1/blocked?${fenField(fen)}${attacker ? `&attacker=${attacker}` : ""}`);
export const stats = (material) => get(`/v1/stats/${encodeURIComponent(material)}`);
export const random = (material, options) => get(`/v1/random/${material}?${new URLSearchParams(options)}`);
export const batch = (fens) => post("/v1/batch", { fens });
export const games = (text) => get("/v1/games", { method: "POST", body: text });
export const rules = (fen) => get(`/v1/rules?${fenField(fen)}`);
export const strategies = (fen) => get(`/v1/strategies?${fenField(fen)}`);
export const shift = (fen) => get(`/v1/shift?${fenField(fen)}`);
export const find = (material, kind) => post("/v1/find", { material, kind });
export const solve = (fen) => post("/v1/solve", { fen });
export const job = (address) => get(address);
export const cancelJob = (address) => get(address, { method: "DELETE" });
export const tables = () => get("/v1/tables");
