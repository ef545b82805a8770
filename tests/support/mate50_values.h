/* mate50_values.h - all values of an ending by the plain solver (plain_mate50.h), and a DTM50 file that has
 * them. Each test program includes this file once, after gen_run.h. */
#ifndef TREB_TESTS_SUPPORT_MATE50_VALUES_H
#define TREB_TESTS_SUPPORT_MATE50_VALUES_H

#include "core/format/table_profile.h"
#include "tests/support/plain_mate50.h"
#include "tests/support/symbols.h"
#include "trebuchet.h"

/* The value of a position is this from so many plies left on. */
typedef struct Mate50Step {
    uint32_t cell;
    uint8_t turn, left;
    int16_t value;
} Mate50Step;

typedef struct Mate50Values {
    Index index;
    Mate50Step *step; /* sorted by side to move, cell and plies left */
    size_t steps, room;
    size_t *first[2];  /* by turn and cell: its first step; one more at the end */
    bool *legal[2];    /* by turn and cell */
    int16_t *shown[2]; /* while solving: the last value */
    /* What a file says wrong about delays: added to their number, and to the longest DTM50. */
    int more[DELAYED_CLOCKS], longer[DELAYED_CLOCKS];
} Mate50Values;

/* ---- Solving --------------------------------------------------------------------------------- */

static inline void note_step(Mate50Values *v, Mate50Step step)
{
    if (v->steps == v->room) {
        v->room = 2 * v->room + 1024;
        ck_assert_ptr_nonnull(v->step = realloc(v->step, v->room * sizeof *v->step));
    }
    v->step[v->steps++] = step;
}

static inline void note_layer(void *context, const Index *index, int left, uint64_t first,
                              uint64_t cells, const int16_t *const value[2])
{
    Mate50Values *v = context;
    (void)index;
    for (int turn = 0; turn < 2; turn++)
        for (uint64_t i = 0; i < cells; i++) {
            const uint64_t cell = first + i;
            v->legal[turn][cell] = value[turn][i] != MATE50_ILLEGAL;
            if (!v->legal[turn][cell] || value[turn][i] == v->shown[turn][cell]) continue;
            v->shown[turn][cell] = value[turn][i];
            note_step(v,
                      (Mate50Step){(uint32_t)cell, (uint8_t)turn, (uint8_t)left, value[turn][i]});
        }
}

static inline int compare_steps(const void *a, const void *b)
{
    const Mate50Step *x = a, *y = b;
    if (x->turn != y->turn) return x->turn - y->turn;
    if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
    return x->left - y->left;
}

static inline Mate50Values *mate50_values_new(const Material *material)
{
    Mate50Values *v = calloc(1, sizeof *v);
    PlainMate50 *solved = plain_mate50_new();
    ck_assert(index_init(&v->index, material, NULL, 1));
    for (int turn = 0; turn < 2; turn++) {
        v->legal[turn] = calloc(v->index.size, sizeof(bool));
        v->shown[turn] = calloc(v->index.size, sizeof(int16_t));
        v->first[turn] = calloc(v->index.size + 1, sizeof(size_t));
    }
    plain_mate50_solve(solved, material, note_layer, v);
    plain_mate50_free(solved);
    qsort(v->step, v->steps, sizeof *v->step, compare_steps);
    size_t at = 0;
    for (int turn = 0; turn < 2; turn++)
        for (uint64_t cell = 0; cell <= v->index.size; cell++) {
            v->first[turn][cell] = at;
            while (at < v->steps && v->step[at].turn == turn && v->step[at].cell == cell) at++;
        }
    return v;
}

static inline void mate50_values_free(Mate50Values *v)
{
    for (int turn = 0; turn < 2; turn++) {
        free(v->legal[turn]);
        free(v->shown[turn]);
        free(v->first[turn]);
    }
    free(v->step);
    free(v);
}

/* Returns the value of a cell with so many plies left. */
static inline int mate50_value_at(const Mate50Values *v, int turn, uint64_t cell, int left)
{
    int value = 0;
    for (size_t i = v->first[turn][cell]; i < v->first[turn][cell + 1]; i++)
        if (v->step[i].left <= left) value = v->step[i].value;
    return value;
}

/* ---- A file ---------------------------------------------------------------------------------- */

