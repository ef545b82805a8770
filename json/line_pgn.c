/* line_pgn.c - see line_pgn.h. */
#include "json/line_pgn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/position.h"
#include "core/system/tool.h"
#include "json/wrap.h"

static const char *const colors[2] = {"White", "Black"};

/* ---- How it ends ----------------------------------------------------------------------------- */

/* Returns whether the line goes on to where the game is over or drawn. */
static bool played_out(const PgnLine *line)
{
    return !line->failed && !line->broken && line->end != TREB_LINE_CAPACITY;
}

/* Returns whether a draw by the 50-move rule comes before the last move. */
static bool drawn_by_rule(const PgnLine *line)
{
    treb_position pos = line->pos;
    for (size_t i = 0; i < line->moves; i++) {
        if (pos.halfmove >= RULE_PLIES) return true;
        treb_position_play(&pos, line->move[i].uci, &pos, NULL);
    }
    return false;
}

/* Returns the side that mates, or would mate but for the 50-move rule. */
static int winner_of(const PgnLine *line)
{
    return line->value.wdl > TREB_DRAW ? line->pos.turn : line->pos.turn ^ 1;
}

bool line_decided(const PgnLine *line)
{
    if (line->failed) return false;
    return line->rule == TREB_RULE_NONE || played_out(line) ||
           treb_value_doubt(&line->value, line->pos.halfmove) == TREB_DOUBT_NONE;
}

int line_winner(const PgnLine *line)
{
    if (!line_decided(line) || line->value.wdl == TREB_DRAW) return -1;
    if (line->rule == TREB_RULE_NONE) return winner_of(line);
    if (played_out(line) && line->moves > 0)
        return line->end == TREB_LINE_MATE && !drawn_by_rule(line) ? winner_of(line) : -1;
    treb_wdl rule = treb_value_rule(&line->value, line->pos.halfmove);
    return rule == TREB_WIN || rule == TREB_LOSS ? winner_of(line) : -1;
}

static const char *result_of(const PgnLine *line)
{
    static const char *const results[] = {"1/2-1/2", "1-0", "0-1"};
    return line_decided(line) ? results[line_winner(line) + 1] : "*";
}

/* Returns what the 50-move rule does to a line that ends in mate. */
static const char *words_on_rule(const PgnLine *line)
{
    if (line->rule == TREB_RULE_NONE) return "; the 50-move rule is ignored";
    switch (treb_value_doubt(&line->value, line->pos.halfmove)) {
    case TREB_DOUBT_ROUNDED:
        return line_winner(line) >= 0
                   ? "; but a Syzygy file is rounded, and it is not known whether best play is in "
                     "time for the 50-move rule"
                   : "; but the 50-move rule makes it a draw. A Syzygy file is rounded, and it is "
                     "not known whether best play is in time";
    case TREB_DOUBT_CLOCK:
        return line_winner(line) >= 0
                   ? "; but without DTZ it is not known whether best play is in time for the "
                     "50-move rule"
                   : "; but the 50-move rule makes it a draw. Without DTZ it is not known whether "
                     "best play is in time";
    default:
        return line_winner(line) >= 0 ? "" : "; but the 50-move rule makes it a draw";
    }
}

static void describe_end(const PgnLine *line, char *out, size_t size)
{
    const char *winner = colors[winner_of(line)];
    unsigned plies = (unsigned)line->moves;
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
        snprintf(out, size, "Checkmate: %s has won%s", winner,
                 line_winner(line) >= 0 ? ""
                                        : ", unless a draw was claimed by the 50-move rule before");
    else
        snprintf(out, size, "%s mates in %u move%s (%u pl%s), best play by %s%s", winner,
                 (plies + 1) / 2, plies > 2 ? "s" : "", plies, plies == 1 ? "y" : "ies",
                 line->metric == TREB_DTM     ? "DTM"
                 : line->metric == TREB_DTC   ? "DTC"
                 : line->metric == TREB_DTM50 ? "DTM50"
                                              : "DTZ",
                 words_on_rule(line));
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
    char word[64], text[256], comment[272];
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
    ToolText text;
    if (!tool_text_open(&text)) return NULL;
    put_game(text.out, line);
    return tool_text_close(&text) ? text.text : NULL;
}
