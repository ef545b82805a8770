/* profile_numbers.c - see profile_numbers.h.
 *
 * A list of the solver begins with the distance to mate, then has values by plies left, the first with as many as the
 * distance to zeroing. In a file profiles are relative to the distance to mate, so that more cells have the same, and
 * what a zeroing move gives at once is left out. They are numbered so that frequent ones have small numbers, which take
 * fewer bytes in the lists of the classes. In a class too the most frequent profile comes first. */
#include "gen/write/profile_numbers.h"

#include <stdlib.h>

#include "core/format/table_profile.h"

/* A list of the solver. */
typedef struct List {
    uint32_t profile;  /* first among the relative ones, then in the file */
    uint16_t dtm, dtz; /* its class */
} List;

/* The cells of a class that have one profile. */
typedef struct ClassCells {
    uint64_t cells;
    uint32_t profile, number;
    uint16_t dtm, dtz;
} ClassCells;

/* ---- Relative profiles ----------------------------------------------------------------------- */

/* Returns the relative profile of a list, one step longer than another list. */
static uint32_t longer_profile(Profiles *relative, const List *before, ProfileStep step)
{
    const uint16_t extra = (uint16_t)(step.plies - before->dtm);
    const bool zeroing = before->dtz > 0 && table_profile_zeroing(before->dtm, before->dtz);
    if (before->dtz == 0 && table_profile_zeroing(before->dtm, step.left)) return PROFILE_EMPTY;
    const bool starts = before->profile == PROFILE_EMPTY && !zeroing;
    if (starts && extra == 0) return PROFILE_EMPTY;
    const uint16_t within =
        starts ? (uint16_t)TABLE_PROFILE_START : (uint16_t)(before->dtm - step.left);
    return profiles_add(relative, (ProfileStep){before->profile, within, extra});
}

/* Finds the class and the relative profile of each list: its steps have `within` and `extra` of a TableProfile. False:
 * out of memory. */
static bool make_relative(const Profiles *lists, Profiles *relative, List *list)
{
    for (uint32_t i = 1; i < profiles_count(lists); i++) {
        const ProfileStep step = profiles_step(lists, i);
        const List before = list[step.before];
        if (step.left == 0) {
            list[i] = (List){PROFILE_EMPTY, step.plies, 0};
            continue;
        }
        list[i] = (List){longer_profile(relative, &before, step), before.dtm,
                         before.dtz > 0 ? before.dtz : step.left};
        if (list[i].profile == PROFILE_NONE) return false;
    }
    return true;
}

/* ---- Numbers of the file --------------------------------------------------------------------- */

/* A profile that occurs, or that another one begins with. */
typedef struct Counted {
    uint64_t cells;
    uint32_t profile;
    bool used;
    const Profiles *profiles;
} Counted;

/* Orders profiles by their steps, from the last one on. */
static int compare_steps(const Profiles *p, uint32_t a, uint32_t b)
{
    while (a != b && a != PROFILE_EMPTY && b != PROFILE_EMPTY) {
        const ProfileStep x = profiles_step(p, a), y = profiles_step(p, b);
        if (x.left != y.left) return x.left < y.left ? -1 : 1;
        if (x.plies != y.plies) return x.plies < y.plies ? -1 : 1;
        a = x.before;
        b = y.before;
    }
    return a == b ? 0 : a == PROFILE_EMPTY ? -1 : 1;
}

static int compare_counted(const void *a, const void *b)
{
    const Counted *x = a, *y = b;
    if (x->used != y->used) return x->used ? -1 : 1;
    if ((x->profile == PROFILE_EMPTY) != (y->profile == PROFILE_EMPTY))
        return x->profile == PROFILE_EMPTY ? -1 : 1;
    if (x->cells != y->cells) return x->cells > y->cells ? -1 : 1;
    return compare_steps(x->profiles, x->profile, y->profile);
}

/* Sorts the profiles that are used. Returns their number. */
static uint32_t sort_profiles(const Profiles *p, Counted *counted)
{
    const uint32_t all = profiles_count(p);
    uint32_t used = 0;
    for (uint32_t i = 0; i < all; i++) {
        counted[i].profile = i;
        counted[i].profiles = p;
        counted[i].used |= counted[i].cells > 0 || i == PROFILE_EMPTY;
    }
    /* A profile has a larger number than those that it begins with. */
    for (uint32_t i = all; i-- > 1;)
        if (counted[i].used) counted[profiles_step(p, i).before].used = true;
    for (uint32_t i = 0; i < all; i++) used += counted[i].used;
    qsort(counted, all, sizeof *counted, compare_counted);
    return used;
}

/* Numbers the relative profiles for the file. list[i].profile becomes such a number. False: out of memory. */
static bool number_profiles(const Profiles *relative, const uint64_t *cells, List *list, uint32_t lists,
                            TableProfiles *out)
{
    Counted *counted = calloc(profiles_count(relative), sizeof *counted);
    uint32_t *number = calloc(profiles_count(relative), sizeof *number);
    bool enough = counted != NULL && number != NULL;
    for (uint32_t i = 0; i < lists && enough; i++) counted[list[i].profile].cells += cells[i];
    if (enough) {
        out->count = sort_profiles(relative, counted);
        out->step = calloc(out->count, sizeof *out->step);
        enough = out->step != NULL;
    }
    for (uint32_t i = 0; i < out->count && enough; i++) number[counted[i].profile] = i;
    for (uint32_t i = 1; i < out->count && enough; i++) {
        const ProfileStep step = profiles_step(relative, counted[i].profile);
        out->step[i] = (TableProfile){number[step.before], step.left, step.plies};
    }
    for (uint32_t i = 0; i < lists && enough; i++)
        if (cells[i] > 0) list[i].profile = number[list[i].profile];
    free(number);
    free(counted);
    return enough;
}

