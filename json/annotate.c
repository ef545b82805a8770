/* annotate.c - see annotate.h. */
#include "json/annotate.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/pgn/pgn_signs.h"
#include "core/system/error.h"
#include "core/system/tool.h"
#include "json/judge.h"
#include "json/wrap.h"

static const char *const colors[2] = {"White", "Black"};

typedef struct Writing {
    Wrap wrap;
    const PgnGame *game;
    bool numbered; /* the next move of Black needs its number */
} Writing;

/* ---- Tags ------------------------------------------------------------------------------------ */

static const char *const roster[][2] = {{"Event", "?"}, {"Site", "?"},  {"Date", "????.??.??"},
                                        {"Round", "?"}, {"White", "?"}, {"Black", "?"}};

static void put_tag(FILE *out, const char *name, const char *value)
{
    fprintf(out, "[%s \"", name);
    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\') putc('\\', out);
        putc(*value, out);
    }
    fputs("\"]\n", out);
}

static bool in_roster(const char *name)
{
    for (size_t i = 0; i < sizeof roster / sizeof *roster; i++)
        if (strcasecmp(roster[i][0], name) == 0) return true;
    return strcasecmp(name, "Result") == 0;
}

/* Returns whether a tag is the first of its name. */
static bool is_first(const PgnGame *g, const PgnTag *tag)
{
    return pgn_tag(g, pgn_text(g, tag->name)) == pgn_text(g, tag->value);
}

/* The tag Result is corrected if it can be read, and kept if it cannot. */
static const char *result_tag(const PgnGame *g)
{
    const char *tag = pgn_tag(g, "Result");
    const char *result = tag != NULL && *tag != '\0' ? pgn_result(tag) : "*";
    if (result == NULL || *result == '\0') return tag;
    return strcmp(result, "*") != 0 ? result : g->result;
}

static void put_tags(FILE *out, const PgnGame *g)
{
    for (size_t i = 0; i < sizeof roster / sizeof *roster; i++) {
        const char *value = pgn_tag(g, roster[i][0]);
        put_tag(out, roster[i][0], value != NULL ? value : roster[i][1]);
    }
    put_tag(out, "Result", result_tag(g));
    /* Some readers ignore a FEN tag without this tag. */
    if (pgn_tag(g, "FEN") != NULL && pgn_tag(g, "SetUp") == NULL) put_tag(out, "SetUp", "1");
    for (size_t i = 0; i < g->tags; i++) {
        const char *name = pgn_text(g, g->tag[i].name);
        char fen[TREB_FEN_SIZE];
        bool ours = in_roster(name) || strcasecmp(name, "FEN") == 0;
        bool first = ours && is_first(g, &g->tag[i]);
        if (first && in_roster(name)) continue;
        if (first && g->started) {
            position_to_fen(&g->start, fen);
            put_tag(out, "FEN", fen);
        } else {
            put_tag(out, name, pgn_text(g, g->tag[i].value));
        }
    }
    if (pgn_tag(g, "Annotator") == NULL) put_tag(out, "Annotator", "Trebuchet");
    putc('\n', out);
}

/* ---- Values in words ------------------------------------------------------------------------- */

/* Writes "White wins, mate in 12". `value` has the distances; `verdict` is that of side `turn`. */
static void describe(int verdict, int turn, const json_t *value, char *out, size_t size)
{
    int winner = verdict > TREB_DRAW ? turn : turn ^ 1;
    int dtm = judge_plies(value, "dtm_plies"), dtz = judge_plies(value, "dtz_plies");
    const char *rounded = json_is_true(json_object_get(value, "dtz_rounded")) ? "+" : "";
    if (verdict == TREB_DRAW)
        snprintf(out, size, "Draw");
    else if (verdict == TREB_CURSED_WIN || verdict == TREB_BLESSED_LOSS)
        snprintf(out, size, "%s wins, but the 50-move rule saves %s", colors[winner],
                 colors[winner ^ 1]);
    else if (dtm >= 0)
        snprintf(out, size, "%s wins, mate in %d", colors[winner], (dtm + 1) / 2);
    else if (dtz >= 0)
        snprintf(out, size, "%s wins, DTZ %d%s", colors[winner], dtz, rounded);
    else
        snprintf(out, size, "%s wins", colors[winner]);
}

/* Writes the comment on a position: "" if nothing is known, or if it is checkmate. */
static void value_words(const JudgedPosition *judged, char *out, size_t size)
{
    *out = '\0';
    if (judged->stalemate)
        snprintf(out, size, "Stalemate");
    else if (judged->verdict != JUDGE_UNKNOWN && !judged->mate)
        describe(judged->verdict, judged->pos.turn, judged->probe, out, size);
}

/* Returns whether a comment begins with these words, because the game was annotated before. */
static bool says(const char *comment, const char *words)
{
    size_t length = strlen(words);
    return strncmp(comment + 1, words, length) == 0 && strchr("};", comment[1 + length]) != NULL;
}

/* Writes the value and the first comment of `notes` as one comment, as some readers do not accept two
 * in a row. Returns the notes after it. */
