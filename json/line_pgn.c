/* line_pgn.c - see line_pgn.h. */
#include "json/line_pgn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/wrap.h"

static const char *const colors[2] = {"White", "Black"};

/* ---- How it ends ----------------------------------------------------------------------------- */

int line_winner(const PgnLine *line)
{
    const treb_value *value = &line->value;
    treb_wdl wdl = line->rule == TREB_RULE_50 ? value->rule : value->wdl;
    int turn = line->pos.turn;
    if (line->rule == TREB_RULE_50 && wdl != TREB_WIN && wdl != TREB_LOSS) return -1;
    return wdl == TREB_DRAW ? -1 : wdl > TREB_DRAW ? turn : turn ^ 1;
}

static const char *result_of(const PgnLine *line)
{
    static const char *const results[] = {"1/2-1/2", "1-0", "0-1"};
    return line->failed ? "*" : results[line_winner(line) + 1];
}

/* Returns the side that mates, or would mate but for the 50-move rule. */
static int winner_of(const PgnLine *line)
{
    return line->value.wdl > TREB_DRAW ? line->pos.turn : line->pos.turn ^ 1;
}

static void describe_end(const PgnLine *line, char *out, size_t size)
{
    const char *winner = colors[winner_of(line)];
    unsigned plies = (unsigned)line->moves;
    bool ruled = line->value.rule == TREB_CURSED_WIN || line->value.rule == TREB_BLESSED_LOSS;
    const char *rule = line->rule == TREB_RULE_NONE ? "; the 50-move rule is ignored"
                       : ruled                      ? "; but the 50-move rule makes it a draw"
                                                    : "";
    if (line->note != NULL)
        snprintf(out, size, "%s", line->note);
    else if (line->failed)
        snprintf(out, size, "The line breaks off here, as a table is missing");
    else if (line->end == TREB_LINE_CAPACITY)
        snprintf(out, size, "The line is longer than %u plies", plies);
    else if (line->end == TREB_LINE_STALEMATE)
        snprintf(out, size, "Stalemate: a draw");
    else if (line->end == TREB_LINE_DRAW)
        snprintf(out, size, "A draw with best play");
    else if (plies == 0)
        snprintf(out, size, "Checkmate: %s has won", winner);
    else
        snprintf(out, size, "%s mates in %u move%s (%u pl%s), best play by %s%s", winner,
                 (plies + 1) / 2, plies > 2 ? "s" : "", plies, plies == 1 ? "y" : "ies",
                 line->metric == TREB_DTM   ? "DTM"
                 : line->metric == TREB_DTC ? "DTC"
                                            : "DTZ",
                 rule);
}

/* ---- The game -------------------------------------------------------------------------------- */

static void put_tags(FILE *out, const PgnLine *line)
{
    char fen[TREB_FEN_SIZE];
    treb_position_to_fen(&line->pos, fen);
    fprintf(out,
            "[Event \"Best play by Trebuchet\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n"
            "[Round \"-\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"%s\"]\n"
            "[SetUp \"1\"]\n[FEN \"%s\"]\n\n",
            result_of(line), fen);
}

static void put_game(FILE *out, const PgnLine *line)
{
    char word[64], text[160], comment[176];
    Wrap wrap = {out, 0};
    unsigned number = line->pos.fullmove ? line->pos.fullmove : 1;
    bool black = line->pos.turn == TREB_BLACK;
    put_tags(out, line);
    for (size_t i = 0; i < line->moves; i++) {
        if (!black || i == 0) {
            snprintf(word, sizeof word, black ? "%u..." : "%u.", number);
            wrap_word(&wrap, word);
        }
        wrap_word(&wrap, line->move[i].san);
        number += black;
        black = !black;
    }
    describe_end(line, text, sizeof text);
    snprintf(comment, sizeof comment, "{%s.}", text);
    wrap_words(&wrap, comment);
    wrap_word(&wrap, result_of(line));
    putc('\n', out);
}

char *line_pgn(const PgnLine *line)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) return NULL;
    put_game(out, line);
    bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed) return text;
    free(text);
    return NULL;
}
