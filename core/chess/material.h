/* material.h - which men stand on the board, and the names of materials. */
#ifndef TREB_CORE_CHESS_MATERIAL_H
#define TREB_CORE_CHESS_MATERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trebuchet.h"

enum { MATERIAL_NAME_SIZE = 24, MATERIAL_SUB_ENDINGS_MAX = 64 };

/* The number of men by colour and type. Each colour has exactly one king. */
typedef struct Material {
    uint8_t count[2][TREB_TYPES];
} Material;

/* Reads a name as files have it: "KRPvKR", with the men of a side in any order. Returns false if it
 * names no material. */
bool material_parse(const char *name, Material *out);

/* Reads a name that consists of the first `length` letters of a text, otherwise like
 * material_parse. */
bool material_parse_start(const char *text, size_t length, Material *out);

/* Reads a material as people write it: KRPvKR, krp-kr, KRP v KR, KRPKR. Capitals do not matter. The
 * sides are separated by "v", "vs" or a single gap (a space, dash or underscore); without one of
 * these the second side begins with its king. Returns TREB_ERR_ARGUMENT, with what is wrong, if the
 * text names no material. */
treb_status material_read(const char *text, Material *out, treb_error *error);

/* Reads the canonical material at the beginning of a file's name, up to the first dot:
 * "KRPvKR.dtz.treb". Returns false if there is none. */
bool material_of_file(const char *name, Material *out);

/* Writes the name: White's men first, each side in the order KQRBNP. */
void material_name(const Material *m, char out[MATERIAL_NAME_SIZE]);

Material material_of_position(const treb_position *pos);

int material_men(const Material *m);
int material_men_of(const Material *m, int color);
bool material_has_pawns(const Material *m);
bool material_equal(const Material *a, const Material *b);

/* Returns whether both sides have the same men. */
bool material_symmetric(const Material *m);

Material material_swap(const Material *m);

/* Makes a material canonical, in place: White is the side that has more men or, man by man, the
 * better ones. Returns whether the colours were exchanged. */
bool material_canonical(Material *m);

/* Writes the sub-endings of a material: the canonical materials that one capture, promotion or both
 * can lead to, each once and without `m` itself. Returns their number. Unless `turns` is NULL, it
 * gets the possible sides to move in each: bit TREB_WHITE and bit TREB_BLACK, by the colours of the
 * sub-ending. */
int material_sub_endings(const Material *m, Material out[MATERIAL_SUB_ENDINGS_MAX],
                         uint8_t turns[MATERIAL_SUB_ENDINGS_MAX]);

/* Whether a side has exactly one pawn, whose promotion to a queen may complete cells
 * (core/format/table.h). */
static inline bool material_last_pawn(const Material *m)
{
    return m->count[TREB_WHITE][TREB_PAWN] == 1 || m->count[TREB_BLACK][TREB_PAWN] == 1;
}

/* Which moves of a side lead to sub-endings: captures; and the last pawn that becomes a queen; and
 * all other promotions. */
typedef enum MaterialMoves { MATERIAL_CAPTURES, MATERIAL_COMPLETING, MATERIAL_CONVERSIONS } MaterialMoves;

/* Does what material_sub_endings does for some moves of one side, and appends to a list of `count`
 * sub-endings. Returns the new number. */
int material_sub_endings_of(const Material *m, int color, MaterialMoves moves, int count,
                            Material out[MATERIAL_SUB_ENDINGS_MAX],
                            uint8_t turns[MATERIAL_SUB_ENDINGS_MAX]);

/* Writes at most `max` of the canonical materials of exactly `men` men, and returns the number of
 * all. */
size_t material_list(int men, Material *out, size_t max);

#endif
