/* naive.c - see naive.h. */
#include "tests/support/naive.h"
#include "tests/support/random.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/symbols.h"

enum { POSITIONS = 64 * 64 * 64 * 2, NO_CHILD = 0xff };

/* The result of a move: a position of the material itself, or a value of another material. */
typedef struct Child {
    uint32_t position;
    uint8_t verdict; /* NO_CHILD: the child is `position` */
    uint8_t zeroing, conversion, completes;
    uint8_t capture;
    uint16_t dtm;
} Child;

struct Naive {
    Material material;
    int type; /* type of the third man, which is White's; TREB_KING if there is none */
    NaiveValue *value;
    Naive *queen, *rook; /* the tables of the pieces that a pawn promotes into */
};

static uint32_t number_of(const Naive *naive, const treb_position *pos)
{
    uint32_t white = (uint32_t)position_king(pos, TREB_WHITE);
    uint32_t black = (uint32_t)position_king(pos, TREB_BLACK);
    uint64_t third = position_men_of(pos, TREB_WHITE, naive->type);
    return ((white * 64 + black) * 64 + (uint32_t)bit_first(third)) * 2 + pos->turn;
}

static bool position_of(const Naive *naive, uint32_t number, treb_position *pos)
{
    int white = number >> 13, black = number >> 7 & 63, third = number >> 1 & 63;
    memset(pos, 0, sizeof *pos);
    pos->turn = number & 1;
    pos->fullmove = 1;
    if (white == black || white == third || black == third) return false;
    position_put(pos, TREB_WHITE, TREB_KING, white);
    position_put(pos, TREB_BLACK, TREB_KING, black);
    position_put(pos, TREB_WHITE, naive->type, third);
    return position_check(pos, NULL) == TREB_OK;
}

const Material *naive_material(const Naive *naive) { return &naive->material; }

const Naive *naive_promoted(const Naive *naive, int type)
{
    return type == TREB_QUEEN ? naive->queen : naive->rook;
}

const NaiveValue *naive_value(const Naive *naive, const treb_position *pos)
{
    return &naive->value[number_of(naive, pos)];
}

/* ---- Moves ----------------------------------------------------------------------------------- */

static Child child_of(const Naive *naive, const treb_position *pos, Move m)
{
    treb_position next;
    position_make(pos, m, &next);
    Child child = {.verdict = NO_CHILD,
                   .zeroing = move_is_zeroing(pos, m),
                   .capture = move_is_capture(pos, m),
                   .conversion = move_is_capture(pos, m) || move_promo(m) != 0,
                   .completes = move_is_capture(pos, m) || move_promo(m) == TREB_QUEEN};
    const Naive *to = move_promo(m) == TREB_QUEEN  ? naive->queen
                      : move_promo(m) == TREB_ROOK ? naive->rook
                                                   : NULL;
    if (!child.conversion) {
        child.position = number_of(naive, &next);
    } else if (to == NULL || child.capture) {
        child.verdict = TREB_DRAW; /* two kings, perhaps with a knight or bishop */
    } else {
        const NaiveValue *value = naive_value(to, &next);
        child.verdict = value->verdict;
        child.dtm = value->plies[TREB_DTM];
    }
    return child;
}

/* All moves of all legal positions. Those of position n are children[first[n]] up to
 * children[first[n + 1] - 1]. */
typedef struct Moves {
    uint32_t *first;
    Child *children;
    uint8_t *mated; /* by position: no legal move and in check */
} Moves;

static Moves moves_of(Naive *naive)
{
    size_t capacity = 1 << 20, count = 0;
    Moves moves = {malloc((POSITIONS + 1) * sizeof *moves.first),
                   malloc(capacity * sizeof *moves.children), calloc(POSITIONS, 1)};
    for (uint32_t n = 0; n < POSITIONS; n++) {
        treb_position pos;
        Move list[MOVES_MAX];
        moves.first[n] = (uint32_t)count;
        naive->value[n].legal = position_of(naive, n, &pos);
        naive->value[n].verdict = TREB_DRAW;
        if (!naive->value[n].legal) continue;
        int legal = movegen_legal(&pos, list);
        if (count + MOVES_MAX > capacity)
            moves.children = realloc(moves.children, (capacity *= 2) * sizeof(Child));
        for (int i = 0; i < legal; i++) moves.children[count++] = child_of(naive, &pos, list[i]);
        moves.mated[n] = legal == 0 && position_in_check(&pos);
    }
    moves.first[POSITIONS] = (uint32_t)count;
    return moves;
}

