/* audit_claims.c - see audit_claims.h. */
#include "pawns/check/audit_claims.h"

#include <stdlib.h>

#include "core/chess/movegen.h"

/* ---- Finding structures
 * ------------------------------------------------------------------------ */

/* The pawns of a structure and its number of pieces of each kind, four bits each. */
typedef struct Signature {
    uint64_t pawns[2];
    uint64_t pieces;
} Signature;

static uint64_t one_piece(int color, int type)
{
    return UINT64_C(1) << 4 * (4 * color + type - TREB_KNIGHT);
}

static Signature signature_of_structure(const Structure *f)
{
    Signature s = {{f->key.pawns[0], f->key.pawns[1]}, 0};
    for (int i = 0; i < f->key.pieces; i++)
        s.pieces += one_piece(f->key.piece[i].color, f->key.piece[i].type);
    return s;
}

static Signature signature_of(const treb_position *pos)
{
    Signature s = {{0, 0}, 0};
    for (int color = 0; color < 2; color++) {
        s.pawns[color] = position_men_of(pos, color, TREB_PAWN);
        for (int type = TREB_KNIGHT; type <= TREB_QUEEN; type++)
            s.pieces +=
                one_piece(color, type) * (unsigned)bit_count(position_men_of(pos, color, type));
    }
    return s;
}

static bool signatures_equal(const Signature *a, const Signature *b)
{
    return a->pawns[0] == b->pawns[0] && a->pawns[1] == b->pawns[1] && a->pieces == b->pieces;
}

static size_t first_slot(const AuditMap *map, const Signature *s)
{
    uint64_t hash = s->pawns[0] * 3 ^ s->pawns[1] * 5 ^ s->pieces * 7;
    hash *= UINT64_C(0xd6e8feb86659fd93);
    return (size_t)(hash >> 32) & (map->slots - 1);
}

static Structure *find(const AuditMap *map, const Signature *s)
{
    for (size_t i = first_slot(map, s); map->slot[i] != NULL; i = (i + 1) & (map->slots - 1)) {
        Signature other = signature_of_structure(map->slot[i]);
        if (signatures_equal(s, &other)) return map->slot[i];
    }
    return NULL;
}

bool audit_map_init(AuditMap *map, const ProofGraph *graph)
{
    *map = (AuditMap){.recaptures = !graph->limits.all, .slots = 64};
    while (map->slots < 2 * graph->structures) map->slots *= 2;
    map->slot = calloc(map->slots, sizeof *map->slot);
    if (map->slot == NULL) return false;
    for (int p = 0; p < PROOF_GRAPH_POTENTIALS; p++)
        for (int i = 0; i < graph->count[p]; i++) {
            Signature s = signature_of_structure(graph->by_potential[p][i]);
            size_t at = first_slot(map, &s);
            while (map->slot[at] != NULL) at = (at + 1) & (map->slots - 1);
            map->slot[at] = graph->by_potential[p][i];
        }
    return true;
}

void audit_map_free(AuditMap *map) { free(map->slot); }

/* ---- Cells ----------------------------------------------------------------------------------- */

bool audit_ordered(const Structure *f)
{
    for (int i = 1; i < f->key.pieces; i++) {
        const CellsPiece *a = &f->key.piece[i - 1], *b = &f->key.piece[i];
        if (a->color > b->color || (a->color == b->color && a->type > b->type)) return false;
    }
    return true;
}

/* A cell is a number in base 64. Its digits, from the lowest: the black king, the white king, the
 * pieces from the last to the first. */
bool audit_place(const Structure *f, Cell cell, int side, treb_position *pos)
{
    *pos = (treb_position){.turn = (uint8_t)side, .fullmove = 1};
    for (int color = 0; color < 2; color++)
        for (uint64_t pawns = f->key.pawns[color]; pawns != 0;)
            position_put(pos, color, TREB_PAWN, bit_pop(&pawns));
    for (int digit = 0; digit < f->key.pieces + 2; digit++, cell >>= 6) {
        const CellsPiece *man = digit < 2 ? NULL : &f->key.piece[f->key.pieces + 1 - digit];
        int square = (int)(cell & 63), king = digit == 0 ? TREB_BLACK : TREB_WHITE;
        if (bit_test(position_occupied(pos), square)) return false;
        position_put(pos, man ? man->color : king, man ? man->type : TREB_KING, square);
    }
    return position_check(pos, NULL) == TREB_OK;
}

