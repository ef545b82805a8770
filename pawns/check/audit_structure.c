/* audit_structure.c - see audit_structure.h.
 *
 * First every position is set up once and its moves are listed. Moves within the structure are
 * counted; for moves out of it the claims are looked up. Then, for each winner and level, the wins
 * are found ply by ply, from mates and from moves that leave the structure: the winner needs one
 * move to a lost position, and the loser has no move left that does not lose. The positions before
 * a position are found by moving a king or piece of the other side back: a quiet move can be made
 * in both directions. */
#include "pawns/check/audit_structure.h"

#include <stdlib.h>
#include <string.h>

/* Notes on one position. */
enum {
    NOTE_LEGAL = 1,
    NOTE_MATED = 2,
    NOTE_STALEMATED = 4,
    NOTE_WINS = 8,  /* << level: a move out of the structure wins */
    NOTE_HOLDS = 32 /* << level: a move out of the structure does not lose */
};

typedef struct Check {
    AuditRun *run;
    const Structure *f;
    Cell cells;
    uint8_t *note[2],
        *quiet[2]; /* by side to move: notes, and number of moves within the structure */
    uint8_t
        *left; /* number of the loser's moves within the structure that are not yet known to lose */
    uint64_t *won[2];           /* by side to move, for the current winner and level */
    uint64_t *now[2], *next[2]; /* found at this ply, and at the next */
    int winner, level;
    uint16_t *plies[2]; /* by side to move; NULL if not asked for */
} Check;

static size_t set_bytes(const Check *c) { return (size_t)(c->cells / 64) * sizeof(uint64_t); }

static bool check_init(Check *c, AuditRun *run, const Structure *f)
{
    *c = (Check){.run = run, .f = f, .cells = (Cell)1 << 6 * (f->key.pieces + 2)};
    bool good = (c->left = malloc(c->cells)) != NULL;
    for (int side = 0; side < 2; side++) {
        good = good && (c->note[side] = calloc(c->cells, 1)) != NULL;
        good = good && (c->quiet[side] = calloc(c->cells, 1)) != NULL;
        good = good && (c->won[side] = malloc(set_bytes(c))) != NULL;
        good = good && (c->now[side] = malloc(set_bytes(c))) != NULL;
        good = good && (c->next[side] = malloc(set_bytes(c))) != NULL;
    }
    return good;
}

static void check_free(Check *c)
{
    free(c->left);
    for (int side = 0; side < 2; side++) {
        free(c->note[side]);
        free(c->quiet[side]);
        free(c->won[side]);
        free(c->now[side]);
        free(c->next[side]);
    }
}

static void set_add(uint64_t *set, Cell cell) { set[cell / 64] |= square_bit((int)(cell % 64)); }

/* Counts a position; true if the audit is to stop. */
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

static void note_moves(Check *c, const treb_position *pos, Cell cell)
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
        note |= note_child(&c->run->map, &child);
    }
    c->note[pos->turn][cell] = note;
    c->quiet[pos->turn][cell] = (uint8_t)quiet;
}

/* Notes the moves of all positions, and checks which cells are legal and which have no move. False
 * if the audit stops. */
static bool list_all(Check *c)
{
    const Structure *f = c->f;
    for (Cell cell = 0; cell < c->cells; cell++)
        for (int side = 0; side < 2; side++) {
            treb_position pos;
            bool legal = audit_place(f, cell, side, &pos);
            if (cell_in(f->legal[side], cell) != legal)
                audit_fault(c->run, &pos, "legal or not? The structure says %d, not %d", !legal,
                            legal);
            if (!legal) continue;
            if (count_position(c->run)) return false;
            note_moves(c, &pos, cell);
            /* The solver does not know whether a move to a structure with too many pieces is legal:
             * it may have assumed one. */
            bool stuck = (c->note[side][cell] & (NOTE_MATED | NOTE_STALEMATED)) != 0;
            bool said = cell_in(f->stuck[side], cell);
            if (said && !stuck) audit_fault(c->run, &pos, "claimed to have no move");
            c->run->report->improvable += stuck && !said;
        }
    return true;
}

/* ---- Finding wins ---------------------------------------------------------------------------- */