static void moves_free(Moves *moves)
{
    free(moves->first);
    free(moves->children);
    free(moves->mated);
}

/* ---- Solving --------------------------------------------------------------------------------- */

/* One metric while it is solved. A value is +n for a win in n plies and -n - 1 for a loss in n. 0
 * means not known yet, and a draw at the end. */
typedef struct Work {
    treb_metric metric;
    const Moves *moves;
    int16_t *sign;
} Work;

static int sign_of_child(const Work *work, const Child *child)
{
    bool ends =
        work->metric == TREB_DTZ ? child->zeroing : work->metric == TREB_DTC && child->conversion;
    int sign = 0;
    if (child->verdict == NO_CHILD)
        sign = work->sign[child->position];
    else if (child->verdict != TREB_DRAW)
        sign = child->verdict > TREB_DRAW ? child->dtm : -child->dtm - 1;
    if (!ends || sign == 0) return sign;
    return sign > 0 ? 0x4000 : -1; /* distances start at 1 from here */
}

/* Returns the value of position n at ply `ply`. All smaller distances must be known. */
static int16_t look(const Work *work, uint32_t n, int ply)
{
    bool lost = true;
    int longest = 0;
    const Child *child = &work->moves->children[work->moves->first[n]];
    const Child *end = &work->moves->children[work->moves->first[n + 1]];
    if (child == end) return work->moves->mated[n] ? -1 : 0;
    for (; child < end; child++) {
        int sign = sign_of_child(work, child);
        if (sign == -ply) return (int16_t)ply; /* lost in ply - 1 */
        if (sign <= 0) lost = false;
        int plies = sign == 0x4000 ? 1 : sign + 1;
        if (plies > longest) longest = plies;
    }
    return lost && longest == ply ? (int16_t)(-ply - 1) : 0;
}

/* Returns the rank of the pawn; 0 without a pawn. Positions are solved from the highest rank
 * down. */
static int rank_of(const Naive *naive, uint32_t n)
{
    return naive->type == TREB_PAWN ? (int)(n >> 4 & 7) : 0;
}

/* Returns the largest mate distance after a promotion. */
static int farthest_mate(const Moves *moves)
{
    int plies = 0;
    for (uint32_t i = 0; i < moves->first[POSITIONS]; i++) {
        const Child *child = &moves->children[i];
        if (child->verdict != NO_CHILD && child->verdict != TREB_DRAW && child->dtm > plies)
            plies = child->dtm;
    }
    return plies;
}

static void solve(const Naive *naive, Work *work)
{
    uint32_t *open = malloc(POSITIONS * sizeof *open);
    /* Each distance follows from a child that is one ply nearer. No distance can therefore exceed
     * the largest known one by more than a ply. */
    int farthest = farthest_mate(work->moves);
    /* Each rank is solved after the rank above it, so that the results of pawn moves are known. */
    for (int rank = naive->type == TREB_PAWN ? 6 : 0; rank >= 0; rank--) {
        size_t count = 0;
        for (uint32_t n = 0; n < POSITIONS; n++)
            if (naive->value[n].legal && rank_of(naive, n) == rank) open[count++] = n;
        for (int ply = 0; ply <= farthest + 1; ply++) {
            size_t left = 0;
            for (size_t i = 0; i < count; i++) {
                int16_t sign =
                    ply == 0 && !work->moves->mated[open[i]] ? 0 : look(work, open[i], ply);
                if (sign == 0) {
                    open[left++] = open[i];
                } else {
                    work->sign[open[i]] = sign;
                    if (ply > farthest) farthest = ply;
                }
            }
            count = left;
        }
    }
    free(open);
}