static const char *put_value(Writing *w, const JudgedPosition *judged, const char *notes)
{
    char words[96];
    size_t length = *notes == '{' ? strcspn(notes, "}") + 1 : 0;
    value_words(judged, words, sizeof words);
    if (*words == '\0' && length == 0) return notes;
    char *comment = malloc(length + sizeof words + 8);
    if (comment == NULL) return notes; /* leave the value out */
    if (length == 0)
        sprintf(comment, "{%s}", words);
    else if (*words == '\0' || says(notes, words))
        sprintf(comment, "%.*s", (int)length, notes);
    else
        sprintf(comment, "{%s; %.*s", words, (int)length - 1, notes + 1);
    wrap_words(&w->wrap, comment);
    w->numbered = true;
    free(comment);
    return notes + length;
}

/* ---- Moves ----------------------------------------------------------------------------------- */

static void put_nags(Writing *w, const PgnNotes *notes, unsigned ours)
{
    char text[16];
    bool there = ours == 0 || notes->nags == PGN_NAGS;
    for (int i = 0; i < notes->nags; i++) {
        there = there || notes->nag[i] == ours;
        snprintf(text, sizeof text, "$%u", notes->nag[i]);
        wrap_word(&w->wrap, text);
    }
    if (there) return;
    snprintf(text, sizeof text, "$%u", ours);
    wrap_word(&w->wrap, text);
}

static void put_notes(Writing *w, const char *notes)
{
    wrap_words(&w->wrap, notes);
    if (*notes != '\0') w->numbered = true;
}

static void put_number(Writing *w, const treb_position *pos, bool always)
{
    char text[16];
    bool black = pos->turn == TREB_BLACK;
    if (black && !always) return;
    snprintf(text, sizeof text, black ? "%u..." : "%u.", (unsigned)pos->fullmove);
    wrap_word(&w->wrap, text);
}

/* Writes the best move as a variation, unless the notes have it already. */
static void put_better(Writing *w, const JudgeStep *step, const char *notes)
{
    char words[96], text[160];
    const treb_position *pos = &step->before->pos;
    const char *san = json_string_value(json_object_get(step->best, "san"));
    if (step->judgement == JUDGE_NOTHING || san == NULL) return;
    describe(judge_verdict(step->best), pos->turn, step->best, words, sizeof words);
    snprintf(text, sizeof text, "(%u.%s %s {%s})", (unsigned)pos->fullmove,
             pos->turn == TREB_BLACK ? ".." : "", san, words);
    if (strstr(notes, text) != NULL) return;
    wrap_words(&w->wrap, text);
    w->numbered = true;
}

static bool put_step(void *to, const JudgeStep *step)
{
    Writing *w = to;
    const PgnNotes *notes = step->ply == 0 ? &w->game->notes : &step->move->notes;
    const char *text = pgn_text(w->game, notes->text);
    if (step->ply > 0) {
        put_number(w, &step->before->pos, w->numbered);
        w->numbered = false;
        wrap_word(&w->wrap, step->san);
    }
    put_nags(w, notes, judge_nag(step->judgement));
    text = put_value(w, step->position, text);
    if (step->ply > 0) put_better(w, step, text);
    put_notes(w, text);
    return true;
}

/* ---- The game -------------------------------------------------------------------------------- */

/* Writes the game's error as a comment, with a text behind it. */
static void put_error(Writing *w, const char *unread)
{
    const PgnGame *g = w->game;
    size_t size = strlen(g->error.text) + strlen(unread) + 64;
    char *text = malloc(size);
    if (text == NULL) return;
    snprintf(text, size, *unread != '\0' ? "Trebuchet: %s; not read: %s" : "Trebuchet: %s",
             g->error.text, unread);
    for (char *c = text; *c != '\0'; c++) {
        if (*c == '{') *c = '(';
        if (*c == '}') *c = ')';
        if (*c == '\t' || *c == '\v' || *c == '\f') *c = ' ';
    }
    wrap_word(&w->wrap, "{");
    wrap_words(&w->wrap, text);
    wrap_word(&w->wrap, "}");
    free(text);
}

/* Writes what was not read: the moves behind a fault as a comment, so that the game can be read to
 * that point. The moves of a game that cannot begin, such as one of another game than chess, are
 * written as they are. */
static void put_unread(Writing *w)
{
    const PgnGame *g = w->game;
    const char *unread = pgn_text(g, g->unread), *notes = pgn_text(g, g->notes.text);
    if (g->started) {
        if (g->error.status != TREB_OK) put_error(w, unread);
        return;
    }
    wrap_words(&w->wrap, notes);
    if (strstr(notes, "{ Trebuchet: ") == NULL) put_error(w, "");
    wrap_words(&w->wrap, unread);
}

char *annotate_game(AnswerContext *context, const PgnGame *game, treb_error *error)
{
    ToolText text;
    if (!tool_text_open(&text)) {
        fail_memory(error);
        return NULL;
    }
    Writing w = {.wrap = {text.out, 0}, .game = game};
    put_tags(text.out, game);
    w.numbered = true;
    judge_game(context, game, TREB_WDL, SIZE_MAX, put_step, &w);
    put_unread(&w);
    wrap_word(&w.wrap, game->result);
    fputs("\n\n", text.out);
    if (tool_text_close(&text) && !(context->flags & ANSWER_STOPPED)) return text.text;
    free(text.text);
    if (context->flags & ANSWER_STOPPED)
        answer_fail_stopped(error);
    else
        fail_memory(error);
    return NULL;
}