/* ---- Classes --------------------------------------------------------------------------------- */

static int compare_classes(const ClassCells *x, const ClassCells *y)
{
    if (x->dtm != y->dtm) return x->dtm < y->dtm ? -1 : 1;
    return x->dtz < y->dtz ? -1 : x->dtz > y->dtz;
}

static int compare_profiles(const void *a, const void *b)
{
    const ClassCells *x = a, *y = b;
    const int by_class = compare_classes(x, y);
    if (by_class != 0) return by_class;
    return x->profile < y->profile ? -1 : x->profile > y->profile;
}

static int compare_frequency(const void *a, const void *b)
{
    const ClassCells *x = a, *y = b;
    const int by_class = compare_classes(x, y);
    if (by_class != 0) return by_class;
    if (x->cells != y->cells) return x->cells > y->cells ? -1 : 1;
    return compare_profiles(x, y);
}

/* Adds up the cells of lists that have one class and profile. number[i] becomes the element that has those of list i.
 * Returns the number of elements. */
static uint32_t merge_lists(const uint64_t *cells, const List *list, uint32_t lists,
                            ClassCells *out, uint32_t *number)
{
    uint32_t used = 0, merged = 0;
    for (uint32_t i = 0; i < lists; i++)
        if (cells[i] > 0)
            out[used++] = (ClassCells){cells[i], list[i].profile, i, list[i].dtm, list[i].dtz};
    qsort(out, used, sizeof *out, compare_profiles);
    for (uint32_t i = 0; i < used; i++) {
        const ClassCells c = out[i];
        if (merged > 0 && compare_profiles(&out[merged - 1], &c) == 0)
            out[merged - 1].cells += c.cells;
        else
            out[merged++] = c;
        number[c.number] = merged - 1;
    }
    for (uint32_t i = 0; i < merged; i++) out[i].number = i;
    return merged;
}

/* Adds the classes of a part. place[i] becomes the place of what is number i of `merged`. */
static treb_status add_classes(ClassCells *merged, uint32_t count, uint32_t part, TableProfiles *out,
                               uint32_t *place, treb_error *error)
{
    TableProfileClass *classes = realloc(out->classes, (out->class_count + count + (size_t)1) * sizeof *classes);
    if (classes != NULL) out->classes = classes;
    uint32_t *list = realloc(out->list, (out->listed + count + (size_t)1) * sizeof *list);
    if (list != NULL) out->list = list;
    if (classes == NULL || list == NULL) return fail_memory(error);
    qsort(merged, count, sizeof *merged, compare_frequency);
    for (uint32_t first = 0, end; first < count; first = end) {
        const ClassCells *at = &merged[first];
        TableProfileClass *made = &out->classes[out->class_count++];
        for (end = first; end < count && compare_classes(at, &merged[end]) == 0; end++) {
            out->list[out->listed + end] = merged[end].profile;
            place[merged[end].number] = end - first;
        }
        *made = (TableProfileClass){out->listed + first, end - first, part, at->dtm, at->dtz};
        if (made->count == 1) place[at->number] = PROFILE_ANY;
        if (made->count > out->most) out->most = made->count;
    }
    out->listed += count;
    return TREB_OK;
}

/* As few first digits as possible say that there is a second one. */
treb_status profile_numbers_digits(TableProfiles *out, treb_error *error)
{
    const uint32_t base = TABLE_PROFILE_BASE;
    if (out->most > TABLE_PROFILES_MAX)
        return fail(error, TREB_ERR_ARGUMENT,
                    "a DTM50 table cannot have %u profiles with the same DTM, DTZ and pawns, at most %d",
                    (unsigned)out->most, TABLE_PROFILES_MAX);
    const uint32_t rest = out->most > base ? (out->most - base + base - 2) / (base - 1) : 0;
    out->direct = rest > 0 ? base - rest : out->most;
    return TREB_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

struct ProfileNumbers {
    List *list;
    uint32_t lists;
};

ProfileNumbers *profile_numbers_new(const Profiles *lists, const uint64_t *cells, MemoryBudget *budget,
                                    TableProfiles *out)
{
    ProfileNumbers *numbers = calloc(1, sizeof *numbers);
    Profiles *relative = profiles_new(budget);
    bool enough = numbers != NULL && relative != NULL;
    if (enough) {
        numbers->lists = profiles_count(lists);
        numbers->list = calloc(numbers->lists, sizeof *numbers->list);
        enough = numbers->list != NULL && make_relative(lists, relative, numbers->list) &&
                 number_profiles(relative, cells, numbers->list, numbers->lists, out);
    }
    profiles_free(relative);
    if (enough) return numbers;
    profile_numbers_free(numbers);
    return NULL;
}

void profile_numbers_free(ProfileNumbers *numbers)
{
    if (numbers == NULL) return;
    free(numbers->list);
    free(numbers);
}

treb_status profile_numbers_classes(const ProfileNumbers *numbers, const uint64_t *cells, uint32_t part,
                                    TableProfiles *out, uint32_t *place, treb_error *error)
{
    const uint32_t lists = numbers->lists;
    ClassCells *merged = calloc(lists, sizeof *merged);
    uint32_t *by_number = calloc(lists, sizeof *by_number);
    treb_status status = merged != NULL && by_number != NULL ? TREB_OK : fail_memory(error);
    if (status == TREB_OK) {
        const uint32_t count = merge_lists(cells, numbers->list, lists, merged, place);
        status = add_classes(merged, count, part, out, by_number, error);
    }
    for (uint32_t i = 0; i < lists && status == TREB_OK; i++)
        if (cells[i] > 0) place[i] = by_number[place[i]];
    free(by_number);
    free(merged);
    return status;
}