/* Adds a cell to those won at the next ply. */
static void reach(Check *c, int side, Cell cell)
{
    if (!cell_in(c->won[side], cell)) set_add(c->next[side], cell);
}

/* Notes that one more move of the loser from this cell is known to lose. */
static void lose_move(Check *c, Cell cell)
{
    int loser = !c->winner;
    if (--c->left[cell] == 0 && !(c->note[loser][cell] & NOTE_HOLDS << c->level))
        reach(c, loser, cell);
}

/* Goes back from a position, `side` to move, to all positions from which a quiet move leads to
 * it. */
static void go_back(Check *c, int side, Cell cell)
{
    const CellsKey *key = &c->f->key;
    int mover = !side;
    uint64_t men = key->pawns[0] | key->pawns[1];
    for (int digit = 0; digit < key->pieces + 2; digit++)
        men |= square_bit((int)(cell >> 6 * digit & 63));
    for (int digit = 0; digit < key->pieces + 2; digit++) {
        const CellsPiece *man = digit < 2 ? NULL : &key->piece[key->pieces + 1 - digit];
        int color = man != NULL ? man->color : digit == 0 ? TREB_BLACK : TREB_WHITE;
        int type = man != NULL ? man->type : TREB_KING;
        int square = (int)(cell >> 6 * digit & 63);
        if (color != mover) continue;
        Cell rest = cell & ~((Cell)63 << 6 * digit);
        for (uint64_t from = piece_attacks(type, square, men) & ~men; from != 0;) {
            Cell before = rest | (Cell)bit_pop(&from) << 6 * digit;
            if (!(c->note[mover][before] & NOTE_LEGAL)) continue;
            if (mover == c->winner)
                reach(c, mover, before);
            else
                lose_move(c, before);
        }
    }
}

/* Starts ply 0 with the mates, and ply 1 with the positions that moves out of the structure
 * decide. */
static void begin_ply(Check *c, int ply)
{
    int winner = c->winner, loser = !winner, level = c->level;
    const uint8_t stays = (uint8_t)(NOTE_MATED | NOTE_STALEMATED | NOTE_HOLDS << level);
    for (Cell cell = 0; cell < c->cells; cell++) {
        uint8_t wins = c->note[winner][cell], loses = c->note[loser][cell];
        if (ply == 0 && (loses & NOTE_MATED)) set_add(c->next[loser], cell);
        if (ply == 1 && (wins & NOTE_WINS << level)) reach(c, winner, cell);
        if (ply == 1 && (loses & NOTE_LEGAL) && !(loses & stays) && c->quiet[loser][cell] == 0)
            reach(c, loser, cell);
    }
}

/* Makes the positions found for the next ply the current ones. False if there are none. */
static bool next_ply(Check *c, int ply)
{
    uint64_t any = 0;
    for (int side = 0; side < 2; side++) {
        uint64_t *set = c->now[side];
        c->now[side] = c->next[side];
        c->next[side] = set;
        memset(set, 0, set_bytes(c));
        for (Cell w = 0; w < c->cells / 64; w++) {
            c->won[side][w] |= c->now[side][w];
            any |= c->now[side][w];
            for (uint64_t left = c->now[side][w]; left != 0 && c->plies[side] != NULL;)
                c->plies[side][64 * w + (Cell)bit_pop(&left)] = (uint16_t)ply;
        }
    }
    return any != 0;
}