enum {
    PROFILES_MOST = 1 << 16,
    PROFILES_IN_CLASS = 4096,
    PROFILES_LISTED = 20, /* of a class; other profiles are those of cells */
    DTM_MOST = 128 /* of an ending that is tested */
};

static inline unsigned add_profile(TableHeader *header, TableProfile step)
{
    TableProfiles *p = &header->profiles;
    for (uint32_t i = 1; i < p->count; i++)
        if (p->step[i].before == step.before && p->step[i].within == step.within &&
            p->step[i].extra == step.extra)
            return i;
    ck_assert_uint_lt(p->count, PROFILES_MOST);
    p->step[p->count] = step;
    return p->count++;
}

/* Returns the profile of a cell: what its values add to DTM, as long as DTM is more than what is left. What a zeroing
 * move gives at once is left out. */
static inline unsigned profile_of(const Mate50Values *v, TableHeader *header, int turn,
                                  uint64_t cell, int dtm)
{
    const size_t first = v->first[turn][cell];
    const bool zeroing = v->step[first].left == 1 && v->step[first].value > 0;
    unsigned profile = 0;
    for (size_t i = first + zeroing; i < v->first[turn][cell + 1]; i++) {
        const Mate50Step *step = &v->step[i];
        const int extra = mate50_plies(step->value) - dtm;
        const bool starts = profile == 0 && !zeroing;
        if (step->left >= dtm || (starts && extra == 0)) continue;
        if (extra < 0) ck_abort_msg("shorter than DTM");
        const int within = starts ? (int)TABLE_PROFILE_START : dtm - step->left;
        profile = add_profile(header, (TableProfile){profile, (uint16_t)within, (uint16_t)extra});
    }
    return profile;
}

/* Counts the values with 100 plies left, as the header has them. */
static inline void count_values(const Mate50Values *v, TableSide *side, int turn)
{
    for (int verdict = TREB_LOSS; verdict <= TREB_WIN; verdict += TREB_WIN - TREB_LOSS)
        side->histogram[verdict] = calloc(TABLE_PLIES_MAX + 1, sizeof(uint64_t));
    for (uint64_t cell = 0; cell < v->index.size; cell++) {
        const int value = v->legal[turn][cell] ? mate50_value_at(v, turn, cell, RULE_PLIES) : 0;
        const int verdict = value > 0 ? TREB_WIN : TREB_LOSS;
        IndexMen men;
        if (value == 0 || !index_to_men(&v->index, cell, &men)) continue;
        const uint32_t plies = (uint32_t)mate50_plies(value);
        side->histogram[verdict][plies] += index_weight(&v->index, &men);
        if (plies < side->longest[verdict] || side->longest_fen[verdict][0] != '\0') {
            if (plies <= side->longest[verdict]) continue;
        }
        treb_position pos;
        index_men_to_position(&v->index, &men, turn, &pos);
        side->longest[verdict] = plies;
        position_to_fen(&pos, side->longest_fen[verdict]);
    }
    for (int verdict = TREB_LOSS; verdict <= TREB_WIN; verdict += TREB_WIN - TREB_LOSS)
        if (side->count[verdict] == 0) {
            free(side->histogram[verdict]);
            side->histogram[verdict] = NULL;
        }
}

/* A position that is won or lost under the rule. */
typedef struct Decided {
    IndexMen men;
    treb_position pos;
    int dtm, dtz;
} Decided;

/* Finds that of a cell; its DTM is probed. False: there is none. */
static inline bool find_decided(const Mate50Values *v, int turn, uint64_t cell, const treb_tables *tables, Decided *out)
{
    treb_distance dtm;
    const size_t first = v->first[turn][cell];
    if (!v->legal[turn][cell] || first == v->first[turn][cell + 1]) return false;
    if (!index_to_men(&v->index, cell, &out->men)) ck_abort_msg("no position");
    index_men_to_position(&v->index, &out->men, turn, &out->pos);
    if (treb_probe_dtm(tables, &out->pos, &dtm, NULL) != TREB_OK) ck_abort_msg("no DTM");
    out->dtm = dtm.plies;
    out->dtz = v->step[first].left;
    return true;
}

