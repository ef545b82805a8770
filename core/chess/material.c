/* material.c - see material.h. */
#include "core/chess/material.h"

#include <ctype.h>
#include <string.h>

#include "core/system/error.h"

static const char letters[] = "PNBRQK";

/* The types in the order of a name, from the most to the least valuable. */
static const int name_order[TREB_TYPES] = {TREB_KING,   TREB_QUEEN,  TREB_ROOK,
                                           TREB_BISHOP, TREB_KNIGHT, TREB_PAWN};

bool material_parse(const char *name, Material *out)
{
    Material m = {0};
    int color = 0, men = 0;
    for (const char *c = name; *c; c++) {
        if (*c == 'v') {
            if (color == 1) return false;
            color = 1;
            continue;
        }
        const char *at = strchr(letters, *c);
        if (at == NULL || ++men > TREB_MEN_MAX) return false;
        m.count[color][at - letters]++;
    }
    if (m.count[0][TREB_KING] != 1 || m.count[1][TREB_KING] != 1) return false;
    *out = m;
    return true;
}

/* ---- As people write it ---------------------------------------------------------------------- */

static const char gaps[] = " -_", dashes[] = "-_", kings[] = "kK";

/* End of the first side and beginning of the second in a text. */
typedef struct Parting {
    const char *end, *next;
} Parting;

/* Returns the only gap between letters that consists of characters of `set`; NULL if there is none,
 * or more than one. */
static const char *find_gap(const char *text, const char *set)
{
    const char *gap = NULL;
    for (const char *c = text + strspn(text, set); *c; c += strspn(c, set)) {
        c += strcspn(c, set);
        if (c[strspn(c, set)] == '\0') break;
        if (gap != NULL) return NULL;
        gap = c;
    }
    return gap;
}

/* A gap separates the sides in "KRP-KR" and "rk kp", but not in "KB NK", where the second king
 * does. "KB-NK" is ambiguous: all of it is then one side, and refused. */
static Parting find_parting(const char *text)
{
    const char *v = strpbrk(text, "vV"), *first = text + strspn(text, gaps);
    const char *dash = find_gap(text, dashes), *gap = dash != NULL ? dash : find_gap(text, gaps);
    bool king_first = *first != '\0' && strchr(kings, *first) != NULL;
    if (v != NULL) {
        const char *next = v + 1 + (v[1] == 's' || v[1] == 'S');
        return (Parting){v, next + (*next == '.')};
    }
    if (gap != NULL && (!king_first || strchr(kings, gap[strspn(gap, gaps)]) != NULL))
        return (Parting){gap, gap};
    const char *second = king_first && dash == NULL ? strpbrk(first + 1, kings) : NULL;
    if (second == NULL) second = text + strlen(text);
    return (Parting){second, second};
}

static treb_status read_side(const char *text, const char *from, const char *end, int color,
                             Material *m, treb_error *error)
{
    for (const char *c = from; c < end; c++) {
        const char *at = strchr(letters, toupper((unsigned char)*c));
        if (strchr(gaps, *c) != NULL) continue;
        if (at == NULL && isgraph((unsigned char)*c))
            return fail(error, TREB_ERR_ARGUMENT, "no ending called '%.100s': write it like KRPvKR",
                        text);
        if (at == NULL)
            return fail(error, TREB_ERR_ARGUMENT,
                        "this is not the name of an ending: write it like KRPvKR");
        m->count[color][at - letters]++;
        if (material_men(m) > TREB_MEN_MAX)
            return fail(error, TREB_ERR_ARGUMENT, "'%.100s' has more than %d men", text,
                        TREB_MEN_MAX);
    }
    return TREB_OK;
}

treb_status material_read(const char *text, Material *out, treb_error *error)
{
    Material m = {0};
    Parting part = find_parting(text);
    treb_status status = read_side(text, text, part.end, TREB_WHITE, &m, error);
    if (status == TREB_OK)
        status = read_side(text, part.next, text + strlen(text), TREB_BLACK, &m, error);
    if (status != TREB_OK) return status;
    if (m.count[TREB_WHITE][TREB_KING] != 1 || m.count[TREB_BLACK][TREB_KING] != 1)
        return fail(error, TREB_ERR_ARGUMENT,
                    "no ending called '%.100s': write it like KRPvKR, with one king on each side",
                    text);
    *out = m;
    return TREB_OK;
}

/* ---- Names and kinds ------------------------------------------------------------------------- */

void material_name(const Material *m, char out[MATERIAL_NAME_SIZE])
{
    char *p = out;
    for (int color = 0; color < 2; color++) {
        for (int i = 0; i < TREB_TYPES; i++)
            for (int n = m->count[color][name_order[i]]; n > 0; n--) *p++ = letters[name_order[i]];
        if (color == 0) *p++ = 'v';
    }
    *p = '\0';
}

Material material_of_position(const treb_position *pos)
{
    Material m;
    for (int color = 0; color < 2; color++)
        for (int type = 0; type < TREB_TYPES; type++)
            m.count[color][type] =
                (uint8_t)__builtin_popcountll(pos->by_color[color] & pos->by_type[type]);
    return m;
}

int material_men_of(const Material *m, int color)
{
    int men = 0;
    for (int type = 0; type < TREB_TYPES; type++) men += m->count[color][type];
    return men;
}

