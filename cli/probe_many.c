/* probe_many.c - see probe_many.h.
 *
 * Lines or games are read in batches. Several threads answer a batch, and the answers are printed in the
 * order of the input. A batch of lines ends early if the next line has not arrived yet. */
#include "cli/probe_many.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/probe_rows.h"
#include "core/system/error.h"
#include "core/system/tool.h"
#include "json/annotate.h"
#include "json/judge.h"

/* Bytes for unpacked blocks. Many positions use the same blocks, so the cache is larger than for one. */
enum { CACHE = 256 << 20 };

enum { BATCH_LINES = 2048, BATCH_GAMES = 64, BATCH_MOVES = 1 << 14, TOLD_MAX = 20 };

/* A line or a game, and its answer. */
typedef struct Item {
    size_t line;
    char *text; /* owned: the line; NULL: it is a game */
    PgnGame game;
    size_t number; /* of the game, from 1 */
    char *out;     /* owned: the answer as text; NULL: no memory */
    treb_error error;
    unsigned flags;
} Item;

typedef struct Many {
    const treb_tables *tables;
    const CliDirs *dirs;
    const ProbeMany *args;
    ManyOutput output;
    const char *name; /* of the file; NULL: messages do not name it */
    Item *item;
    size_t items;
    size_t games, faults;
    bool no_memory;
    bool unread;  /* a file could not be read */
    bool damaged; /* a table is damaged or could not be read */
    bool headed;  /* the first line of TSV has been printed */
} Many;

/* ---- The command line ------------------------------------------------------------------------ */

bool probe_many_input(ProbeMany *many, const char *value)
{
    static const char *const names[] = {"fen", "epd", "pgn", NULL};
    const int input = cli_choose("probe", "input", value, names);
    many->chosen = true;
    many->input = input == 2 ? INPUT_PGN : INPUT_LINES;
    return input >= 0;
}

bool probe_many_output(ProbeMany *many, const char *value)
{
    static const char *const names[] = {"tsv", "jsonl", "pgn", NULL};
    const int output = cli_choose("probe", "output", value, names);
    if (output >= 0) many->output = (ManyOutput)(MANY_TSV + output);
    return output >= 0;
}

/* Returns whether a word names a file, or is meant as one by its ending: if the file does not exist, the user
 * is told so. */
static bool is_file(const char *word)
{
    static const char *const endings[] = {".pgn", ".epd", ".fen", ".txt", ".tsv"};
    if (strcmp(word, "-") == 0) return true;
    if (tool_may(word, TOOL_EXISTS)) return true;
    size_t length = strlen(word);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t end = strlen(endings[i]);
        if (length > end && strcasecmp(word + length - end, endings[i]) == 0) return true;
    }
    return false;
}

bool probe_many_wanted(ProbeMany *many, int count, char **words)
{
    many->count = count;
    many->words = words;
    /* A FEN in several words contains "-", which alone stands for a file. So all words must be files. */
    many->files = count > 0;
    for (int i = 0; i < count; i++) many->files = many->files && is_file(words[i]);
    return many->files || (count > 0 && (many->chosen || many->output != MANY_DEFAULT));
}

/* ---- Answers --------------------------------------------------------------------------------- */

typedef struct Rows {
    FILE *out;
    const Many *many;
    const Item *item;
} Rows;

static bool put_step(void *to, const JudgeStep *step)
{
    Rows *rows = to;
    char id[48];
    bool moved = step->ply > 0;
    snprintf(id, sizeof id, "%zu.%zu", rows->item->number, step->ply);
    ProbeRow row = {.judged = step->position,
                    .line = moved ? step->move->line : rows->item->game.line,
                    .id = id,
                    .step = moved ? step : NULL};
    probe_row(rows->out, rows->many->output, &row);
    return true;
}

static void game_rows_out(const Many *many, AnswerContext *context, Item *item, FILE *out)
{
    char id[24];
    Rows rows = {out, many, item};
    const PgnGame *g = &item->game;
    judge_game(context, g, many->args->metric, SIZE_MAX, put_step, &rows);
    if (g->error.status == TREB_OK) return;
    snprintf(id, sizeof id, "%zu", item->number);
    probe_row_fault(out, many->output, g->error_line, id, pgn_text(g, g->unread), &g->error);
}

