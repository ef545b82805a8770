/* profile_numbers.c - see profile_numbers.h.
 *
 * A list of the solver begins with the distance to mate, then has values by plies left, the first with as many as the
 * distance to zeroing. In a file profiles are relative to the distance to mate, so that more cells have the same, and
 * what a zeroing move gives at once is left out. A class lists the profiles that several of its cells have, the most
 * frequent first; the others would take more bytes in the list than with their cells. Profiles are numbered so that
 * frequent ones have small numbers, which take fewer bytes in the lists. */
#include "gen/write/profile_numbers.h"

#include <stdlib.h>

#include "core/format/table_profile.h"

enum { LISTED_LEAST = 3 /* cells of a class with a profile that is listed */ };

/* A list of the solver. */
typedef struct List {
    uint32_t profile;  /* among the relative ones */
    uint32_t place;    /* in its class */
    uint16_t dtm, dtz; /* its class */
    bool own;
} List;

/* The cells of a class that have one profile. */
typedef struct ClassCells {
    uint64_t cells;
    uint32_t profile, number;
    uint32_t place; /* as List has it, */
    uint16_t dtm, dtz;
    bool own; /* and this */
} ClassCells;

/* ---- Relative profiles ----------------------------------------------------------------------- */

/* Makes the step of a relative profile from one of a list; `first`: the profile has none yet. False: it has no such step. */
static bool relative_step(uint16_t dtm, uint16_t dtz, ProfileStep step, bool first, TableProfile *out)
{
    const uint16_t extra = (uint16_t)(step.plies - dtm);
    const bool zeroing = table_profile_zeroing(dtm, dtz);
    if (zeroing && step.left == dtz) return false;
    const bool starts = first && !zeroing;
    if (starts && extra == 0) return false;
    *out = (TableProfile){0, starts ? (uint16_t)TABLE_PROFILE_START : (uint16_t)(dtm - step.left), extra};
    return true;
}

/* Finds the class and the relative profile of each list. False: out of memory. */
static bool make_relative(const Profiles *lists, Profiles *relative, List *list)
{
    for (uint32_t i = 1; i < profiles_count(lists); i++) {
        TableProfile made;
        const ProfileStep step = profiles_step(lists, i);
        if (step.left == 0) {
            list[i] = (List){.profile = PROFILE_EMPTY, .dtm = step.plies};
            continue;
        }
        list[i] = list[step.before];
        if (list[i].dtz == 0) list[i].dtz = step.left;
        if (!relative_step(list[i].dtm, list[i].dtz, step, list[i].profile == PROFILE_EMPTY, &made)) continue;
        list[i].profile = profiles_add(relative, NULL, (ProfileStep){list[i].profile, made.within, made.extra});
        if (list[i].profile == PROFILE_NONE) return false;
    }
    return true;
}