int material_men(const Material *m) { return material_men_of(m, 0) + material_men_of(m, 1); }

bool material_has_pawns(const Material *m)
{
    return m->count[0][TREB_PAWN] + m->count[1][TREB_PAWN] > 0;
}

bool material_equal(const Material *a, const Material *b) { return memcmp(a, b, sizeof *a) == 0; }

bool material_symmetric(const Material *m)
{
    return memcmp(m->count[0], m->count[1], sizeof m->count[0]) == 0;
}

Material material_swap(const Material *m)
{
    Material s;
    memcpy(s.count[0], m->count[1], sizeof s.count[0]);
    memcpy(s.count[1], m->count[0], sizeof s.count[1]);
    return s;
}

bool material_canonical(Material *m)
{
    int diff = material_men_of(m, 0) - material_men_of(m, 1);
    for (int i = 0; i < TREB_TYPES && diff == 0; i++)
        diff = m->count[0][name_order[i]] - m->count[1][name_order[i]];
    if (diff >= 0) return false;
    *m = material_swap(m);
    return true;
}

/* A list of sub-endings that is being built. */
typedef struct SubEndings {
    const Material *self;
    Material *out;
    uint8_t *turns; /* may be NULL */
    int count;
} SubEndings;

/* Adds a material that can arise with `turn` to move. */
static void add_sub_ending(SubEndings *list, Material m, int turn)
{
    if (material_canonical(&m)) turn = !turn;
    if (material_equal(&m, list->self)) return;
    int i = 0;
    while (i < list->count && !material_equal(&list->out[i], &m)) i++;
    if (i == list->count) {
        list->out[list->count++] = m;
        if (list->turns) list->turns[i] = 0;
    }
    if (list->turns) list->turns[i] |= 1u << turn;
}

/* Adds the materials that arise when `color` promotes a pawn of `m`. */
static void add_promotions(SubEndings *list, const Material *m, int color)
{
    if (m->count[color][TREB_PAWN] == 0) return;
    for (int type = TREB_QUEEN; type >= TREB_KNIGHT; type--) {
        Material j = *m;
        j.count[color][TREB_PAWN]--;
        j.count[color][type]++;
        add_sub_ending(list, j, !color);
    }
}

int material_sub_endings(const Material *m, Material out[MATERIAL_SUB_ENDINGS_MAX],
                         uint8_t turns[MATERIAL_SUB_ENDINGS_MAX])
{
    int count = 0;
    for (int color = 0; color < 2; color++)
        count = material_sub_endings_of(m, color, MATERIAL_CONVERSIONS, count, out, turns);
    return count;
}

int material_sub_endings_of(const Material *m, int color, MaterialMoves moves, int count,
                            Material out[MATERIAL_SUB_ENDINGS_MAX],
                            uint8_t turns[MATERIAL_SUB_ENDINGS_MAX])
{
    SubEndings list = {m, out, turns, count};
    if (moves == MATERIAL_CONVERSIONS) add_promotions(&list, m, color);
    if (moves == MATERIAL_COMPLETING && m->count[color][TREB_PAWN] == 1) {
        Material j = *m;
        j.count[color][TREB_PAWN]--;
        j.count[color][TREB_QUEEN]++;
        add_sub_ending(&list, j, !color);
    }
    for (int type = TREB_PAWN; type < TREB_KING; type++) {
        if (m->count[!color][type] == 0) continue;
        Material j = *m;
        j.count[!color][type]--;
        add_sub_ending(&list, j, !color);
        /* No pawn can capture a pawn on the last rank. */
        if (type != TREB_PAWN) add_promotions(&list, &j, color);
    }
    return list.count;
}

/* Appends every material with `left` more men of `color`, of type `type` or less valuable. */
static size_t list_side(Material m, int color, int type, int left, int black, Material *out,
                        size_t max, size_t n)
{
    if (left == 0) {
        if (color == TREB_WHITE) {
            m.count[TREB_BLACK][TREB_KING] = 1;
            return list_side(m, TREB_BLACK, TREB_QUEEN, black, 0, out, max, n);
        }
        Material canonical = m;
        if (material_canonical(&canonical)) return n;
        if (n < max) out[n] = m;
        return n + 1;
    }
    for (int t = type; t >= TREB_PAWN; t--) {
        m.count[color][t]++;
        n = list_side(m, color, t, left - 1, black, out, max, n);
        m.count[color][t]--;
    }
    return n;
}

size_t material_list(int men, Material *out, size_t max)
{
    size_t n = 0;
    for (int white = men - 2; white >= men - 2 - white; white--) {
        Material m = {0};
        m.count[TREB_WHITE][TREB_KING] = 1;
        n = list_side(m, TREB_WHITE, TREB_QUEEN, white, men - 2 - white, out, max, n);
    }
    return n;
}

bool material_parse_start(const char *text, size_t length, Material *out)
{
    char name[MATERIAL_NAME_SIZE];
    if (length >= sizeof name) return false;
    memcpy(name, text, length);
    name[length] = '\0';
    return material_parse(name, out);
}

bool material_of_file(const char *name, Material *out)
{
    if (!material_parse_start(name, strcspn(name, "."), out)) return false;
    Material canonical = *out;
    return !material_canonical(&canonical);
}
