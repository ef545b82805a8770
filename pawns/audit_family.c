/* audit_family.c - see audit_family.h.
 *
 * First every position is set up once and its moves are listed. Those within the family are
 * counted, those out of it asked for their claims. Then, for each player and level, wins are found
 * ply by ply from mates and from moves that leave the family: whoever is to win has one move to a
 * lost position, the other none left that does not lose. The positions before one are those from
 * which a man could have come, which for moves that take nothing and are no pawn's are the squares
 * that it could go to. */
#include "pawns/audit_family.h"

#include <stdlib.h>
#include <string.h>

/* What the moves of one position come to. */
enum {
    NOTE_LEGAL = 1,
    NOTE_MATED = 2,
    NOTE_STALEMATED = 4,
    NOTE_WINS = 8,  /* << level: a move out of the family wins */
    NOTE_HOLDS = 32 /* << level: one leads to where the other does not win */
};

typedef struct Look {
    AuditRun *run;
    const Family *f;
    Cell cells;
    uint8_t *note[2], *quiet[2]; /* by side to move: notes, and how many moves stay here */
    uint8_t *left;               /* of the loser's moves, those not yet known to lose */
    uint64_t *won[2];            /* by side to move, in the game looked at */
    uint64_t *now[2], *next[2];  /* won at this ply, at the next */
    int winner, level;
    uint16_t *rank[2]; /* wanted, or NULL */
} Look;

static size_t set_bytes(const Look *l) { return (size_t)(l->cells / 64) * sizeof(uint64_t); }

static bool look_init(Look *l, AuditRun *run, const Family *f)
{
    *l = (Look){.run = run, .f = f, .cells = (Cell)1 << 6 * (f->key.men + 2)};
    bool good = (l->left = malloc(l->cells)) != NULL;
    for (int side = 0; side < 2; side++) {
        good = good && (l->note[side] = calloc(l->cells, 1)) != NULL;
        good = good && (l->quiet[side] = calloc(l->cells, 1)) != NULL;
        good = good && (l->won[side] = malloc(set_bytes(l))) != NULL;
        good = good && (l->now[side] = malloc(set_bytes(l))) != NULL;
        good = good && (l->next[side] = malloc(set_bytes(l))) != NULL;
    }
    return good;
}

static void look_free(Look *l)
{
    free(l->left);
    for (int side = 0; side < 2; side++) {
        free(l->note[side]);
        free(l->quiet[side]);
        free(l->won[side]);
        free(l->now[side]);
        free(l->next[side]);
    }
}

static void set_add(uint64_t *set, Cell cell) { set[cell / 64] |= square_bit((int)(cell % 64)); }

/* True if the user would rather stop. */
static bool count_position(AuditRun *run)
{
    AuditReport *r = run->report;
    r->positions++;
    if (r->positions % 16384 == 0 && run->options->stop != NULL)
        r->stopped =
            r->stopped || run->options->stop(run->options->context, r->positions, run->all);
    return r->stopped;
}

/* ---- Listing moves --------------------------------------------------------------------------- */

static uint8_t note_child(AuditMap *map, const treb_position *child)
{
    AuditClaim claim = audit_claim(map, child);
    uint8_t note = 0;
    for (int level = SURE; level <= MAYBE; level++) {
        if (claim.won[level][!child->turn]) note |= NOTE_WINS << level;
        if (!claim.won[level][child->turn]) note |= NOTE_HOLDS << level;
    }
    return note;
}

static void note_moves(Look *l, const treb_position *pos, Cell cell)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves), quiet = 0;
    uint8_t note = NOTE_LEGAL;
    if (count == 0) note |= position_in_check(pos) ? NOTE_MATED : NOTE_STALEMATED;
    for (int i = 0; i < count; i++) {
        treb_position child;
        if (!move_is_zeroing(pos, moves[i])) {
            quiet++;
            continue;
        }
        position_make(pos, moves[i], &child);
        note |= note_child(&l->run->map, &child);
    }
    l->note[pos->turn][cell] = note;
    l->quiet[pos->turn][cell] = (uint8_t)quiet;
}

