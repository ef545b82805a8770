/* fuzz_games.c - libFuzzer target: no text may make the readers of positions and games fail. The
 * moves that are read must be legal, and every text that a game keeps must be terminated. */
#include <stdlib.h>
#include <string.h>

#include "core/pgn/input.h"
#include "core/pgn/pgn_read.h"

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
        Move again;
        char uci[UCI_SIZE];
        move_to_uci(g->move[i].move, uci);
        require(move_from_uci(&pos, uci, &again) == TREB_OK && again == g->move[i].move);
        position_play(&pos, again, &pos);
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
    for (int pass = 0; pass < 2; pass++) {
        Pieces pieces = {{(const char *)data + 1, size - 1}, 1 + (size_t)data[0]};
        text_reader_begin(&source, read_piece, &pieces);
        input_kind(&source);
        if (pass == 0)
            read_games(&source);
        else
            read_lines(&source);
    }
    return 0;
}
