/* remap.c - see remap.h. */
#include "gen/syzygy/remap.h"

#include <stdlib.h>
#include <string.h>

/* ---- Tables ---------------------------------------------------------------------------------- */

static void fill_kings(RemapTables *tables)
{
    for (int white = 0; white < 64; white++)
        for (int black = 0; black < 64; black++) {
            int symmetry, pair = index_kings(tables->layout->pawns, white, black, &symmetry);
            tables->kings[white][black] = pair < 0 ? REMAP_KINGS_TOUCH : (uint16_t)pair;
            tables->symmetry[white][black] = (uint8_t)symmetry;
        }
    for (int s = 0; s < 8; s++)
        for (int sq = 0; sq < 64; sq++) tables->turned[s][sq] = index_symmetry_square(s, sq);
}

static void fill_shifts(RemapTables *tables)
{
    uint8_t seen[2][TREB_TYPES] = {{0}};
    for (int i = 0; i < tables->layout->men; i++) {
        const LayoutMan *man = &tables->layout->man[i];
        tables->shift[man->color][man->type][seen[man->color][man->type]++] =
            (uint8_t)(6 * (tables->layout->men - 1 - i));
    }
}

/* Returns the colour of the leading pawns: the colour with fewer pawns, but at least one. White leads if
 * both have equally many. */
static int lead_color(const Material *m)
{
    int white = m->count[TREB_WHITE][TREB_PAWN], black = m->count[TREB_BLACK][TREB_PAWN];
    return black > 0 && (white == 0 || white > black) ? TREB_BLACK : TREB_WHITE;
}

static void fill_slices(RemapTables *tables)
{
    const Index *index = &tables->layout->index;
    for (uint64_t s = 0; s < index->slices; s++) {
        uint64_t pawns[2];
        bool used = index_slice_pawns(index, s, pawns);
        if (used && tables->layout->pawns)
            tables->file[s] = (uint8_t)syzygy_lead_file(&tables->syzygy, pawns[tables->lead_color]);
        if (used) tables->place[s] = (uint32_t)tables->slices[tables->file[s]]++;
    }
}

bool remap_tables_init(RemapTables *tables, const Layout *layout)
{
    memset(tables, 0, sizeof *tables);
    tables->layout = layout;
    tables->plane = layout_lane_cells(layout);
    tables->slice = tables->plane * layout->kings;
    tables->lead_color = lead_color(&layout->material);
    tables->file = calloc(layout->index.slices, sizeof *tables->file);
    tables->place = calloc(layout->index.slices, sizeof *tables->place);
    if (tables->file == NULL || tables->place == NULL) {
        remap_tables_free(tables);
        return false;
    }
    syzygy_maps_fill(&tables->syzygy);
    fill_kings(tables);
    fill_shifts(tables);
    fill_slices(tables);
    return true;
}

void remap_tables_free(RemapTables *tables)
{
    free(tables->file);
    free(tables->place);
    tables->file = NULL;
    tables->place = NULL;
}

/* ---- Men on the board ------------------------------------------------------------------------ */

/* The men placed so far, and what they add to the number of the solver's cell. */
typedef struct Placed {
    uint64_t taken;       /* occupied squares */
    const uint8_t *slice; /* cells of the slice of the pawns */
    uint8_t mirror;  /* 7 if the slice has the pawns mirrored, so that all men must be; else 0 */
    uint8_t king[2]; /* squares of the kings, after `mirror` */
    uint64_t sum[8]; /* what the other men add, by symmetry; with pawns only sum[0] */
} Placed;

/* Returns the number of symmetries that may map the kings to their plane. With pawns it is 1, because
 * find_slice has chosen the mirror already. */
static int symmetries(const Remap *g) { return g->tables->layout->pawns ? 1 : 8; }

/* Returns the value at an address; NULL means that the kings touch. */
static inline uint8_t value_of(const Remap *g, const uint8_t *at)
{
    return at != NULL ? *at : g->nothing;
}

/* Puts a man on a square. `like` is his number among the men of his kind, from 0. */
static inline void put_man(const Remap *g, Placed *placed, int man, int like, int sq)
{
    int color = man >> 3, type = man & 7;
    placed->taken |= square_bit(sq);
    if (type == TREB_PAWN) return;
    sq ^= placed->mirror;
    if (type == TREB_KING) {
        placed->king[color] = (uint8_t)sq;
        return;
    }
    unsigned shift = g->tables->shift[color][type][like];
    for (int s = 0; s < symmetries(g); s++)
        placed->sum[s] += (uint64_t)g->tables->turned[s][sq] << shift;
}