/* Stores the results of captures, and which cells the format leaves open. */
static void note_freedom(const Moves *moves, uint32_t n, NaiveValue *value, const NaiveValue *all)
{
    for (uint32_t i = moves->first[n]; i < moves->first[n + 1]; i++) {
        const Child *child = &moves->children[i];
        int verdict = child->verdict == NO_CHILD ? all[child->position].verdict : child->verdict;
        if (child->capture && TREB_WIN - verdict + 1 > value->captured)
            value->captured = (uint8_t)(TREB_WIN - verdict + 1);
        if (child->completes && TREB_WIN - verdict + 1 > value->completed)
            value->completed = (uint8_t)(TREB_WIN - verdict + 1);
        if (verdict == TREB_LOSS && child->zeroing) value->dtz_free = true;
        if (verdict == TREB_LOSS && child->conversion) value->dtc_free = true;
        if (verdict == TREB_LOSS && child->completes && child->dtm + 1 == value->plies[TREB_DTM])
            value->dtm_loose = true;
    }
}

Naive *naive_solve(const char *material)
{
    Naive *naive = calloc(1, sizeof *naive);
    if (!material_parse(material, &naive->material)) abort();
    for (int type = TREB_PAWN; type < TREB_KING; type++)
        if (naive->material.count[TREB_WHITE][type]) naive->type = type;
    if (naive->type == TREB_PAWN) {
        naive->queen = naive_solve("KQvK");
        naive->rook = naive_solve("KRvK");
    }
    naive->value = calloc(POSITIONS, sizeof *naive->value);
    Moves moves = moves_of(naive);
    for (int metric = TREB_DTZ; metric < TREB_METRICS; metric++) {
        Work work = {metric, &moves, calloc(POSITIONS, sizeof(int16_t))};
        solve(naive, &work);
        for (uint32_t n = 0; n < POSITIONS; n++) {
            int sign = work.sign[n];
            naive->value[n].verdict = sign == 0 ? TREB_DRAW : sign > 0 ? TREB_WIN : TREB_LOSS;
            naive->value[n].plies[metric] = (uint16_t)(sign >= 0 ? sign : -sign - 1);
        }
        free(work.sign);
    }
    for (uint32_t n = 0; n < POSITIONS; n++)
        if (naive->value[n].legal) note_freedom(&moves, n, &naive->value[n], naive->value);
    moves_free(&moves);
    return naive;
}

