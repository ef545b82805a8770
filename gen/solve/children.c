/* children.c - lists moves of a slice, with their children: see children.h. */
#include "gen/solve/children.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/system/error.h"

/* Finds the place of each of the parent's men among the child's. */
static void child_place_men(const Converter *c, Child *child, int victim)
{
    const Layout *parent = c->layout;
    const SolvedArrays *solved = child->solved;
    unsigned used = 0;
    const PromotionSubset *subset = solved->subset;
    child->promoted = NULL;
    child->subset = subset;
    for (int i = 0; i < parent->men; i++) {
        child->step[i] = NULL;
        if (i == victim) continue;
        for (int j = 0; j < child->layout->men; j++) {
            const LayoutMan *man = &child->layout->man[j];
            if (used >> j & 1 || man->type != parent->man[i].type ||
                man->color != (parent->man[i].color ^ child->swap))
                continue;
            used |= 1u << j;
            /* The cells of a subset are numbered without its man. */
            child->step[i] = solved->step != NULL
                                 ? solved->step[j]
                                 : c->step[child->layout->men - 1 - j - (subset != NULL && j < subset->man)];
            break;
        }
    }
    for (int j = 0; j < child->layout->men && subset == NULL; j++)
        if (!(used >> j & 1))
            child->promoted = solved->step != NULL ? solved->step[j] : c->step[child->layout->men - 1 - j];
}

static bool fail_missing(Converter *c, const Material *m)
{
    char name[MATERIAL_NAME_SIZE];
    material_name(m, name);
    c->status = fail(c->error, TREB_ERR_NO_TABLE, "a smaller ending has not been solved: %s", name);
    return false;
}

/* Finds the child with the men of `parent` except `victim`, with the given pawns, and with a promoted piece of type
 * `promoted` (0: none) of the moving side. `turn` is to move in the child. False: see c->status. */
static bool child_find(Converter *c, Child *child, const uint64_t pawns[2], int victim,
                       int promoted, int turn, bool push)
{
    Material m = c->layout->material;
    for (int color = 0; color < 2; color++) m.count[color][TREB_PAWN] = bit_count(pawns[color]);
    if (victim >= 0) m.count[c->layout->man[victim].color][c->layout->man[victim].type]--;
    if (promoted) m.count[c->mover][promoted]++;
    child->swap = material_canonical(&m);
    child->side = turn ^ child->swap;
    uint64_t there[2] = {pawns[0], pawns[1]};
    if (child->swap) {
        there[0] = flip_ranks(pawns[1]);
        there[1] = flip_ranks(pawns[0]);
    }
    child->layout = c->provider->layout(
        c->provider->context, &m, promoted ? wanted_subset(c->mover ^ child->swap, promoted) : 0);
    if (child->layout == NULL) return fail_missing(c, &m);
    child->mirror = index_pawns_mirror(&child->layout->index, there) > 0;
    if (child->mirror)
        for (int i = 0; i < 2; i++) there[i] = flip_files(there[i]);
    c->status = c->provider->find(c->provider->context, child->layout,
                                  index_slice(&child->layout->index, there), child->side, push,
                                  &child->solved, &child->lane, c->error);
    if (c->status != TREB_OK) return false;
    child_place_men(c, child, victim);
    return true;
}

static Conversion *add_move(Converter *c)
{
    if (c->moves == c->capacity) {
        int capacity = c->capacity ? 2 * c->capacity : 32;
        Conversion *grown = realloc(c->move, capacity * sizeof *grown);
        if (grown == NULL) {
            c->status = fail_memory(c->error);
            return NULL;
        }
        c->move = grown;
        c->capacity = capacity;
    }
    Conversion *move = &c->move[c->moves];
    memset(move, 0, sizeof *move);
    return move;
}

/* Adds the conversions of a kind of move with its child, and the children of the answers en passant. */
static bool add_kind(void *context, const ConversionKind *kind)
{
    Converter *c = context;
    const bool completes =
        kind->victim != NO_MAN || (kind->promo == TREB_QUEEN && bit_count(c->pawns[c->mover]) == 1);
    if (c->which == MOVES_CAPTURES && kind->victim == NO_MAN) return true;
    if (c->which == MOVES_COMPLETING && !completes) return true;
    Conversion *m = add_move(c);
    if (m == NULL) return false;
    m->man = kind->mover;
    m->victim = kind->victim;
    m->from = kind->from;
    m->to = kind->to;
    m->between = kind->between;
    m->completes = completes;
    m->push = c->which == MOVES_CONVERSIONS && kind->mover == PAWN_MAN && kind->victim == NO_MAN &&
              kind->promo == 0;
    if (!child_find(c, &m->child, kind->pawns, kind->victim, kind->promo, !c->mover, m->push))
        return false;
    c->moves++;
    for (; m->captures < kind->answers; m->captures++)
        if (!child_find(c, &m->en_passant[m->captures], kind->answer[m->captures], NO_MAN, 0,
                        c->mover, false))
            return false;
    return true;
}

/* Adds the quiet moves of the king and of all men, which lead to the same slice with the other side to move. */
static bool add_quiet(Converter *c)
{
    for (int man = KING_MAN; man < c->layout->men; man++) {
        if (man != KING_MAN && c->layout->man[man].color != c->mover) continue;
        Conversion *m = add_move(c);
        if (m == NULL) return false;
        m->man = man;
        m->victim = NO_MAN;
        m->from = m->to = m->between = -1;
        if (!child_find(c, &m->child, c->pawns, NO_MAN, 0, !c->mover, false)) return false;
        c->moves++;
    }
    return true;
}

treb_status converter_new(const Layout *layout, const uint64_t pawns[2], int mover,
                          ConverterMoves moves, const SliceProvider *provider, Converter **out,
                          treb_error *error)
{
    assert(bit_count(pawns[0]) == layout->material.count[0][TREB_PAWN] &&
           bit_count(pawns[1]) == layout->material.count[1][TREB_PAWN]);
    Converter *c = calloc(1, sizeof *c);
    if (c == NULL) return fail_memory(error);
    c->error = error;
    c->layout = layout;
    c->provider = provider;
    c->mover = mover;
    c->which = moves;
    c->pawns[0] = pawns[0];
    c->pawns[1] = pawns[1];
    for (int i = 0; i < 8 * 64; i++) c->square[i / 64][i % 64] = (uint8_t)index_symmetry_square(i / 64, i % 64);
    for (int i = 0; i < KERNEL_MEN_MAX * 64; i++) c->step[i / 64][i % 64] = (uint32_t)(i % 64) << 6 * (i / 64);
    uint8_t color[KERNEL_MEN_MAX];
    for (int i = 0; i < layout->men; i++) color[i] = layout->man[i].color;
    const ConversionBoard board = {{pawns[0], pawns[1]}, color, layout->men};
    if (conversion_each(&board, mover, add_kind, c) && moves == MOVES_ALL) add_quiet(c);
    treb_status status = c->status;
    if (status == TREB_OK)
        *out = c;
    else
        converter_free(c);
    return status;
}

void converter_free(Converter *c)
{
    if (c == NULL) return;
    for (int i = 0; i < c->moves; i++) {
        c->provider->release(c->provider->context, c->move[i].child.solved);
        for (int e = 0; e < c->move[i].captures; e++)
            c->provider->release(c->provider->context, c->move[i].en_passant[e].solved);
    }
    free(c->move);
    free(c);
}