/* Finds the slice of the pawns. All pawns must be placed; `sq` has their squares. */
static void find_slice(const Remap *g, Placed *placed, const uint8_t *sq)
{
    const Index *index = &g->tables->layout->index;
    uint64_t pawns[2] = {0, 0};
    for (int i = 0; i < g->index->men && (g->index->man[i] & 7) == TREB_PAWN; i++)
        pawns[g->index->man[i] >> 3] |= square_bit(sq[i]);
    if (index_pawns_mirror(index, pawns) == 1) {
        for (int color = 0; color < 2; color++)
            pawns[color] = index_symmetry_board(SYM_FILES, pawns[color]);
        placed->mirror = 7;
    }
    placed->slice = g->from + g->tables->place[index_slice(index, pawns)] * g->tables->slice;
}

/* Returns the number of groups of pawns. They are the first groups. */
static int pawn_groups(const SyzygyIndex *index)
{
    int groups = 0;
    while (groups < index->groups && (index->man[index->group[groups].first] & 7) == TREB_PAWN)
        groups++;
    return groups;
}

/* Returns the address of the kings' plane plus what the placed men add, and sets *symmetry. Returns NULL
 * if the kings touch. */
static inline const uint8_t *plane_of(const Remap *g, const Placed *placed, int white, int black,
                                      int *symmetry)
{
    unsigned pair = g->tables->kings[white][black];
    if (pair == REMAP_KINGS_TOUCH) return NULL;
    *symmetry = g->tables->symmetry[white][black];
    return placed->slice + pair * g->tables->plane + placed->sum[*symmetry];
}

/* Puts the men of a group on their squares in `sq`, and finds the slice after the last group of pawns. */
static void put_group(const Remap *g, Placed *placed, int group, const uint8_t *sq)
{
    const SyzygyGroup *own = &g->index->group[group];
    for (int i = 0; i < own->count; i++) {
        int man = g->index->man[own->first + i];
        bool alike = i > 0 && man == g->index->man[own->first + i - 1];
        put_man(g, placed, man, alike ? i : 0, sq[own->first + i]);
    }
    if (group + 1 == pawn_groups(g->index)) find_slice(g, placed, sq);
}

/* ---- A few cells ----------------------------------------------------------------------------- */

/* Returns the address of the solver's cell with all men on the squares in `sq`. Returns NULL if the kings
 * touch. */
static inline const uint8_t *place_of(const Remap *g, const Placed *placed, const uint8_t *sq)
{
    const RemapTables *tables = g->tables;
    uint8_t king[2] = {0, 0};
    for (int i = 0; i < g->index->men; i++)
        if ((g->index->man[i] & 7) == TREB_KING)
            king[g->index->man[i] >> 3] = sq[i] ^ placed->mirror;
    unsigned pair = tables->kings[king[0]][king[1]];
    if (pair == REMAP_KINGS_TOUCH) return NULL;
    const uint8_t *turned = tables->turned[tables->symmetry[king[0]][king[1]]];
    const uint8_t *at = placed->slice + pair * tables->plane;
    for (int i = 0, like = 0; i < g->index->men; i++) {
        int man = g->index->man[i], type = man & 7;
        like = i > 0 && man == g->index->man[i - 1] ? like + 1 : 0;
        if (type != TREB_KING && type != TREB_PAWN)
            at += (size_t)turned[sq[i] ^ placed->mirror] << tables->shift[man >> 3][type][like];
    }
    return at;
}

/* The number of a cell of the array, split into the numbers of its groups. The groups are sorted by
 * factor, the smallest first, so that the numbers count up like the digits of a meter. */
typedef struct Meter {
    int group[SYZYGY_MEN_MAX];       /* groups, sorted by factor */
    uint64_t number[SYZYGY_MEN_MAX]; /* by group */
} Meter;

