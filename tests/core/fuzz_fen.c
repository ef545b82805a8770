/* fuzz_fen.c - libFuzzer target: no text may make the reader of FENs fail, and a position that it
 * accepts must pass writing, reading and move generation. `make fuzzers` builds it. */
#include <stdlib.h>
#include <string.h>

#include "core/chess/movegen.h"
#include "core/chess/position.h"
#include "core/chess/san.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static void check_moves(const treb_position *pos)
{
    Move moves[MOVES_MAX], captures[MOVES_MAX];
    int count = movegen_all(pos, moves), expected = 0;
    require(count < MOVES_MAX);
    for (int i = 0; i < count; i++) {
        treb_position child;
        Move again = 0;
        char san[SAN_SIZE];
        expected += move_is_capture(pos, moves[i]);
        position_play(pos, moves[i], &child);
        require(position_check(&child, NULL) == TREB_OK);
        move_to_san(pos, moves[i], san);
        require(move_from_san(pos, san, &again) == TREB_OK && again == moves[i]);
    }
    require(movegen_captures(pos, captures) == expected);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';

    treb_position pos, again;
    char fen[TREB_FEN_SIZE];
    const char *why = NULL;
    /* Rights of Chess960 are refused, or dropped. */
    if (position_from_fen(text, &pos, NULL) == TREB_ERR_CASTLING)
        require(position_from_fen_leniently(text, &pos, NULL) != TREB_ERR_CASTLING);
    if (position_from_fen(text, &pos, &why) == TREB_OK) {
        position_to_fen(&pos, fen);
        require(position_from_fen(fen, &again, NULL) == TREB_OK && position_equal(&pos, &again));
        require(position_from_fen_leniently(fen, &again, NULL) == TREB_OK);
        require(position_equal(&pos, &again));
        check_moves(&pos);
    } else if (position_from_fen_leniently(text, &pos, &why) == TREB_OK) {
        check_moves(&pos);
    } else {
        require(why != NULL && *why != '\0');
    }
    free(text);
    return 0;
}
