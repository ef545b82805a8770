/* three_men.h - tables of three men for tests, made without the generator. It lists all moves of
 * all positions, then sets the distances of each metric in ascending order. A test program defines
 * _DEFAULT_SOURCE and then includes this file once. */
#ifndef TREB_TESTS_SUPPORT_THREE_MEN_H
#define TREB_TESTS_SUPPORT_THREE_MEN_H

#include "core/chess/movegen.h"
#include "tests/support/table_sample.h"

enum { NONE = 0xffff, ILLEGAL = 0xff, QUIET = 0, PUSH, CONVERSION };
enum { KQ, KR, KB, KN, KP, MATERIALS, BARE = MATERIALS };
static const char *const names[MATERIALS] = {"KQvK", "KRvK", "KBvK", "KNvK", "KPvK"};

typedef struct Link {
    uint32_t cell;
    uint8_t table, side, kind;
} Link;

/* The true values of a table, by side to move and cell. */
typedef struct Truth {
    Index index;
    uint8_t *verdict[2];
    uint16_t *plies[TREB_METRICS][2];
    uint32_t *first
        [2]; /* first of the cell's moves in `link`; the moves end where those of the next cell begin */
    Link *link;
    bool *check[2];
} Truth;

static Truth truth[MATERIALS];

/* ---- solving --------------------------------------------------------------------------------- */

static inline Link link_to(const treb_position *pos, Move m)
{
    treb_position child;
    position_make(pos, m, &child);
    Link link = {.table = BARE, .side = child.turn, .kind = QUIET};
    if (bit_test(pos->by_type[TREB_PAWN], move_from(m))) link.kind = PUSH;
    if (move_promo(m) != 0 || move_is_capture(pos, m)) link.kind = CONVERSION;
    Material material = material_of_position(&child);
    for (int t = 0; t < MATERIALS; t++)
        if (material_equal(&truth[t].index.material, &material)) link.table = (uint8_t)t;
    if (link.table != BARE)
        link.cell = (uint32_t)index_of_position(&truth[link.table].index, &child);
    return link;
}

static inline void list_moves(Truth *t)
{
    size_t cells = t->index.size, links = 0;
    t->link = malloc(2 * cells * 30 * sizeof *t->link);
    for (int side = 0; side < 2; side++) {
        t->verdict[side] = malloc(cells);
        t->check[side] = calloc(cells, sizeof(bool));
        t->first[side] = malloc((cells + 1) * sizeof(uint32_t));
        for (size_t cell = 0; cell < cells; cell++) {
            IndexMen men;
            treb_position pos;
            Move moves[MOVES_MAX];
            t->first[side][cell] = (uint32_t)links;
            t->verdict[side][cell] = ILLEGAL;
            if (!index_to_men(&t->index, cell, &men)) continue;
            index_men_to_position(&t->index, &men, side, &pos);
            if (position_check(&pos, NULL) != TREB_OK) continue;
            t->verdict[side][cell] = TREB_DRAW;
            t->check[side][cell] = position_in_check(&pos);
            int count = movegen_legal(&pos, moves);
            for (int i = 0; i < count; i++) t->link[links++] = link_to(&pos, moves[i]);
        }
        t->first[side][cells] = (uint32_t)links;
    }
}

/* Returns whether the side to move is lost (or won) after a move. Sets the distance that the move
 * then gives. */
static inline bool child_is(const Link *link, int metric, bool lost, unsigned *plies)
{
    if (link->table == BARE) return false;
    const Truth *t = &truth[link->table];
    unsigned verdict = t->verdict[link->side][link->cell];
    unsigned value = t->plies[metric][link->side][link->cell];
    if (verdict != (lost ? TREB_LOSS : TREB_WIN)) return false;
    bool one = (metric == TREB_DTZ && link->kind != QUIET) ||
               (metric == TREB_DTC && link->kind == CONVERSION);
    *plies = one ? 1 : value + 1;
    return one || value != NONE;
}