/* Adds a position with so many plies left to the delays, if the rule delays its mate. */
static inline void count_delay(TableDelayed *delayed, const treb_position *pos, int dtm, int value, int left, unsigned weight)
{
    const int dtm50 = mate50_plies(value);
    if (value == 0 || dtm50 <= dtm) return;
    delayed->count += weight;
    if (dtm50 - dtm <= delayed->dtm50 - delayed->dtm) return;
    treb_position timed = *pos;
    timed.halfmove = (uint16_t)(RULE_PLIES - left);
    delayed->dtm = (uint16_t)dtm;
    delayed->dtm50 = (uint16_t)dtm50;
    position_to_fen(&timed, delayed->fen);
}

static inline void count_delays(const Mate50Values *v, TableHeader *header, const treb_tables *tables)
{
    for (int turn = 0; turn < 2; turn++)
        for (uint64_t cell = 0; cell < v->index.size; cell++) {
            Decided at;
            if (!find_decided(v, turn, cell, tables, &at)) continue;
            const int left[DELAYED_CLOCKS] = {[DELAYED_FRESH] = RULE_PLIES,
                                              [DELAYED_LATE] = at.dtz};
            for (int i = 0; i < DELAYED_CLOCKS; i++)
                count_delay(&header->delayed[i], &at.pos, at.dtm, mate50_value_at(v, turn, cell, left[i]), left[i],
                            index_weight(&v->index, &at.men));
        }
    for (int i = 0; i < DELAYED_CLOCKS; i++) {
        header->delayed[i].count += (uint64_t)v->more[i];
        header->delayed[i].dtm50 = (uint16_t)(header->delayed[i].dtm50 + v->longer[i]);
    }
}

/* Returns the place of a profile in its class, which it may become a part of. The one without steps has place 0. */
static inline uint32_t place_in_class(TableProfiles *p, int dtm, int dtz, uint32_t profile)
{
    TableProfileClass *of = &p->classes[dtm * MATE50_CLOCKS + dtz];
    uint32_t *list = p->list + of->first;
    uint32_t place = 0;
    if (of->count == 0) list[of->count++] = 0;
    while (place < of->count && list[place] != profile) place++;
    ck_assert_uint_lt(place, PROFILES_IN_CLASS);
    if (place == of->count) list[of->count++] = profile;
    return place;
}

/* Makes a class for all distances that there may be. */
static inline void all_classes(TableProfiles *p)
{
    p->step = calloc(PROFILES_MOST, sizeof *p->step);
    p->classes = calloc(DTM_MOST * MATE50_CLOCKS, sizeof *p->classes);
    p->list = calloc((size_t)DTM_MOST * MATE50_CLOCKS * PROFILES_IN_CLASS, sizeof *p->list);
    for (uint32_t i = 0; i < DTM_MOST * MATE50_CLOCKS; i++)
        p->classes[i] = (TableProfileClass){i * PROFILES_IN_CLASS, 0, (uint16_t)(i / MATE50_CLOCKS),
                                            (uint16_t)(i % MATE50_CLOCKS)};
}

/* Keeps those that have a profile, with their first profiles. Cells with others have them of their own. */
static inline void drop_classes(TableProfiles *p)
{
    for (uint32_t i = 0; i < DTM_MOST * MATE50_CLOCKS; i++) {
        TableProfileClass *of = &p->classes[i];
        if (of->count == 0) continue;
        if (of->count > PROFILES_LISTED) p->list[of->first + PROFILES_LISTED] = p->count;
        if (of->count > PROFILES_LISTED) of->count = PROFILES_LISTED + 1;
        p->classes[p->class_count++] = *of;
    }
}

/* Writes the numbers of a profile (docs/format.md) of a class. */
static inline void put_profile(const TableProfiles *p, uint32_t profile, const TableProfileClass *of, SymbolsProfile *out)
{
    uint32_t chain[MATE50_CLOCKS];
    unsigned steps = 0, within = of->dtm - of->dtz, size = 0;
    for (; profile != 0; profile = p->step[profile].before) chain[steps++] = profile;
    if (p->step[chain[steps - 1]].within != TABLE_PROFILE_START) out->number[size++] = 0;
    while (steps-- > 0) {
        const TableProfile *step = &p->step[chain[steps]];
        ck_assert_uint_lt(size + 3, SYMBOLS_PROFILE_MOST);
        ck_assert_uint_lt(step->extra / 2 + 1, 255);
        out->number[size++] = (uint8_t)(step->extra / 2 + 1);
        if (step->within != TABLE_PROFILE_START) {
            ck_assert_uint_lt(within - step->within, 255);
            out->number[size++] = (uint8_t)(within - step->within);
            within = step->within;
        }
        if (steps == 0 && step->extra > 0) out->number[size++] = 0;
    }
    out->size = size;
}