static void game_out(AnswerContext *context, const PgnGame *game, FILE *out)
{
    char *text = annotate_game(context, game, NULL);
    if (text != NULL) fputs(text, out);
    if (text == NULL) context->flags |= ANSWER_FAILED;
    free(text);
}

static void line_out(const Many *many, AnswerContext *context, Item *item, FILE *out)
{
    PositionText position;
    JudgedPosition judged;
    if (position_text_read(item->text, &position, &item->error) != TREB_OK) {
        if (many->output == MANY_PGN)
            fprintf(out, "; line %zu: %s\n\n", item->line, item->error.text);
        else
            probe_row_fault(out, many->output, item->line, "", item->text, &item->error);
    } else if (many->output == MANY_PGN) {
        if (pgn_of_position(&position, &item->game, NULL) == TREB_OK)
            game_out(context, &item->game, out);
        else
            context->flags |= ANSWER_FAILED;
    } else {
        judge_position(context, &position.pos, many->args->metric, &judged);
        ProbeRow row = {.judged = &judged, .line = item->line, .id = position.id};
        probe_row(out, many->output, &row);
        judge_free(&judged);
    }
}

static void item_out(const Many *many, Item *item)
{
    ToolText text;
    AnswerContext context = {.tables = many->tables,
                             .directories = many->dirs->dir,
                             .directory_count = many->dirs->count};
    if (!tool_text_open(&text)) return;
    if (item->text != NULL)
        line_out(many, &context, item, text.out);
    else if (many->output == MANY_PGN)
        game_out(&context, &item->game, text.out);
    else
        game_rows_out(many, &context, item, text.out);
    if (item->text == NULL) item->error = item->game.error;
    item->flags = context.flags;
    item->out = tool_text_close(&text) ? text.text : NULL;
}

/* ---- Batches --------------------------------------------------------------------------------- */

static void tell_fault(Many *many, const Item *item)
{
    many->faults++;
    const char *between = many->name != NULL ? ": " : "";
    const char *name = many->name != NULL ? many->name : "";
    if (many->faults > TOLD_MAX) return;
    if (item->text != NULL)
        cli_warn("probe", "%s%sline %zu: %s: '%.150s'", name, between, item->line, item->error.text,
                 item->text);
    else
        cli_warn("probe", "%s%sgame %zu, %s", name, between, item->number, item->error.text);
}

/* Tells of a game in which two tags give different positions. */
static void tell_fens(const Many *many, const Item *item)
{
    const char *between = many->name != NULL ? ": " : "";
    const char *name = many->name != NULL ? many->name : "";
    cli_warn("probe", "%s%sgame %zu, line %zu: two tags FEN give different positions: the first counts", name,
             between, item->number, item->game.line);
}

static void print_item(Many *many, Item *item)
{
    if (item->out == NULL) many->no_memory = true;
    if (item->out != NULL) fputs(item->out, stdout);
    if (item->error.status != TREB_OK) tell_fault(many, item);
    if (item->game.fens) tell_fens(many, item);
    if (item->flags & (ANSWER_DAMAGED | ANSWER_FAILED)) many->damaged = true;
    free(item->out);
    free(item->text);
    pgn_free(&item->game);
    *item = (Item){0};
}

/* Answers a batch. Returns false if the output cannot be written. */
static bool finish_batch(Many *many)
{
    if (many->output == MANY_TSV && !many->headed) {
        fputs(probe_rows_header, stdout);
        many->headed = true;
    }
    /* A game takes much longer than a line. */
    int at_once = many->item[0].text != NULL ? 8 : 1;
#pragma omp parallel for schedule(dynamic, at_once) if (many->items > (size_t)at_once)
    for (size_t i = 0; i < many->items; i++) item_out(many, &many->item[i]);
    for (size_t i = 0; i < many->items; i++) print_item(many, &many->item[i]);
    many->items = 0;
    return fflush(stdout) == 0 && !ferror(stdout);
}

static bool read_lines(Many *many, TextReader *source)
{
    char line[POSITION_TEXT_MAX];
    bool cut;
    for (size_t number = 1; text_reader_line(source, line, sizeof line, &cut); number++) {
        if (!input_skips(line)) {
            Item *item = &many->item[many->items++];
            item->line = number;
            item->text = strdup(line);
            if (item->text == NULL) return false;
        }
        bool full = many->items == BATCH_LINES || !text_reader_has_line(source);
        if (full && many->items > 0 && !finish_batch(many)) return true;
    }
    finish_batch(many);
    return true;
}

