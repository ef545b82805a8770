/* children.c - see children.h: a list of all conversions of a slice, with their children. */
#include "gen/solve/children.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/system/error.h"

/* Gives each of the parent's men its place among the child's. */
static void child_place_men(Child *child, const Shape *parent, int victim)
{
    unsigned used = 0;
    const Cut *cut = child->solved->cut;
    child->promoted_shift = -1;
    child->cut = cut;
    for (int i = 0; i < parent->men; i++) {
        child->shift[i] = -1;
        if (i == victim) continue;
        for (int j = 0; j < child->shape->men; j++) {
            const ShapeMan *man = &child->shape->man[j];
            if (used >> j & 1 || man->type != parent->man[i].type ||
                man->color != (parent->man[i].color ^ child->swap))
                continue;
            used |= 1u << j;
            /* In a cut cells are numbered without its man. */
            child->shift[i] =
                (int8_t)(6 * (child->shape->men - 1 - j - (cut != NULL && j < cut->man)));
            break;
        }
    }
    for (int j = 0; j < child->shape->men && cut == NULL; j++)
        if (!(used >> j & 1)) child->promoted_shift = 6 * (child->shape->men - 1 - j);
}

static bool fail_missing(Converter *c, const Material *m)
{
    char name[MATERIAL_NAME_SIZE];
    material_name(m, name);
    c->status = fail(c->error, TREB_ERR_NO_TABLE, "a smaller ending has not been solved: %s", name);
    return false;
}

/* Finds the child with the men of `parent` but `victim`, the given pawns, and a promoted piece of
 * type `promoted` (0 for none) of the mover; `turn` moves in it. False: see c->status. */
static bool child_find(Converter *c, Child *child, const uint64_t pawns[2], int victim,
                       int promoted, int turn, bool push)
{
    Material m = c->shape->material;
    for (int color = 0; color < 2; color++) m.count[color][TREB_PAWN] = bit_count(pawns[color]);
    if (victim >= 0) m.count[c->shape->man[victim].color][c->shape->man[victim].type]--;
    if (promoted) m.count[c->mover][promoted]++;
    child->swap = material_canonical(&m);
    child->side = turn ^ child->swap;
    uint64_t there[2] = {pawns[0], pawns[1]};
    if (child->swap) {
        there[0] = flip_ranks(pawns[1]);
        there[1] = flip_ranks(pawns[0]);
    }
    child->shape = c->source->shape(c->source->context, &m,
                                    promoted ? wanted_cut(c->mover ^ child->swap, promoted) : 0);
    if (child->shape == NULL) return fail_missing(c, &m);
    child->mirror = index_pawns_mirror(&child->shape->index, there) > 0;
    if (child->mirror)
        for (int i = 0; i < 2; i++) there[i] = flip_files(there[i]);
    c->status =
        c->source->find(c->source->context, child->shape, index_slice(&child->shape->index, there),
                        child->side, push, &child->solved, &child->lane, c->error);
    if (c->status != TREB_OK) return false;
    child_place_men(child, c->shape, victim);
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

/* Adds the conversion of a kind of move with its child, and with those of the answers en passant. */
static bool add_kind(void *context, const ConversionKind *kind)
{
    Converter *c = context;
    Conversion *m = add_move(c);
    if (m == NULL) return false;
    m->man = kind->mover;
    m->victim = kind->victim;
    m->from = kind->from;
    m->to = kind->to;
    m->between = kind->between;
    m->completes =
        kind->victim != NO_MAN || (kind->promo == TREB_QUEEN && bit_count(c->pawns[c->mover]) == 1);
    m->push = kind->mover == PAWN_MAN && kind->victim == NO_MAN && kind->promo == 0;
    if (!child_find(c, &m->child, kind->pawns, kind->victim, kind->promo, !c->mover, m->push))
        return false;
    c->moves++;
    for (; m->captures < kind->answers; m->captures++)
        if (!child_find(c, &m->en_passant[m->captures], kind->answer[m->captures], NO_MAN, 0,
                        c->mover, false))
            return false;
    return true;
}

treb_status converter_new(const Shape *shape, const uint64_t pawns[2], int mover,
                          const SolvedSource *source, Converter **out, treb_error *error)
{
    assert(bit_count(pawns[0]) == shape->material.count[0][TREB_PAWN] &&
           bit_count(pawns[1]) == shape->material.count[1][TREB_PAWN]);
    Converter *c = calloc(1, sizeof *c);
    if (c == NULL) return fail_memory(error);
    c->error = error;
    c->shape = shape;
    c->source = source;
    c->mover = mover;
    c->pawns[0] = pawns[0];
    c->pawns[1] = pawns[1];
    uint8_t color[KERNEL_MEN_MAX];
    for (int i = 0; i < shape->men; i++) color[i] = shape->man[i].color;
    const ConversionBoard board = {{pawns[0], pawns[1]}, color, shape->men};
    conversion_each(&board, mover, add_kind, c);
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
        c->source->release(c->source->context, c->move[i].child.solved);
        for (int e = 0; e < c->move[i].captures; e++)
            c->source->release(c->source->context, c->move[i].en_passant[e].solved);
    }
    free(c->move);
    free(c);
}
