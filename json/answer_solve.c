/* answer_solve.c - see answer_solve.h: requests, and the work itself. */
#include "json/answer_solve.h"

#include <stdlib.h>
#include <string.h>

#include "core/chess/material.h"
#include "core/chess/position.h"
#include "core/system/error.h"
#include "pawns/solve/table_oracle.h"
#include "json/position_read.h"
#include "json/put.h"

/* ---- Tables of few men ----------------------------------------------------------------------- */

enum { TABLE_MEN = 5 };

/* Returns whether there is a table of verdicts for a material and for all its sub-endings. */
static bool tables_complete(const treb_tables *tables, const Material *m)
{
    treb_table_info info;
    char name[MATERIAL_NAME_SIZE];
    Material sub_endings[MATERIAL_SUB_ENDINGS_MAX];
    if (material_men(m) < 3) return true;
    material_name(m, name);
    if (treb_tables_find(tables, name, TREB_WDL, &info, NULL) != TREB_OK) return false;
    int count = material_sub_endings(m, sub_endings, NULL);
    for (int i = 0; i < count; i++)
        if (!tables_complete(tables, &sub_endings[i])) return false;
    return true;
}

/* Returns whether the tables know all positions of a structure. */
static bool covers(void *context, const CellsKey *key)
{
    Material m = {0};
    for (int color = 0; color < 2; color++) {
        m.count[color][TREB_KING] = 1;
        m.count[color][TREB_PAWN] = (uint8_t)bit_count(key->pawns[color]);
    }
    for (int i = 0; i < key->pieces; i++) m.count[key->piece[i].color][key->piece[i].type]++;
    if (material_men(&m) > TABLE_MEN) return false;
    material_canonical(&m);
    return tables_complete(context, &m);
}

void answer_use_tables(treb_tables *tables, ProofGraphLimits *limits)
{
    const uint64_t share = limits->memory / 8, most = UINT64_C(256) << 20;
    const uint64_t bytes = treb_tables_count(tables) == 0 ? 0 : share < most ? share : most;
    treb_tables_set_memory(tables, bytes);
    limits->memory -= bytes;
    limits->covers = covers;
    limits->oracle = (PositionOracle){tables, table_oracle_value, table_oracle_distance};
}

/* ---- Requests -------------------------------------------------------------------------------- */

static treb_status read_request(json_t *root, AnswerSolve *out, treb_error *error)
{
    char why[SOLVE_WHY_SIZE];
    const char *fen = json_string_value(json_object_get(root, "fen"));
    json_t *seconds = json_object_get(root, "seconds");
    if (fen == NULL)
        return fail(error, TREB_ERR_ARGUMENT,
                    "the body must be a JSON object with a position: "
                    "{\"fen\":\"8/8/p3k3/1p6/1P6/P3K3/8/8 w - - 0 1\"}");
    if (seconds != NULL && !(json_is_integer(seconds) && json_integer_value(seconds) > 0))
        return fail(error, TREB_ERR_ARGUMENT, "\"seconds\" must be a whole number above 0");
    if (seconds != NULL && json_integer_value(seconds) < (json_int_t)out->seconds)
        out->seconds = (unsigned)json_integer_value(seconds);
    treb_status status = answer_read_position(fen, &out->pos, error);
    if (status != TREB_OK) return status;
    out->pos.halfmove = 0;
    out->pos.fullmove = 1;
    status = solve_check(&out->pos, why);
    return status == TREB_OK ? TREB_OK : fail(error, status, "%s", why);
}

treb_status answer_solve_read(const char *body, size_t size, AnswerSolve *out, treb_error *error)
{
    json_t *root = json_loadb(body != NULL ? body : "", size, JSON_REJECT_DUPLICATES, NULL);
    treb_status status = read_request(root, out, error);
    json_decref(root);
    return status;
}

void answer_solve_name(const AnswerSolve *request, char out[ANSWER_SOLVE_NAME])
{
    char fen[TREB_FEN_SIZE];
    treb_position_to_fen(&request->pos, fen);
    char *clocks = strstr(fen, " 0 1");
    if (clocks != NULL) *clocks = '\0';
    for (char *at = fen; *at != '\0'; at++)
        if (*at == '/' || *at == ' ') *at = *at == '/' ? '.' : '_';
    snprintf(out, ANSWER_SOLVE_NAME, "solve-%.80s", fen);
}

/* ---- The work -------------------------------------------------------------------------------- */

typedef struct Work {
    const AnswerSolve *request;
    const atomic_bool *cancel;
    _Atomic uint64_t *structures;
    uint64_t end; /* time of clock_nanoseconds at which the work stops */
} Work;

static bool stop(void *context, uint64_t families, uint64_t bytes)
{
    const Work *w = context;
    (void)bytes;
    atomic_store_explicit(w->structures, families, memory_order_relaxed);
    return atomic_load(w->cancel) || clock_nanoseconds() > w->end;
}

json_t *answer_solve_run(treb_tables *tables, const AnswerSolve *request, const atomic_bool *cancel,
                         _Atomic uint64_t *structures, treb_error *error)
{
    enum { PIECES = 2, SECOND = 1000000000 };
    const uint64_t start = clock_nanoseconds();
    Work w = {request, cancel, structures, start + (uint64_t)request->seconds * SECOND};
    ProofGraphLimits limits = {
        .memory = request->memory, .pieces = PIECES, .stop = stop, .stop_context = &w};
    answer_use_tables(tables, &limits);
    Solve *s = solve_position(&request->pos, &limits, error);
    if (s == NULL) return NULL;
    AnswerContext context = {.tables = tables};
    json_t *object = answer_solve_json(&context, s, error);
    json_t *probe = object != NULL ? answer_solve_probe_json(s, error) : NULL;
    solve_free(s);
    if (probe == NULL) {
        json_decref(object);
        return NULL;
    }
    put(object, "seconds",
        json_real((double)((clock_nanoseconds() - start) / (SECOND / 100)) / 100));
    put(object, "probe", probe);
    return object;
}