static void meter_init(Meter *meter, const SyzygyIndex *index, uint64_t cell)
{
    for (int i = 0; i < index->groups; i++) {
        int at = i;
        for (; at > 0 && index->group[meter->group[at - 1]].factor > index->group[i].factor; at--)
            meter->group[at] = meter->group[at - 1];
        meter->group[at] = i;
        meter->number[i] = cell / index->group[i].factor % index->group[i].ways;
    }
}

/* Goes to the next cell. Returns the lowest group whose number has changed. */
static int meter_step(Meter *meter, const SyzygyIndex *index)
{
    int first = index->groups;
    for (int i = 0; i < index->groups; i++) {
        int group = meter->group[i];
        if (group < first) first = group;
        if (++meter->number[group] < index->group[group].ways) break;
        meter->number[group] = 0;
    }
    return first;
}

enum { AHEAD = 16 /* number of cells to prefetch before they are read */ };

void remap_some(const Remap *g, uint64_t cell, size_t count, uint8_t *out)
{
    uint8_t sq[SYZYGY_MEN_MAX];
    Placed placed = {.slice = g->from};
    Meter meter;
    int pawns = pawn_groups(g->index), first = 0;
    const uint8_t *at[AHEAD] = {NULL}; /* prefetched cells that are not yet read */
    meter_init(&meter, g->index, cell);
    for (size_t n = 0; n < count; n++) {
        /* If a group has moved, the squares of all later groups change too. */
        for (int i = first; i < g->index->groups; i++) {
            syzygy_place_group(g->index, &g->tables->syzygy, g->file, i, meter.number[i], sq);
            if (i + 1 == pawns) {
                placed.mirror = 0;
                find_slice(g, &placed, sq);
            }
        }
        const uint8_t **own = &at[n % AHEAD];
        if (n >= AHEAD) out[n - AHEAD] = value_of(g, *own);
        *own = place_of(g, &placed, sq);
        __builtin_prefetch(*own);
        first = meter_step(&meter, g->index);
    }
    for (size_t n = count > AHEAD ? count - AHEAD : 0; n < count; n++)
        out[n] = value_of(g, at[n % AHEAD]);
}

/* ---- All cells ------------------------------------------------------------------------------- */

/* The array sorts the placements of a group of like men on free squares by the square of the highest
 * man, then by the square of the next highest man, and so on. */

/* The array that is filled, and the squares of the men placed so far. */
typedef struct Walk {
    const Remap *g;
    uint8_t sq[SYZYGY_MEN_MAX];
} Walk;

static int list_squares(uint64_t set, uint8_t *out)
{
    int count = 0;
    while (set != 0) out[count++] = (uint8_t)bit_pop(&set);
    return count;
}

static uint64_t free_squares(const Remap *g, const Placed *placed, int group)
{
    const uint64_t pawns = UINT64_C(0x00ffffffffffff00);
    bool pawn = (g->index->man[g->index->group[group].first] & 7) == TREB_PAWN;
    return ~placed->taken & (pawn ? pawns : ~UINT64_C(0));
}

/* The last group, if it consists of like men. */
typedef struct Last {
    const uint8_t *from;              /* the solver's cell, without the men of the group */
    uint64_t factor;                  /* distance in the array between one placement and the next */
    uint32_t add[SYZYGY_MEN_MAX][64]; /* what a man adds, by man and number of the free square */
} Last;

/* Writes the values of all placements of `men` like men on the first `squares` free squares. Returns the
 * address for the value of the next placement. */
static uint8_t *fill_like(const Last *last, int men, int squares, const uint8_t *from, uint8_t *out)
{
    const uint32_t *add = last->add[men - 1];
    if (men == 1) {
        for (int i = 0; i < squares; i++, out += last->factor) *out = from[add[i]];
        return out;
    }
    for (int i = men - 1; i < squares; i++) out = fill_like(last, men - 1, i, from + add[i], out);
    return out;
}

/* Writes the value of touching kings for all placements of a group. */
static void fill_nothing(const Remap *g, const SyzygyGroup *group, uint8_t *out)
{
    for (uint64_t n = 0; n < group->ways; n++, out += group->factor) *out = g->nothing;
}