/* Sets the distance of a cell to `plies` if a move gives it. Returns whether it did. */
static inline bool settle(Truth *t, int metric, int side, size_t cell, unsigned plies)
{
    unsigned most = 0, made;
    bool all = true, any = false;
    for (uint32_t i = t->first[side][cell]; i < t->first[side][cell + 1]; i++) {
        any = true;
        if (child_is(&t->link[i], metric, true, &made) && made == plies) {
            t->verdict[side][cell] = TREB_WIN;
            t->plies[metric][side][cell] = (uint16_t)plies;
            return true;
        }
        if (!child_is(&t->link[i], metric, false, &made))
            all = false;
        else if (made > most)
            most = made;
    }
    if (!all || most != plies || (!any && !t->check[side][cell])) return false;
    t->verdict[side][cell] = TREB_LOSS;
    t->plies[metric][side][cell] = (uint16_t)plies;
    return true;
}

static inline void solve(Truth *t)
{
    list_moves(t);
    /* DTM is solved first: the other metrics need verdicts where a move converts. */
    for (int m = TREB_DTM; m >= TREB_DTZ; m--) {
        for (int side = 0; side < 2; side++) {
            t->plies[m][side] = malloc(t->index.size * sizeof(uint16_t));
            memset(t->plies[m][side], 0xff, t->index.size * sizeof(uint16_t));
        }
        for (unsigned plies = 0, quiet = 0; quiet < 40; plies++, quiet++)
            for (int side = 0; side < 2; side++)
                for (size_t cell = 0; cell < t->index.size; cell++)
                    if (t->verdict[side][cell] != ILLEGAL && t->plies[m][side][cell] == NONE &&
                        settle(t, m, side, cell, plies))
                        quiet = 0;
    }
}