unsigned profile_numbers_steps(const Profiles *lists, uint32_t list, TableProfile step[PROFILE_STEPS_MAX],
                               TableProfileClass *of)
{
    ProfileStep all[PROFILE_STEPS_MAX + 1];
    unsigned count = 0, steps = 0;
    for (; list != PROFILE_EMPTY && count <= PROFILE_STEPS_MAX; list = all[count++].before)
        all[count] = profiles_step(lists, list);
    of->dtm = all[--count].plies;
    of->dtz = count > 0 ? all[count - 1].left : 0;
    while (count-- > 0)
        if (relative_step(of->dtm, of->dtz, all[count], steps == 0, &step[steps])) steps++;
    return steps;
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

/* Gives the profiles of lists numbers by how frequent they are, 0 to the one without steps; counted[] is by such numbers.
 * False: out of memory. */
static bool order_profiles(const Profiles *relative, const uint64_t *cells, List *list, uint32_t lists,
                           Counted *counted)
{
    uint32_t *number = calloc(profiles_count(relative), sizeof *number);
    if (number == NULL) return false;
    for (uint32_t i = 0; i < lists; i++) counted[list[i].profile].cells += cells[i];
    const uint32_t used = sort_profiles(relative, counted);
    for (uint32_t i = 0; i < used; i++) number[counted[i].profile] = i;
    for (uint32_t i = 0; i < lists; i++) list[i].profile = number[list[i].profile];
    free(number);
    return true;
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

/* Adds up the cells of lists that have one class and profile. list[i].place becomes the element that has those of list i.
 * Returns the number of elements. */
static uint32_t merge_lists(const uint64_t *cells, List *list, uint32_t lists, ClassCells *out)
{
    uint32_t used = 0, merged = 0;
    for (uint32_t i = 0; i < lists; i++)
        if (cells[i] > 0)
            out[used++] = (ClassCells){
                .cells = cells[i], .profile = list[i].profile, .number = i, .dtm = list[i].dtm, .dtz = list[i].dtz};
    qsort(out, used, sizeof *out, compare_profiles);
    for (uint32_t i = 0; i < used; i++) {
        const ClassCells c = out[i];
        if (merged > 0 && compare_profiles(&out[merged - 1], &c) == 0)
            out[merged - 1].cells += c.cells;
        else
            out[merged++] = c;
        list[c.number].place = merged - 1;
    }
    for (uint32_t i = 0; i < merged; i++) out[i].number = i;
    return merged;
}

/* Decides which profiles of a class are listed, the most frequent first: those of several cells, but always the one
 * without steps, which a cell cannot have of its own. One entry is left for all others. Returns the number of cells with
 * the others. */
static uint64_t choose_listed(ClassCells *class, uint32_t count)
{
    uint64_t own = 0;
    uint32_t room = TABLE_PROFILES_MAX - 1;
    for (uint32_t i = 0; i < count; i++) room -= class[i].profile == PROFILE_EMPTY;
    for (uint32_t i = 0; i < count; i++) {
        if (class[i].profile == PROFILE_EMPTY) continue;
        class[i].own = class[i].cells < LISTED_LEAST || room == 0;
        if (class[i].own) own += class[i].cells;
        if (!class[i].own) room--;
    }
    return own;
}

/* Adds a class to `out`, and gives its profiles their places. `none` stands for a profile of the cell's own. */
static void add_class(ClassCells *class, uint32_t count, uint32_t none, TableProfiles *out)
{
    const uint64_t own = choose_listed(class, count);
    TableProfileClass *made = &out->classes[out->class_count++];
    uint32_t *list = out->list + out->listed, place = 0, own_place = UINT32_MAX;
    for (uint32_t i = 0; i <= count; i++) {
        /* In order of frequency, too. */
        if (own > 0 && own_place == UINT32_MAX && (i == count || (!class[i].own && class[i].cells <= own))) {
            own_place = place;
            list[place++] = none;
        }
        if (i == count || class[i].own) continue;
        class[i].place = place;
        list[place++] = class[i].profile;
    }
    *made = (TableProfileClass){out->listed, place, class->dtm, class->dtz};
    for (uint32_t i = 0; i < count; i++) {
        if (class[i].own) class[i].place = own_place;
        if (place == 1) class[i].place = PROFILE_ANY;
    }
    out->listed += place;
    if (place > out->most) out->most = place;
}

/* Makes the classes. False: out of memory. */
static bool make_classes(ClassCells *merged, uint32_t count, uint32_t none, TableProfiles *out)
{
    uint32_t classes = 0;
    qsort(merged, count, sizeof *merged, compare_frequency);
    for (uint32_t i = 0; i < count; i++) classes += i == 0 || compare_classes(&merged[i - 1], &merged[i]) != 0;
    out->classes = calloc(classes + (size_t)1, sizeof *out->classes);
    out->list = calloc((size_t)count + classes + 1, sizeof *out->list);
    if (out->classes == NULL || out->list == NULL) return false;
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && compare_classes(&merged[first], &merged[end]) == 0;) end++;
        add_class(&merged[first], end - first, none, out);
    }
    return true;
}

/* Finds the places of lists in classes. False: out of memory. */
static bool place_lists(const uint64_t *cells, List *list, uint32_t lists, uint32_t none, TableProfiles *out)
{
    ClassCells *merged = calloc(lists, sizeof *merged);
    uint32_t *by_number = calloc(lists, sizeof *by_number);
    bool enough = merged != NULL && by_number != NULL;
    const uint32_t count = enough ? merge_lists(cells, list, lists, merged) : 0;
    enough = enough && make_classes(merged, count, none, out);
    for (uint32_t i = 0; i < count && enough; i++) by_number[merged[i].number] = i;
    for (uint32_t i = 0; i < lists && enough; i++) {
        if (cells[i] == 0) continue;
        const ClassCells *of = &merged[by_number[list[i].place]];
        list[i].place = of->place;
        list[i].own = of->own;
    }
    free(by_number);
    free(merged);
    return enough;
}