/* Writes the values of all placements of the last group. */
static void fill_last(const Remap *g, const Placed *placed, int group, uint8_t *out)
{
    const SyzygyGroup *own = &g->index->group[group];
    int man = g->index->man[own->first], color = man >> 3, type = man & 7, symmetry;
    uint8_t square[64];
    int squares = list_squares(free_squares(g, placed, group), square);
    const uint8_t *from = plane_of(g, placed, placed->king[0], placed->king[1], &symmetry);
    if (from == NULL) {
        fill_nothing(g, own, out);
        return;
    }
    Last last = {.from = from, .factor = own->factor};
    for (int k = 0; k < own->count; k++)
        for (int i = 0; i < squares; i++)
            last.add[k][i] = (uint32_t)g->tables->turned[symmetry][square[i] ^ placed->mirror]
                             << g->tables->shift[color][type][k];
    fill_like(&last, own->count, squares, from, out);
}

/* Cells that are prefetched: where each value comes from and where it goes. */
typedef struct Row {
    const uint8_t *from[64]; /* NULL: kings touch */
    uint8_t *out[64];
    int count;
} Row;

/* Used if each remaining group is a single man. The men are placed in the order of their factors, the
 * smallest last, so that cells are written in the order of their addresses. A man's number still counts
 * only the squares that the men before him in the array's order leave free. */
typedef struct Singles {
    const Remap *g;
    int first, count;           /* the first of these groups, and their number */
    int loop[SYZYGY_MEN_MAX];   /* groups in the order in which they are placed */
    uint64_t lead;              /* squares of the men of the earlier groups */
    uint8_t sq[SYZYGY_MEN_MAX]; /* square of the man, by group */
    Row row[2];
    int own; /* the row that is being filled; the other one is being fetched */
} Singles;

/* Returns whether there are groups from `first` on, and each is a single man. */
static bool all_single(const SyzygyIndex *index, int first)
{
    for (int i = first; i < index->groups; i++)
        if (index->group[i].count > 1) return false;
    return first < index->groups;
}

static void singles_init(Singles *s, const Remap *g, int first)
{
    s->g = g;
    s->first = first;
    s->count = g->index->groups - first;
    s->own = s->row[0].count = s->row[1].count = 0;
    for (int i = 0; i < s->count; i++) {
        int at = i;
        for (;
             at > 0 && g->index->group[s->loop[at - 1]].factor < g->index->group[first + i].factor;
             at--)
            s->loop[at] = s->loop[at - 1];
        s->loop[at] = first + i;
    }
}

/* Returns the squares with lower numbers. */
static uint64_t below(int sq) { return square_bit(sq) - 1; }

/* Returns the squares of the men before a group in the array's order, without the man of group `but`. */
static uint64_t squares_before(const Singles *s, int group, int but)
{
    uint64_t set = s->lead;
    for (int i = s->first; i < group; i++)
        if (i != but) set |= square_bit(s->sq[i]);
    return set;
}

/* Ends the current row. Writes the values of the row before it, whose cells are in the cache by now, and
 * empties that row for reuse. */
static void end_row(Singles *s)
{
    Row *row = &s->row[s->own ^= 1];
    for (int i = 0; i < row->count; i++) *row->out[i] = value_of(s->g, row->from[i]);
    row->count = 0;
}

/* Adds a cell to a row and prefetches it. */
static inline void row_add(Row *row, const uint8_t *from, uint8_t *out)
{
    __builtin_prefetch(from);
    row->from[row->count] = from;
    row->out[row->count++] = out;
}

/* Lists the cells with the last man on each square; all other men are placed. The squares in `behind`
 * have the men that come after him in the array's order. If he stands below such a man, that man's
 * number is lower by one, because he has one free square less below him. */