/* The cell of a position. Of equal pieces the one on the lower square comes first; other cells have
 * them in another order. */
static Cell position_cell(const treb_position *pos)
{
    Cell cell = 0;
    for (int color = 0; color < 2; color++)
        for (int type = TREB_KNIGHT; type <= TREB_QUEEN; type++)
            for (uint64_t men = position_men_of(pos, color, type); men != 0;)
                cell = 64 * cell + (Cell)bit_pop(&men);
    cell = 64 * cell + (Cell)position_king(pos, TREB_WHITE);
    return 64 * cell + (Cell)position_king(pos, TREB_BLACK);
}

/* ---- Claims ---------------------------------------------------------------------------------- */

static const AuditClaim unknown = {{{false, false}, {true, true}}};

/* Asks the oracle for a cell that the solver has not asked for. */
static AuditClaim ask_oracle(AuditMap *map, const Structure *f, const treb_position *pos)
{
    AuditClaim claim = {{{false, false}, {false, false}}};
    treb_position plain = *pos;
    int value = 0;
    plain.ep = 0;
    if (!f->oracle->value(f->oracle->context, &plain, &value)) map->failed = true;
    if (value != 0) {
        int winner = value > 0 ? pos->turn : !pos->turn;
        claim.won[SURE][winner] = claim.won[MAYBE][winner] = true;
    }
    return claim;
}

/* Sharpens the claim about a position whose structure is unknown or not completely looked for: the
 * side to move gets at least the value after the captures of pieces. */
static AuditClaim claim_by_captures(AuditMap *map, const treb_position *pos, AuditClaim claim)
{
    Move moves[MOVES_MAX];
    uint64_t pieces = pos->by_color[!pos->turn] & ~pos->by_type[TREB_PAWN];
    for (int n = map->recaptures ? movegen_captures(pos, moves) : 0; n-- > 0;) {
        treb_position child;
        if (!bit_test(pieces, move_to(moves[n]))) continue;
        position_make(pos, moves[n], &child);
        const Signature s = signature_of(&child);
        const Structure *f = find(map, &s);
        if (f == NULL || !f->solved) continue;
        AuditClaim after = audit_claim_plain(map, &child);
        claim.won[SURE][pos->turn] |= after.won[SURE][pos->turn];
        claim.won[MAYBE][!pos->turn] &= after.won[MAYBE][!pos->turn];
    }
    return claim;
}

AuditClaim audit_claim_plain(AuditMap *map, const treb_position *pos)
{
    Signature s = signature_of(pos);
    const Structure *f = find(map, &s);
    AuditClaim claim;
    if (f == NULL || !f->solved) return claim_by_captures(map, pos, unknown);
    Cell cell = position_cell(pos);
    if (f->oracle != NULL && !cell_in(f->asked[pos->turn], cell)) return ask_oracle(map, f, pos);
    for (int level = SURE; level <= MAYBE; level++)
        for (int winner = 0; winner < 2; winner++)
            claim.won[level][winner] = cell_in(f->won[level][winner][pos->turn], cell);
    return f->only_winner == BOTH_WINNERS ? claim : claim_by_captures(map, pos, claim);
}

AuditClaim audit_claim(AuditMap *map, const treb_position *pos)
{
    AuditClaim claim = audit_claim_plain(map, pos);
    Move moves[MOVES_MAX];
    if (pos->ep == 0 || !position_ep_legal(pos)) return claim;
    int count = movegen_legal(pos, moves), others = 0;
    for (int i = 0; i < count; i++) others += !move_is_ep(pos, moves[i]);
    /* If captures en passant are the only moves, the position is neither mate nor stalemate: only
     * the captures count. */
    for (int level = SURE; level <= MAYBE && others == 0; level++) {
        claim.won[level][pos->turn] = false;
        claim.won[level][!pos->turn] = true;
    }
    for (int i = 0; i < count; i++) {
        treb_position child;
        if (!move_is_ep(pos, moves[i])) continue;
        position_make(pos, moves[i], &child);
        AuditClaim answer = audit_claim_plain(map, &child);
        for (int level = SURE; level <= MAYBE; level++) {
            claim.won[level][pos->turn] |= answer.won[level][pos->turn];
            claim.won[level][!pos->turn] &= answer.won[level][!pos->turn];
        }
    }
    return claim;
}