/* The profiles of cells in a file. */
typedef struct CellProfiles {
    uint32_t *place;            /* by cell */
    TableProfileClass **of;     /* by cell; NULL: the profile may be any */
    uint32_t *profile;          /* by cell */
} CellProfiles;

/* Finds the profiles by the numbers of cells in the file. Those of positions that are no wins or losses, or whose mate
 * comes first, may be anything. */
static inline CellProfiles find_profiles(const Mate50Values *v, TableHeader *header, int turn, const treb_tables *tables)
{
    const size_t cells = header->index.size;
    CellProfiles out = {calloc(cells, sizeof *out.place), calloc(cells, sizeof(TableProfileClass *)),
                        calloc(cells, sizeof *out.profile)};
    for (uint64_t cell = 0; cell < v->index.size; cell++) {
        Decided is;
        if (!find_decided(v, turn, cell, tables, &is) || is.dtm <= is.dtz) continue;
        const uint64_t at = index_of_position(&header->index, &is.pos);
        out.profile[at] = profile_of(v, header, turn, cell, is.dtm);
        out.place[at] = place_in_class(&header->profiles, is.dtm, is.dtz, out.profile[at]);
        out.of[at] = &header->profiles.classes[is.dtm * MATE50_CLOCKS + is.dtz];
    }
    return out;
}

/* Makes the bytes of the two sides: places, and the profiles that are not listed. */
static inline void put_profiles(TableHeader *header, const CellProfiles *found, uint8_t *data[2])
{
    const size_t cells = header->index.size;
    SymbolsProfile *own = NULL;
    size_t count = 0;
    data[0] = calloc(cells, 1);
    for (uint64_t cell = 0; cell < cells; cell++) count += found->place[cell] >= PROFILES_LISTED;
    data[1] = calloc(count + 1, sizeof *own);
    own = (void *)data[1];
    for (uint64_t cell = 0; cell < cells; cell++) {
        const bool listed = found->place[cell] < PROFILES_LISTED;
        data[0][cell] = (uint8_t)(listed ? found->place[cell] : PROFILES_LISTED);
        if (listed) continue;
        own->cell = cell;
        put_profile(&header->profiles, found->profile[cell], found->of[cell], own++);
    }
    header->side[0].stored = true;
    header->side[1].stored = count > 0;
}

/* Writes a DTM50 file with one side to move beside the other files of the ending. */
static inline void mate50_write(const Mate50Values *v, const char *folder, int turn)
{
    treb_error error;
    treb_table_info wdl;
    char name[MATERIAL_NAME_SIZE];
    treb_tables *tables = treb_tables_open(&folder, 1, &error);
    ck_assert_msg(tables != NULL, "%s", error.text);
    TableHeader header = {.metric = TREB_DTM50,
                          .codec = TABLE_SYMBOLS,
                          .pad = 1,
                          .width = 1,
                          .per_byte = 1,
                          .base = 256,
                          .block_bits = 12,
                          .profiles = {.count = 1, .turn = turn}};
    uint8_t *data[2];
    ck_assert(index_init_square_colors(&header.index, &v->index.material, NULL));
    all_classes(&header.profiles);
    material_name(&v->index.material, name);
    ck_assert_int_eq(treb_tables_find(tables, name, TREB_WDL, &wdl, &error), TREB_OK);
    for (int side = 0; side < 2; side++) {
        header.side[side].index = header.index;
        header.side[side].code.block_bytes = 64;
        memcpy(header.side[side].count, wdl.count[side], sizeof wdl.count[side]);
        count_values(v, &header.side[side], side);
    }
    count_delays(v, &header, tables);
    CellProfiles found = find_profiles(v, &header, turn, tables);
    put_profiles(&header, &found, data);
    drop_classes(&header.profiles);
    treb_tables_close(tables);
    ck_assert_msg(symbols_write(folder, &header, data, NULL, &error) == TREB_OK, "%s", error.text);
    for (int side = 0; side < 2; side++) free(data[side]);
    free(found.place);
    free(found.of);
    free(found.profile);
    table_header_free(&header);
}

#endif