static void fill_single_row(Singles *s, const Placed *placed, uint8_t *out)
{
    const Remap *g = s->g;
    Row *row = &s->row[s->own];
    int own = s->loop[s->count - 1], symmetry;
    const SyzygyGroup *group = &g->index->group[own];
    int man = g->index->man[group->first], color = man >> 3, type = man & 7;
    uint64_t before = squares_before(s, own, own), behind = 0;
    for (int i = s->first; i < g->index->groups; i++) {
        if (i == own) continue;
        uint64_t earlier = squares_before(s, i, own);
        int number = s->sq[i] - bit_count(earlier & below(s->sq[i])) - (i > own);
        if (i > own) behind |= square_bit(s->sq[i]);
        /* `number` is for the last man below this man. It is -1 if he cannot stand there; the loop
         * over squares corrects it when it passes this man. */
        out += (int64_t)number * (int64_t)g->index->group[i].factor;
    }
    const uint8_t *from = NULL;
    unsigned shift = 0;
    int king[2] = {placed->king[0], placed->king[1]};
    if (type != TREB_KING) {
        from = plane_of(g, placed, king[0], king[1], &symmetry);
        shift = g->tables->shift[color][type][0];
    }
    const uint8_t *turned = g->tables->turned[from != NULL ? symmetry : 0];
    for (int sq = 0; sq < 64; sq++) {
        uint64_t bit = square_bit(sq);
        if ((before & bit) != 0) continue;
        if ((behind & bit) != 0) {
            for (int i = own + 1; i < g->index->groups; i++)
                if (s->sq[i] == sq) out += g->index->group[i].factor;
        } else if (type == TREB_KING) {
            king[color] = sq ^ placed->mirror;
            row_add(row, plane_of(g, placed, king[0], king[1], &symmetry), out);
        } else {
            row_add(row, from ? &from[(size_t)turned[sq ^ placed->mirror] << shift] : NULL, out);
        }
        out += group->factor;
    }
    end_row(s);
}

/* Places the single men from loop[depth] on, and writes the values. */
static void fill_singles(Singles *s, const Placed *placed, int depth, uint8_t *out)
{
    if (depth + 1 == s->count) {
        fill_single_row(s, placed, out);
        return;
    }
    int group = s->loop[depth], man = s->g->index->man[s->g->index->group[group].first];
    for (uint64_t left = ~placed->taken; left != 0;) {
        int sq = bit_pop(&left);
        Placed next = *placed;
        s->sq[group] = (uint8_t)sq;
        put_man(s->g, &next, man, 0, sq);
        fill_singles(s, &next, depth + 1, out);
    }
}

/* Places the groups from `group` on, in every way, and writes the values of the cells. */
static void fill_groups(Walk *walk, const Placed *placed, int group, uint8_t *out);

/* Places the lowest `men` men of a group on the first `squares` free squares, in every way, and fills the
 * cells. Returns the address for the next placement. */
static uint8_t *fill_group(Walk *walk, const Placed *placed, int group, int men, int squares,
                           const uint8_t *square, uint8_t *out)
{
    const Remap *g = walk->g;
    const SyzygyGroup *own = &g->index->group[group];
    if (men == 0) {
        Placed next = *placed;
        put_group(g, &next, group, walk->sq);
        fill_groups(walk, &next, group + 1, out);
        return out + own->factor;
    }
    for (int i = men - 1; i < squares; i++) {
        walk->sq[own->first + men - 1] = square[i];
        out = fill_group(walk, placed, group, men - 1, i, square, out);
    }
    return out;
}

static void fill_groups(Walk *walk, const Placed *placed, int group, uint8_t *out)
{
    const Remap *g = walk->g;
    if (group >= pawn_groups(g->index) && all_single(g->index, group)) {
        Singles singles;
        singles_init(&singles, g, group);
        singles.lead = placed->taken;
        fill_singles(&singles, placed, 0, out);
        end_row(&singles);
        return;
    }
    if (group == g->index->groups) { /* there are no men besides the leading group */
        int symmetry;
        const uint8_t *at = plane_of(g, placed, placed->king[0], placed->king[1], &symmetry);
        *out = value_of(g, at);
    } else if (group + 1 == g->index->groups) {
        fill_last(g, placed, group, out);
    } else {
        uint8_t square[64];
        int squares = list_squares(free_squares(g, placed, group), square);
        fill_group(walk, placed, group, g->index->group[group].count, squares, square, out);
    }
}

void remap_all(const Remap *g, uint8_t *out)
{
    const SyzygyGroup *lead = &g->index->group[0];
    /* A thread takes 64 neighbouring placements of the leading group: if that group has the smallest
     * factor, their bytes are adjacent. */
#pragma omp parallel for schedule(dynamic, 64)
    for (uint64_t number = 0; number < lead->ways; number++) {
        Walk walk = {.g = g};
        Placed placed = {.slice = g->from};
        syzygy_place_group(g->index, &g->tables->syzygy, g->file, 0, number, walk.sq);
        put_group(g, &placed, 0, walk.sq);
        fill_groups(&walk, &placed, 1, out + number * lead->factor);
    }
}