/* Looks at all positions; what can be told at once is compared. False if the user stops. */
static bool list_all(Look *l)
{
    const Family *f = l->f;
    for (Cell cell = 0; cell < l->cells; cell++)
        for (int side = 0; side < 2; side++) {
            treb_position pos;
            bool legal = audit_place(f, cell, side, &pos);
            if (cell_in(f->legal[side], cell) != legal)
                audit_fault(l->run, &pos, "a position or not? The structure says %d, not %d",
                            !legal, legal);
            if (!legal) continue;
            if (count_position(l->run)) return false;
            note_moves(l, &pos, cell);
            /* What too many pieces might do cannot be told: a move may be thought possible. */
            bool stuck = (l->note[side][cell] & (NOTE_MATED | NOTE_STALEMATED)) != 0;
            bool said = cell_in(f->stuck[side], cell);
            if (said && !stuck) audit_fault(l->run, &pos, "said to have no move");
            l->run->report->loose += stuck && !said;
        }
    return true;
}

/* ---- The game -------------------------------------------------------------------------------- */

static void reach(Look *l, int side, Cell cell)
{
    if (!cell_in(l->won[side], cell)) set_add(l->next[side], cell);
}

/* Whoever is to lose may go from this cell to one that is lost for him, too. */
static void lose_move(Look *l, Cell cell)
{
    int loser = !l->winner;
    if (--l->left[cell] == 0 && !(l->note[loser][cell] & NOTE_HOLDS << l->level))
        reach(l, loser, cell);
}

/* Goes back from a position, `side` to move, to all that can come before it. */
static void go_back(Look *l, int side, Cell cell)
{
    const CellsKey *key = &l->f->key;
    int mover = !side;
    uint64_t men = key->pawns[0] | key->pawns[1];
    for (int digit = 0; digit < key->men + 2; digit++)
        men |= square_bit((int)(cell >> 6 * digit & 63));
    for (int digit = 0; digit < key->men + 2; digit++) {
        const CellsMan *man = digit < 2 ? NULL : &key->man[key->men + 1 - digit];
        int color = man != NULL ? man->color : digit == 0 ? TREB_BLACK : TREB_WHITE;
        int type = man != NULL ? man->type : TREB_KING;
        int square = (int)(cell >> 6 * digit & 63);
        if (color != mover) continue;
        Cell rest = cell & ~((Cell)63 << 6 * digit);
        for (uint64_t from = piece_attacks(type, square, men) & ~men; from != 0;) {
            Cell before = rest | (Cell)bit_pop(&from) << 6 * digit;
            if (!(l->note[mover][before] & NOTE_LEGAL)) continue;
            if (mover == l->winner)
                reach(l, mover, before);
            else
                lose_move(l, before);
        }
    }
}

/* Mates are won at ply 0; at ply 1 what a move out of the family decides. */
static void begin_ply(Look *l, int ply)
{
    int winner = l->winner, loser = !winner, level = l->level;
    const uint8_t stays = (uint8_t)(NOTE_MATED | NOTE_STALEMATED | NOTE_HOLDS << level);
    for (Cell cell = 0; cell < l->cells; cell++) {
        uint8_t wins = l->note[winner][cell], loses = l->note[loser][cell];
        if (ply == 0 && (loses & NOTE_MATED)) set_add(l->next[loser], cell);
        if (ply == 1 && (wins & NOTE_WINS << level)) reach(l, winner, cell);
        if (ply == 1 && (loses & NOTE_LEGAL) && !(loses & stays) && l->quiet[loser][cell] == 0)
            reach(l, loser, cell);
    }
}

/* What was found for the next ply is won now. False if there was nothing. */
static bool next_ply(Look *l, int ply)
{
    uint64_t any = 0;
    for (int side = 0; side < 2; side++) {
        uint64_t *set = l->now[side];
        l->now[side] = l->next[side];
        l->next[side] = set;
        memset(set, 0, set_bytes(l));
        for (Cell w = 0; w < l->cells / 64; w++) {
            l->won[side][w] |= l->now[side][w];
            any |= l->now[side][w];
            for (uint64_t left = l->now[side][w]; left != 0 && l->rank[side] != NULL;)
                l->rank[side][64 * w + (Cell)bit_pop(&left)] = (uint16_t)ply;
        }
    }
    return any != 0;
}