/* Returns the last cell with the given value. */
static inline size_t find(const Truth *t, int side, unsigned verdict, unsigned dtm)
{
    for (size_t cell = t->index.size; cell-- > 0;)
        if (t->verdict[side][cell] == verdict &&
            (verdict == TREB_DRAW || t->plies[TREB_DTM][side][cell] == dtm))
            return cell;
    ck_abort_msg("no such cell");
    return 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Distances take two bytes for each cell, with maps of up to 4094 plies, although no distance is
 * that long. */
static bool wide;

/* Damage to do before a table is written. */
typedef struct Damage {
    const char *material;
    int metric;
    bool header; /* the damage is done to the header, after counting */
    void (*act)(Truth *t, TableHeader *header);
} Damage;

static Damage damage;

static inline void find_longest(const Truth *t, int metric, int side, TableSide *out)
{
    for (size_t cell = 0; cell < t->index.size; cell++) {
        unsigned v = t->verdict[side][cell];
        if (v == ILLEGAL || v == TREB_DRAW) continue;
        unsigned plies = t->plies[metric][side][cell];
        if (out->longest_fen[v][0] != '\0' && plies <= out->longest[v]) continue;
        IndexMen men;
        treb_position pos;
        index_to_men(&t->index, cell, &men);
        index_men_to_position(&t->index, &men, side, &pos);
        out->longest[v] = plies;
        position_to_fen(&pos, out->longest_fen[v]);
    }
}

static inline void fill_histograms(const Truth *t, int metric, int side, TableSide *out)
{
    for (int v = 0; v < WDL_VALUES; v++) {
        if (v == TREB_DRAW || out->count[v] == 0) continue;
        out->histogram[v] = calloc(out->longest[v] + 1, sizeof *out->histogram[v]);
        ck_assert_ptr_nonnull(out->histogram[v]);
    }
    for (size_t cell = 0; cell < t->index.size; cell++) {
        unsigned v = t->verdict[side][cell];
        IndexMen men;
        if (v == ILLEGAL || v == TREB_DRAW) continue;
        index_to_men(&t->index, cell, &men);
        out->histogram[v][t->plies[metric][side][cell]] += index_weight(&t->index, &men);
    }
}

static inline void fill_header(const Truth *t, TableHeader *h, unsigned stored)
{
    for (int side = 0; side < 2; side++) {
        TableSide *s = &h->side[side];
        s->stored = stored >> side & 1;
        for (size_t cell = 0; cell < t->index.size; cell++) {
            IndexMen men;
            if (t->verdict[side][cell] == ILLEGAL) continue;
            index_to_men(&t->index, cell, &men);
            s->count[t->verdict[side][cell]] += index_weight(&t->index, &men);
        }
        if (h->metric != TREB_WDL) {
            find_longest(t, h->metric, side, s);
            fill_histograms(t, h->metric, side, s);
        }
        if (!s->stored) continue;
        if (h->metric == TREB_WDL) {
            set_map(s, 0, WDL_VALUES, 1);
        } else {
            set_map(s, TREB_LOSS, h->width == 2 ? 4095 : 200, 1);
            set_map(s, TREB_WIN, h->width == 2 ? 4095 : 200, 1);
        }
    }
}

/* Returns whether the table may leave out a distance of 1: a capture, promotion or, for DTZ, any
 * pawn move wins. */
static inline bool left_out(const Truth *t, int metric, int side, size_t cell)
{
    unsigned made;
    if (metric == TREB_DTM || t->verdict[side][cell] != TREB_WIN) return false;
    for (uint32_t i = t->first[side][cell]; i < t->first[side][cell + 1]; i++) {
        const Link *link = &t->link[i];
        bool counts = link->kind == CONVERSION || (link->kind == PUSH && metric == TREB_DTZ);
        if (counts && child_is(link, metric, true, &made)) return true;
    }
    return false;
}

/* Cells that the format leaves open get the value that helps a reader least. */
static inline uint8_t *side_bytes(const Truth *t, const TableHeader *h, int side)
{
    uint8_t *bytes = calloc(1, table_side_bytes(h));
    for (size_t cell = 0; cell < t->index.size; cell++) {
        unsigned v = t->verdict[side][cell], code = 255;
        if (h->metric == TREB_WDL)
            code = v != ILLEGAL ? v : 4;
        else if (v != ILLEGAL && v != TREB_DRAW && !left_out(t, h->metric, side, cell))
            code = t->plies[h->metric][side][cell];
        if (h->width == 2) {
            bytes[2 * cell] = (uint8_t)code;
            bytes[2 * cell + 1] = (uint8_t)(code >> 8);
            continue;
        }
        for (unsigned i = 0; i < cell % h->per_byte; i++) code *= h->base;
        bytes[cell / h->per_byte] = (uint8_t)(bytes[cell / h->per_byte] + code);
    }
    return bytes;
}

static inline void write_table(int which, int metric, unsigned stored)
{
    Truth *t = &truth[which];
    Sample sample = {0};
    TableHeader *h = &sample.header;
    bool hit =
        damage.act != NULL && strcmp(names[which], damage.material) == 0 && metric == damage.metric;
    h->index = t->index;
    h->pad = 1;
    h->metric = metric;
    h->per_byte = metric == TREB_WDL ? 3 : 1;
    h->base = metric == TREB_WDL ? 5 : 0;
    h->width = wide && metric != TREB_WDL ? 2 : 1;
    h->block_bits = 10;
    if (hit && !damage.header) damage.act(t, h);
    fill_header(t, h, stored);
    if (hit && damage.header) damage.act(t, h);
    for (int side = 0; side < 2; side++)
        if (h->side[side].stored) sample.data[side] = side_bytes(t, h, side);
    treb_error error = {0};
    ck_assert_msg(write_sample(&sample, IN_ORDER, &error) == TREB_OK, "%s", error.text);
    free_sample(&sample);
}

/* Writes the tables of the materials `from` to `to`. With `mixed`, the metrics store different
 * sides, so that every way to compute the other side is tested. */
static inline void write_tables(int from, int to, bool mixed)
{
    for (int which = from; which <= to; which++) {
        /* Damage is done to verdicts of both sides. */
        write_table(which, TREB_WDL, mixed && damage.act == NULL ? 1u << which % 2 : 3);
        write_table(which, TREB_DTZ, 1);
        write_table(which, TREB_DTC, mixed ? 2 : 1);
        write_table(which, TREB_DTM, mixed ? 3 : 1);
    }
}

static inline void solve_all(void)
{
    for (int i = 0; i < MATERIALS; i++) {
        Material m;
        material_parse(names[i], &m);
        index_init(&truth[i].index, &m, NULL, 1);
    }
    for (int i = 0; i < MATERIALS; i++) solve(&truth[i]);
}

#endif
