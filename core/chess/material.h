/* material.h - which men stand on the board, and the names of materials. */
#ifndef TREB_CORE_MATERIAL_H
#define TREB_CORE_MATERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trebuchet.h"

enum { MATERIAL_NAME_SIZE = 24, MATERIAL_MAX_JUNIORS = 64 };

/* Men by colour and type; each colour has exactly one king. */
typedef struct Material {
    uint8_t count[2][TREB_TYPES];
} Material;

/* Reads "KRPvKR" (any order of men within a side), as files have it. False if it is no material. */
bool material_parse(const char *name, Material *out);

/* The same of the first `length` letters of a longer text. */
bool material_parse_start(const char *text, size_t length, Material *out);

/* Reads a material as people write it: KRPvKR, krp-kr, KRP v KR, KRPKR. Capitals do not matter. The
 * sides are parted by a v, by vs or by the only gap (a space, dash or underscore), or else the
 * second begins with its king. TREB_ERR_ARGUMENT, with what is wrong, if it is no material. */
treb_status material_read(const char *text, Material *out, treb_error *error);

/* The canonical material that a file's name begins with, up to its first dot: "KRPvKR.dtz.treb".
 * False if there is none. */
bool material_of_file(const char *name, Material *out);

/* Writes the name, White's men first, each side in the order KQRBNP. */
void material_name(const Material *m, char out[MATERIAL_NAME_SIZE]);

Material material_of_position(const treb_position *pos);

int material_men(const Material *m);
int material_men_of(const Material *m, int color);
bool material_has_pawns(const Material *m);
bool material_equal(const Material *a, const Material *b);

/* The same men on both sides. */
bool material_symmetric(const Material *m);

Material material_swap(const Material *m);

/* A canonical material names the side first that has more men or, man by man, the better ones.
 * Canonicalises in place and says whether the colours were swapped. */
bool material_canonical(Material *m);

/* The canonical materials that one capture, promotion or both can lead to, each once, without
 * a repetition of `m`. Returns how many. Unless NULL, `turns` tells with whom to move: bit
 * TREB_WHITE and bit TREB_BLACK, by the colours of the junior. */
int material_juniors(const Material *m, Material out[MATERIAL_MAX_JUNIORS],
                     uint8_t turns[MATERIAL_MAX_JUNIORS]);

/* All canonical materials of exactly `men` men. Returns their number; writes at most `max`. */
size_t material_list(int men, Material *out, size_t max);

#endif
