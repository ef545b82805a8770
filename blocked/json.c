/* json.c - everything about a blocked position as one JSON object. */
#include <stdlib.h>

#include "blocked.h"

static const char *const verdicts[] = {"draw", "white", "black", "open"};
static const char *const goals[] = {"exact", "take", "reach"};
static const char *const ends[] = {"goal",   "mate", "draw",     "tables",
                                   "pieces", "open", "capacity", "capture"};

static void put_squares(FILE *out, uint64_t set)
{
    fputc('[', out);
    for (bool first = true; set != 0; first = false) {
        int square = bit_pop(&set);
        fprintf(out, "%s\"%c%c\"", first ? "" : ",", 'a' + square_file(square),
                '1' + square_rank(square));
    }
    fputc(']', out);
}

/* "winner", "plies" and, of what is open, what may still be. */
static void put_value(FILE *out, const BlockedValue *value)
{
    fprintf(out, "\"verdict\":\"%s\",\"plies\":", verdicts[value->verdict]);
    if (value->plies >= 0)
        fprintf(out, "%d", value->plies);
    else
        fprintf(out, "null");
    if (value->verdict == BLOCKED_OPEN)
        fprintf(out, ",\"white_may_win\":%s,\"black_may_win\":%s", value->can[0] ? "true" : "false",
                value->can[1] ? "true" : "false");
}

static bool put_moves(FILE *out, Blocked *b)
{
    BlockedMove *moves = malloc(MOVES_MAX * sizeof *moves);
    int count = moves != NULL ? blocked_moves(b, moves) : -1;
    fprintf(out, ",\"moves\":[");
    for (int i = 0; i < count; i++) {
        /* Moves are letters, digits and "+#x": nothing that JSON would have escaped. */
        fprintf(out, "%s{\"uci\":\"%s\",\"san\":\"%s\",\"capture\":%s,\"goal\":%s,", i ? "," : "",
                moves[i].uci, moves[i].san, moves[i].leaves ? "true" : "false",
                moves[i].goal ? "true" : "false");
        put_value(out, &moves[i].value);
        fputc('}', out);
    }
    fputc(']', out);
    free(moves);
    return count >= 0;
}

static bool put_line(FILE *out, Blocked *b)
{
    enum { LINE = 512 };
    BlockedMove *moves = malloc(LINE * sizeof *moves);
    BlockedEnd end = BLOCKED_END_OPEN;
    treb_position last = b->request.pos;
    int count = moves != NULL ? blocked_line(b, moves, LINE, &end, &last) : -1;
    char fen[POSITION_FEN_SIZE];
    position_to_fen(&last, fen);
    fprintf(out, ",\"line\":[");
    for (int i = 0; i < count; i++) fprintf(out, "%s\"%s\"", i ? "," : "", moves[i].san);
    fprintf(out, "],\"line_end\":\"%s\",\"line_fen\":\"%s\"", ends[end], fen);
    free(moves);
    return count >= 0;
}

static void put_pairs(FILE *out, const uint64_t pairs[64])
{
    fputc('{', out);
    for (int a = 0, count = 0; a < 64; a++) {
        if (pairs[a] == 0) continue;
        fprintf(out, "%s\"%c%c\":", count++ ? "," : "", 'a' + square_file(a), '1' + square_rank(a));
        put_squares(out, pairs[a]);
    }
    fputc('}', out);
}

static void put_correspondence(FILE *out, const BlockedSquares *s)
{
    fprintf(out, ",\"attacker\":\"%s\",\"groups\":[", s->attacker ? "black" : "white");
    for (int i = 0; i < s->groups; i++) {
        char mark[8];
        blocked_mark(i, mark);
        fprintf(out, "%s{\"mark\":\"%s\",\"attacker\":", i ? "," : "", mark);
        put_squares(out, s->group[i].squares);
        fprintf(out, ",\"defender\":");
        put_squares(out, s->group[i].answers);
        fputc('}', out);
    }
    fprintf(out, "],\"zugzwangs\":");
    put_pairs(out, s->zugzwang);
    fprintf(out, ",\"double_zugzwangs\":");
    put_pairs(out, s->double_zugzwang);
}

bool blocked_print_json(FILE *out, Blocked *b, const BlockedSquares *squares)
{
    const treb_position *pos = &b->request.pos;
    char fen[POSITION_FEN_SIZE];
    BlockedValue value =
        blocked_value(b, pos->turn, position_king(pos, TREB_WHITE), position_king(pos, TREB_BLACK));
    position_to_fen(pos, fen);
    fprintf(out, "{\"fen\":\"%s\",\"goal\":\"%s\",", fen, goals[b->request.goal]);
    put_value(out, &value);
    fprintf(out, ",\"upper_bounds\":%s", b->upper_bounds ? "true" : "false");
    bool good = put_moves(out, b) && put_line(out, b);
    if (squares != NULL) put_correspondence(out, squares);
    fprintf(out, "}\n");
    return good;
}