void naive_free(Naive *naive)
{
    if (naive == NULL) return;
    naive_free(naive->queen);
    naive_free(naive->rook);
    free(naive->value);
    free(naive);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static uint32_t random_below(uint32_t limit)
{
    static uint64_t state = 20;
    return next_random31(&state) % limit;
}

bool naive_write_bytes(const char *directory, const TableHeader *header, uint8_t *const data[2])
{
    treb_error error;
    TableEncoder *encoder = table_encoder_new(1, NULL, 0);
    TableWriter *writer = table_writer_open(directory, header, NULL, 0, &error);
    uint8_t *packed = malloc(table_block_bound(header));
    uint64_t bytes = table_side_bytes(header), full = UINT64_C(1) << header->block_bits, size;
    bool good = encoder && writer && packed;
    for (int side = 0; side < 2; side++) {
        if (!header->side[side].stored) continue;
        for (uint64_t at = 0; at < bytes && good; at += full) {
            size_t left = (size_t)(bytes - at < full ? bytes - at : full);
            const uint8_t *block = data[side] + at;
            size_t got =
                table_encode_block(encoder, block, left, packed, table_block_bound(header));
            good =
                got > 0 && table_writer_add(writer, side, at >> header->block_bits, packed, got,
                                            table_block_checksum(block, left), &error) == TREB_OK;
        }
    }
    table_encoder_free(encoder);
    free(packed);
    if (good) return table_writer_finish(writer, header, &size, &error) == TREB_OK;
    table_writer_abort(writer);
    return false;
}

/* Sets the codes of a WDL table. Each side numbers its verdicts in another order, to test that
 * readers use the map. */
static void set_verdict_map(TableSide *side, int s)
{
    side->codes[0] = WDL_VALUES;
    side->plies[0] = malloc(WDL_VALUES * sizeof(uint16_t));
    for (int c = 0; c < WDL_VALUES; c++) side->plies[0][c] = (uint16_t)(s ? TREB_WIN - c : c);
}

static void set_distance_maps(TableSide *side)
{
    for (int v = 0; v < WDL_VALUES; v++) {
        if (v == TREB_DRAW) continue;
        side->codes[v] = 200;
        side->plies[v] = malloc(200 * sizeof(uint16_t));
        for (int c = 0; c < 200; c++) side->plies[v][c] = (uint16_t)(199 - c);
    }
}

static unsigned code_of(const TableHeader *header, const NaiveLayout *layout,
                        const NaiveValue *value, int side)
{
    unsigned any = random_below(header->per_byte > 1 ? header->base : 256);
    if (!value->legal) return any;
    if (header->metric == TREB_WDL) {
        unsigned verdict = value->verdict;
        unsigned best = header->bounds ? value->completed : value->captured;
        if (layout->scramble && best == verdict + 1) verdict = random_below(verdict + 1);
        return side ? TREB_WIN - verdict : verdict;
    }
    bool free = value->verdict == TREB_DRAW ||
                (header->metric == TREB_DTZ && value->dtz_free && value->verdict == TREB_WIN) ||
                (header->metric == TREB_DTC && value->dtc_free && value->verdict == TREB_WIN);
    if (free && layout->scramble) return any;
    unsigned plies = value->plies[header->metric];
    if (header->bounds && value->dtm_loose) plies += random_below(200 - plies);
    return 199u - plies;
}

static void put_code(const TableHeader *header, uint8_t *bytes, uint64_t cell, unsigned code)
{
    if (header->width == 2) {
        bytes[2 * cell] = (uint8_t)code;
        bytes[2 * cell + 1] = (uint8_t)(code >> 8);
        return;
    }
    unsigned place = 1;
    for (unsigned i = 0; i < cell % header->per_byte; i++) place *= header->base;
    bytes[cell / header->per_byte] += (uint8_t)(code * place);
}

/* Sets codec symbols and its way to number cells. */
static void set_symbols(TableHeader *header, const Material *material, unsigned block_bytes)
{
    header->codec = TABLE_SYMBOLS;
    index_init_square_colors(&header->index, material, NULL);
    if (header->per_byte > 1) header->base = 1u << 8 / header->per_byte;
    for (int side = 0; side < 2; side++) {
        header->side[side].index = header->index;
        header->side[side].code.block_bytes = block_bytes;
    }
}

bool naive_write(const Naive *naive, const char *directory, treb_metric metric,
                 const NaiveLayout *layout)
{
    TableHeader header = {.metric = metric, .pad = 1, .width = 1, .per_byte = 1};
    uint8_t *data[2] = {NULL, NULL};
    index_init(&header.index, &naive->material, NULL, 1);
    header.block_bits = layout->block_bits;
    header.bounds = (metric == TREB_WDL || metric == TREB_DTM) && layout->bounds;
    if (metric == TREB_WDL && layout->per_byte > 1) {
        header.per_byte = layout->per_byte;
        header.base = WDL_VALUES;
    }
    if (metric != TREB_WDL && layout->wide) header.width = 2;
    if (layout->block_bytes > 0) set_symbols(&header, &naive->material, layout->block_bytes);
    for (int side = 0; side < 2; side++) {
        TableSide *to = &header.side[side];
        to->stored = metric == TREB_WDL || side == layout->side;
        if (!to->stored) continue;
        if (metric == TREB_WDL)
            set_verdict_map(to, side);
        else
            set_distance_maps(to);
        data[side] = calloc(1, table_side_bytes(&header));
        for (uint64_t cell = 0; cell < header.index.size; cell++) {
            IndexMen men;
            NaiveValue value = {.legal = false};
            treb_position pos;
            if (index_to_men(&header.index, cell, &men)) {
                index_men_to_position(&header.index, &men, side, &pos);
                value = *naive_value(naive, &pos);
            }
            put_code(&header, data[side], cell, code_of(&header, layout, &value, side));
        }
    }
    treb_error error;
    bool good = layout->block_bytes > 0
                    ? symbols_write(directory, &header, data, NULL, &error) == TREB_OK
                    : naive_write_bytes(directory, &header, data);
    for (int side = 0; side < 2; side++) free(data[side]);
    table_header_free(&header);
    return good;
}