static void play(Look *l)
{
    memcpy(l->left, l->quiet[!l->winner], l->cells);
    for (int side = 0; side < 2; side++) {
        memset(l->won[side], 0, set_bytes(l));
        memset(l->next[side], 0, set_bytes(l));
    }
    begin_ply(l, 0);
    bool some = next_ply(l, 0);
    for (int ply = 1; ply == 1 || some; ply++) {
        for (int side = 0; side < 2; side++)
            for (Cell w = 0; w < l->cells / 64; w++)
                for (uint64_t left = l->now[side][w]; left != 0;)
                    go_back(l, side, 64 * w + (Cell)bit_pop(&left));
        if (ply == 1) begin_ply(l, 1);
        some = next_ply(l, ply);
    }
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static void report_cells(Look *l, int side, Cell word, uint64_t cells, const char *text)
{
    static const char *const names[2] = {"White", "Black"};
    while (cells != 0) {
        treb_position pos;
        audit_place(l->f, 64 * word + (Cell)bit_pop(&cells), side, &pos);
        audit_fault(l->run, &pos, text, names[l->winner]);
    }
}

/* What is sure must be won by the rules; what the rules do not exclude must be said to be so. */
static void compare(Look *l)
{
    for (int side = 0; side < 2; side++)
        for (Cell w = 0; w < l->cells / 64; w++) {
            uint64_t legal = l->f->legal[side][w], won = l->won[side][w] & legal;
            uint64_t claimed = l->f->won[l->level][l->winner][side][w] & legal;
            uint64_t more = claimed & ~won, less = won & ~claimed;
            if (l->level == SURE && more)
                report_cells(l, side, w, more, "claimed to be won by %s; the rules do not give it");
            if (l->level == MAYBE && less)
                report_cells(l, side, w, less,
                             "%s is claimed not to win; the rules do not exclude it");
            l->run->report->loose += (unsigned)bit_count(l->level == SURE ? less : more);
            if (l->level == MAYBE) continue;
            uint64_t excluded = claimed & ~l->f->won[MAYBE][l->winner][side][w];
            uint64_t both = claimed & l->f->won[SURE][!l->winner][side][w];
            report_cells(l, side, w, excluded, "%s is claimed to win surely, and not even maybe");
            report_cells(l, side, w, both, "%s is claimed to win, and so is the other");
        }
}

bool audit_family(AuditRun *run, const Family *f, const AuditRanks *ranks)
{
    Look l;
    bool good = look_init(&l, run, f);
    run->report->families++;
    if (good && list_all(&l))
        for (int game = 0; game < 4; game++) {
            l.level = game >> 1 ? MAYBE : SURE;
            l.winner = game & 1;
            for (int side = 0; side < 2 && ranks != NULL; side++)
                l.rank[side] = ranks->rank[l.level][l.winner][side];
            play(&l);
            compare(&l);
        }
    look_free(&l);
    return good;
}

/* ---- Answers of the oracle ------------------------------------------------------------------- */

static bool audit_answer(AuditRun *run, const Family *f, int side, Cell cell)
{
    treb_position pos;
    int value = 0;
    if (!audit_place(f, cell, side, &pos)) {
        audit_fault(run, &pos, "no position, but the tables were asked");
        return true;
    }
    if (!f->oracle->value(f->oracle->context, &pos, &value)) return false;
    for (int winner = 0; winner < 2; winner++) {
        bool won = value != 0 && (value > 0) == (winner == side);
        for (int level = SURE; level <= MAYBE; level++)
            if (cell_in(f->won[level][winner][side], cell) != won)
                audit_fault(run, &pos, "said %sto be won by %s; the tables have %d for who moves",
                            won ? "not " : "", winner ? "Black" : "White", value);
    }
    Move moves[MOVES_MAX];
    bool stuck = movegen_legal(&pos, moves) == 0;
    if (cell_in(f->stuck[side], cell) != stuck)
        audit_fault(run, &pos, "said to have %s move", stuck ? "a" : "no");
    run->report->answered++;
    return true;
}

bool audit_answers(AuditRun *run, const Family *f)
{
    run->report->families++;
    for (int side = 0; side < 2; side++)
        for (Cell w = 0; w < (Cell)1 << 6 * (f->key.men + 1); w++)
            for (uint64_t left = f->filled[side][w]; left != 0;) {
                if (count_position(run)) return true;
                if (!audit_answer(run, f, side, 64 * w + (Cell)bit_pop(&left))) return false;
            }
    return true;
}

uint64_t audit_family_positions(const Family *f)
{
    uint64_t count = 0;
    for (int side = 0; side < 2; side++)
        for (Cell w = 0; w < (Cell)1 << 6 * (f->key.men + 1); w++)
            count += (unsigned)bit_count(f->oracle ? f->filled[side][w] : f->legal[side][w]);
    return count;
}