static void play(Check *c)
{
    memcpy(c->left, c->quiet[!c->winner], c->cells);
    for (int side = 0; side < 2; side++) {
        memset(c->won[side], 0, set_bytes(c));
        memset(c->next[side], 0, set_bytes(c));
    }
    begin_ply(c, 0);
    bool some = next_ply(c, 0);
    for (int ply = 1; ply == 1 || some; ply++) {
        for (int side = 0; side < 2; side++)
            for (Cell w = 0; w < c->cells / 64; w++)
                for (uint64_t left = c->now[side][w]; left != 0;)
                    go_back(c, side, 64 * w + (Cell)bit_pop(&left));
        if (ply == 1) begin_ply(c, 1);
        some = next_ply(c, ply);
    }
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static void report_cells(Check *c, int side, Cell word, uint64_t cells, const char *text)
{
    static const char *const names[2] = {"White", "Black"};
    while (cells != 0) {
        treb_position pos;
        audit_place(c->f, 64 * word + (Cell)bit_pop(&cells), side, &pos);
        audit_fault(c->run, &pos, text, names[c->winner]);
    }
}

/* Compares: sure wins must be won by the rules, and what may be won by the rules must not be
 * claimed to be excluded. */
static void compare(Check *c)
{
    for (int side = 0; side < 2; side++)
        for (Cell w = 0; w < c->cells / 64; w++) {
            uint64_t legal = c->f->legal[side][w], won = c->won[side][w] & legal;
            uint64_t claimed = c->f->won[c->level][c->winner][side][w] & legal;
            uint64_t more = claimed & ~won, less = won & ~claimed;
            if (c->level == SURE && more)
                report_cells(c, side, w, more, "claimed to be won by %s; the rules do not give it");
            if (c->level == MAYBE && less)
                report_cells(c, side, w, less,
                             "%s is claimed not to win; the rules do not exclude it");
            c->run->report->improvable += (unsigned)bit_count(c->level == SURE ? less : more);
            if (c->level == MAYBE) continue;
            uint64_t excluded = claimed & ~c->f->won[MAYBE][c->winner][side][w];
            uint64_t both = claimed & c->f->won[SURE][!c->winner][side][w];
            report_cells(c, side, w, excluded, "%s is claimed to win surely, and not even maybe");
            report_cells(c, side, w, both, "%s is claimed to win, and so is the other");
        }
}

bool audit_structure(AuditRun *run, const Structure *f, const AuditPlies *plies)
{
    Check c;
    bool good = check_init(&c, run, f);
    run->report->structures++;
    if (good && list_all(&c))
        for (int game = 0; game < 4; game++) {
            c.level = game >> 1 ? MAYBE : SURE;
            c.winner = game & 1;
            for (int side = 0; side < 2 && plies != NULL; side++)
                c.plies[side] = plies->plies[c.level][c.winner][side];
            play(&c);
            compare(&c);
        }
    check_free(&c);
    return good;
}

/* ---- Answers of the oracle ------------------------------------------------------------------- */

static bool audit_answer(AuditRun *run, const Structure *f, int side, Cell cell)
{
    treb_position pos;
    int value = 0;
    if (!audit_place(f, cell, side, &pos)) {
        audit_fault(run, &pos, "not a legal position, but the tables were asked");
        return true;
    }
    if (!f->oracle->value(f->oracle->context, &pos, &value)) return false;
    for (int winner = 0; winner < 2; winner++) {
        bool won = value != 0 && (value > 0) == (winner == side);
        for (int level = SURE; level <= MAYBE; level++)
            if (cell_in(f->won[level][winner][side], cell) != won)
                audit_fault(run, &pos,
                            "claimed %sto be won by %s; the tables say %d for the side to move",
                            won ? "not " : "", winner ? "Black" : "White", value);
    }
    Move moves[MOVES_MAX];
    bool stuck = movegen_legal(&pos, moves) == 0;
    if (cell_in(f->stuck[side], cell) != stuck)
        audit_fault(run, &pos, "claimed to have %s move", stuck ? "a" : "no");
    run->report->answered++;
    return true;
}

bool audit_answers(AuditRun *run, const Structure *f)
{
    run->report->structures++;
    for (int side = 0; side < 2; side++)
        for (Cell w = 0; w < (Cell)1 << 6 * (f->key.pieces + 1); w++)
            for (uint64_t left = f->asked[side][w]; left != 0;) {
                if (count_position(run)) return true;
                if (!audit_answer(run, f, side, 64 * w + (Cell)bit_pop(&left))) return false;
            }
    return true;
}

uint64_t audit_structure_positions(const Structure *f)
{
    uint64_t count = 0;
    for (int side = 0; side < 2; side++)
        for (Cell w = 0; w < (Cell)1 << 6 * (f->key.pieces + 1); w++)
            count += (unsigned)bit_count(f->oracle ? f->asked[side][w] : f->legal[side][w]);
    return count;
}