/* ---- Profiles of the file -------------------------------------------------------------------- */

/* Keeps the profiles that are listed, and those that they begin with. False: out of memory. */
static bool keep_listed(const Profiles *relative, const Counted *counted, uint32_t none, TableProfiles *out)
{
    const uint32_t all = profiles_count(relative);
    uint32_t *number = calloc(none + (size_t)1, sizeof *number), *order = calloc(all, sizeof *order);
    out->step = calloc(none, sizeof *out->step);
    const bool enough = number != NULL && order != NULL && out->step != NULL;
    for (uint32_t i = 0; i < none && enough; i++) order[counted[i].profile] = i;
    if (enough) number[0] = 1; /* at first: whether a profile is needed */
    for (uint32_t i = 0; i < out->listed && enough; i++) number[out->list[i]] = 1;
    /* A relative profile has a larger number than those that it begins with. */
    for (uint32_t i = all; i-- > 1 && enough;)
        if (counted[order[i]].profile == i && number[order[i]] > 0) number[order[profiles_step(relative, i).before]] = 1;
    for (uint32_t i = 0; i < none && enough; i++)
        if (number[i] > 0) number[i] = out->count++;
        else number[i] = UINT32_MAX;
    for (uint32_t i = 1; i < none && enough; i++) {
        if (number[i] == UINT32_MAX) continue;
        const ProfileStep step = profiles_step(relative, counted[i].profile);
        out->step[number[i]] = (TableProfile){number[order[step.before]], step.left, step.plies};
    }
    for (uint32_t i = 0; i < out->listed && enough; i++)
        out->list[i] = out->list[i] == none ? out->count : number[out->list[i]];
    free(number);
    free(order);
    return enough;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* By list: its place, which is one byte, or PLACE_ANY, and perhaps PLACE_OWN. Cells ask in any order, so that a small array is
 * faster. */
enum { PLACE_ANY = 1 << 8, PLACE_OWN = 1 << 9 };
struct ProfileNumbers {
    uint16_t *place;
};

/* Keeps the places of lists. */
static bool keep_places(ProfileNumbers *numbers, const List *list, uint32_t lists)
{
    numbers->place = calloc(lists, sizeof *numbers->place);
    for (uint32_t i = 0; i < lists && numbers->place != NULL; i++)
        numbers->place[i] = (uint16_t)((list[i].place == PROFILE_ANY ? (uint32_t)PLACE_ANY : list[i].place) |
                                       (list[i].own ? (uint32_t)PLACE_OWN : 0));
    return numbers->place != NULL;
}

static bool number_all(ProfileNumbers *numbers, const Profiles *lists, Profiles *relative,
                       const uint64_t *cells, TableProfiles *out)
{
    const uint32_t count = profiles_count(lists);
    List *list = calloc(count, sizeof *list);
    bool enough = list != NULL && make_relative(lists, relative, list);
    const uint32_t none = profiles_count(relative); /* no number of a profile */
    Counted *counted = enough ? calloc(none, sizeof *counted) : NULL;
    enough = counted != NULL && order_profiles(relative, cells, list, count, counted) &&
             place_lists(cells, list, count, none, out) && keep_listed(relative, counted, none, out) &&
             keep_places(numbers, list, count);
    free(counted);
    free(list);
    return enough;
}

ProfileNumbers *profile_numbers_new(const Profiles *lists, const uint64_t *cells, MemoryBudget *budget,
                                    TableProfiles *out)
{
    ProfileNumbers *numbers = calloc(1, sizeof *numbers);
    Profiles *relative = profiles_new(budget, NULL);
    const bool enough = numbers != NULL && relative != NULL && number_all(numbers, lists, relative, cells, out);
    profiles_free(relative);
    if (enough) return numbers;
    profile_numbers_free(numbers);
    return NULL;
}

void profile_numbers_free(ProfileNumbers *numbers)
{
    if (numbers == NULL) return;
    free(numbers->place);
    free(numbers);
}

uint32_t profile_numbers_place(const ProfileNumbers *numbers, uint32_t list)
{
    const unsigned place = numbers->place[list];
    return place & PLACE_ANY ? PROFILE_ANY : place & UINT8_MAX;
}

bool profile_numbers_own(const ProfileNumbers *numbers, uint32_t list) { return numbers->place[list] & PLACE_OWN; }