static bool read_games(Many *many, TextReader *source)
{
    size_t moves = 0;
    for (;;) {
        Item *item = &many->item[many->items];
        bool found;
        if (pgn_next(source, &item->game, &found, NULL) != TREB_OK) return false;
        many->items += found;
        item->number = many->games += found;
        moves += item->game.moves;
        bool full = many->items == BATCH_GAMES || moves >= BATCH_MOVES;
        if (found && !full) continue;
        moves = 0;
        if (!finish_batch(many) || !found) return true;
    }
}

/* ---- Files ----------------------------------------------------------------------------------- */

typedef struct File {
    int fd, error;
} File;

static size_t read_file(void *from, char *to, size_t room)
{
    File *file = from;
    for (;;) {
        ssize_t got = read(file->fd, to, room);
        if (got >= 0) return (size_t)got;
        if (errno == EINTR) continue;
        file->error = errno;
        return 0;
    }
}

static void answer_source(Many *many, TextReader *source)
{
    const ProbeMany *args = many->args;
    InputKind kind = args->chosen ? args->input : input_kind(source);
    bool pgn = kind == INPUT_PGN;
    many->output = args->output != MANY_DEFAULT ? args->output
                   : cli_json_wanted()          ? MANY_JSONL
                   : pgn                        ? MANY_PGN
                                                : MANY_TSV;
    many->games = 0;
    bool read = pgn ? read_games(many, source) : read_lines(many, source);
    if (!read) many->no_memory = true;
}

static void answer_file(Many *many, TextReader *source, const char *word)
{
    bool named = strcmp(word, "-") != 0;
    FILE *opened = named ? tool_open(word, "r") : stdin;
    File file = {.fd = opened != NULL ? fileno(opened) : -1};
    many->name = named && many->args->count > 1 ? word : NULL;
    if (file.fd < 0) {
        file.error = errno;
    } else {
        text_reader_begin(source, read_file, &file);
        answer_source(many, source);
        if (named) fclose(opened);
    }
    if (file.error == 0) return;
    cli_error("probe", "cannot read %s: %s", named ? word : "standard input", strerror(file.error));
    many->unread = true;
}

/* Answers the words of the command line as a text. */
static void answer_words(Many *many, TextReader *source)
{
    ToolText text;
    const bool opened = tool_text_open(&text);
    for (int i = 0; opened && i < many->args->count; i++)
        fprintf(text.out, i > 0 ? " %s" : "%s", many->args->words[i]);
    if (!opened || !tool_text_close(&text)) {
        many->no_memory = true;
    } else {
        TextInMemory from = {text.text, text.size};
        text_reader_begin(source, text_in_memory_read, &from);
        answer_source(many, source);
    }
    free(text.text);
}

static int exit_code(const Many *many)
{
    if (many->faults > TOLD_MAX) cli_warn("probe", "%zu more like these", many->faults - TOLD_MAX);
    if (many->damaged)
        cli_error("probe", "a table is damaged or could not be read, so that values are missing: "
                           "'trebuchet verify' finds the file");
    if (many->no_memory) return cli_no_memory("probe");
    if (many->unread || many->damaged) return CLI_FAILED;
    return many->faults > 0 ? CLI_USAGE : CLI_OK;
}

int probe_many(const ProbeMany *args, treb_tables *tables, const CliDirs *dirs)
{
    treb_tables_set_memory(tables, CACHE);
    Many many = {.tables = tables, .dirs = dirs, .args = args};
    TextReader *source = malloc(sizeof *source);
    many.item = calloc(BATCH_LINES, sizeof *many.item);
    if (source == NULL || many.item == NULL) many.no_memory = true;
    if (!many.no_memory && !args->files) answer_words(&many, source);
    for (int i = 0; !many.no_memory && args->files && i < args->count; i++)
        answer_file(&many, source, args->words[i]);
    for (size_t i = 0; many.item != NULL && i < BATCH_LINES; i++) {
        free(many.item[i].text);
        pgn_free(&many.item[i].game);
    }
    free(many.item);
    free(source);
    return exit_code(&many);
}
