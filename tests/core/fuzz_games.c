/* fuzz_games.c - libFuzzer target: no text may make the readers of positions and games fail. The
 * moves that are read must be legal, and every text that a game keeps must be terminated. Games that
 * were written must be read and written again without changing a byte. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pgn/input.h"
#include "core/pgn/pgn_read.h"
#include "json/annotate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

/* The text, delivered in pieces; its first byte is the size of a piece. */
typedef struct Pieces {
    TextInMemory text;
    size_t size;
} Pieces;

static size_t read_piece(void *from, char *to, size_t room)
{
    Pieces *pieces = from;
    return text_in_memory_read(&pieces->text, to, room < pieces->size ? room : pieces->size);
}

/* Checks that braces and parentheses of notes match, so that the game can be written again. */
static void check_notes(const char *text)
{
    size_t depth = 0;
    for (; *text != '\0'; text++) {
        if (*text == '{') {
            text = strchr(text, '}');
            require(text != NULL);
        } else if (*text == '(') {
            depth++;
        } else if (*text == ')') {
            require(depth-- > 0);
        }
    }
    require(depth == 0);
}

static void check_game(const PgnGame *g)
{
    treb_position pos = g->start;
    require(g->started || g->moves == 0);
    require(g->started || g->error.status != TREB_OK);
    check_notes(pgn_text(g, g->notes.text));
    for (size_t i = 0; i < g->moves; i++) {
        Move again = PGN_NULL_MOVE, move = g->move[i].move;
        char uci[UCI_SIZE], san[SAN_SIZE];
        pgn_write_move(&pos, move, uci, san);
        if (move == PGN_NULL_MOVE)
            require(!position_in_check(&pos));
        else
            require(move_from_uci(&pos, uci, &again) == TREB_OK && again == move);
        pgn_play(&pos, move, &pos);
        require(position_ok(&pos));
        check_notes(pgn_text(g, g->move[i].notes.text));
    }
    require(strlen(pgn_text(g, g->unread)) < g->text_size);
    require(g->result[0] != '\0');
}

static void read_games(TextReader *source)
{
    PgnGame game = {0};
    bool found;
    size_t at = 0;
    while (pgn_next(source, &game, &found, NULL) == TREB_OK && found) {
        require(source->line >= at);
        at = source->line;
        check_game(&game);
    }
    require(text_reader_peek(source, 0) < 0);
    pgn_free(&game);
}

/* ---- Written again --------------------------------------------------------------------------- */

/* Writes all games of a text as `trebuchet probe` does, without tables. The caller frees the text. */
static char *write_games(TextReader *source)
{
    static treb_tables *tables;
    if (tables == NULL) tables = treb_tables_open(NULL, 0, NULL);
    AnswerContext context = {.tables = tables};
    PgnGame game = {0};
    bool found;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    require(out != NULL && tables != NULL);
    while (pgn_next(source, &game, &found, NULL) == TREB_OK && found) {
        char *written = annotate_game(&context, &game, NULL);
        require(written != NULL);
        fputs(written, out);
        free(written);
    }
    pgn_free(&game);
    fclose(out);
    return text;
}

static void check_written(TextReader *source)
{
    char *once = write_games(source);
    TextInMemory from = {once, strlen(once)};
    text_reader_begin(source, text_in_memory_read, &from);
    char *twice = write_games(source);
    if (strcmp(once, twice) != 0) fprintf(stderr, "once:\n%s\ntwice:\n%s\n", once, twice);
    require(strcmp(once, twice) == 0);
    free(once);
    free(twice);
}

static void read_lines(TextReader *source)
{
    char line[POSITION_TEXT_MAX];
    bool cut;
    while (text_reader_line(source, line, sizeof line, &cut)) {
        PositionText position;
        treb_error error = {0};
        if (position_text_read(line, &position, &error) == TREB_OK)
            require(position_check(&position.pos, NULL) == TREB_OK);
        else
            require(error.status != TREB_OK && error.text[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static TextReader source;
    if (size == 0) return 0;
    for (int pass = 0; pass < 3; pass++) {
        Pieces pieces = {{(const char *)data + 1, size - 1}, 1 + (size_t)data[0]};
        text_reader_begin(&source, read_piece, &pieces);
        input_kind(&source);
        if (pass == 0)
            read_games(&source);
        else if (pass == 1)
            check_written(&source);
        else
            read_lines(&source);
    }
    return 0;
}
