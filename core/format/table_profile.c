/* table_profile.c - see table_profile.h. */
#include "core/format/table_profile.h"

#include <stdlib.h>

#include "core/format/table_format.h"

/* Orders classes. */
static uint32_t class_key(unsigned dtm, unsigned dtz) { return dtm << 16 | dtz; }

static uint32_t key_of_class(const TableProfileClass *of) { return class_key(of->dtm, of->dtz); }

const TableProfileClass *table_profile_class(const TableHeader *header, int dtm, int dtz)
{
    const TableProfiles *profiles = &header->profiles;
    const uint32_t key = class_key((unsigned)dtm, (unsigned)dtz);
    uint32_t low = 0, high = profiles->class_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (key_of_class(&profiles->classes[middle]) < key)
            low = middle + 1;
        else
            high = middle;
    }
    const TableProfileClass *found = &profiles->classes[low];
    return low < profiles->class_count && key_of_class(found) == key ? found : NULL;
}

/* ---- Profiles of cells ----------------------------------------------------------------------- */

/* Returns a number, -1 if there is none. */
static int take_number(ProfileBlock *block, unsigned code)
{
    int number = 0, part;
    if (code >= block->codes) return -1;
    do {
        part = code_next(&block->code[code], &block->words);
        number += part;
    } while (part == PROFILE_MORE && number <= UINT16_MAX);
    return part >= 0 ? number : -1;
}

enum { NO_STEP = -2, DAMAGED = -4 };

/* Returns the plies of a step, which must fall; NO_STEP: there is none; DAMAGED. */
static int take_plies(ProfileBlock *block, int before)
{
    const int plies = 2 * take_number(block, table_profile_code((unsigned)before)) - 2;
    return plies > UINT16_MAX || (before > 0 && plies >= before) ? DAMAGED : plies;
}

int table_profile_next(ProfileBlock *block, const TableProfileClass *of, unsigned short_by)
{
    int within = of->dtm - of->dtz, extra = take_plies(block, 0), found = extra;
    bool begun = extra != NO_STEP; /* the first step holds from the beginning */
    if (!begun) {
        found = TABLE_PROFILE_ZEROING;
        extra = take_plies(block, 0);
    }
    while (extra >= 0) {
        const int fall = begun ? 0 : take_number(block, PROFILE_CODE_WITHIN);
        if (fall < 0) return -1;
        within -= fall;
        if ((int)short_by <= within) found = extra;
        begun = false;
        extra = extra > 0 ? take_plies(block, extra) : (int)NO_STEP;
    }
    return extra == NO_STEP ? found : -1;
}

bool table_profile_go(ProfileBlock *block, uint64_t from, uint64_t to)
{
    static const TableProfileClass any = {0, 0, UINT16_MAX, 0};
    while (from < to) {
        if (table_profile_next(block, &any, 0) < 0) return false;
        const int gap = take_number(block, PROFILE_CODE_GAP);
        if (gap < 0) return false;
        from += (uint64_t)gap + 1;
    }
    return from == to;
}

/* ---- To bytes -------------------------------------------------------------------------------- */

/* Writes a number, seven bits a byte, the low ones first. Returns its end. NULL: only counts. */
static uint8_t *write_profile_number(uint8_t *out, uint32_t number, size_t *size)
{
    do {
        const uint8_t byte = (uint8_t)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
        if (out != NULL) *out++ = byte;
        ++*size;
    } while ((number >>= 7) > 0);
    return out;
}

/* Writes the profiles, but not profile 0, which has no steps, and those of each class. Returns their end. NULL: only
 * counts the bytes. */
static uint8_t *write_profile_numbers(const TableProfiles *p, uint8_t *out, size_t *size)
{
    *size = 0;
    for (uint32_t i = 1; i < p->count; i++) {
        const TableProfile *step = &p->step[i];
        out = write_profile_number(out, step->before, size);
        out = write_profile_number(out, step->within == TABLE_PROFILE_START ? 0u : step->within, size);
        out = write_profile_number(out, step->extra, size);
    }
    for (uint32_t c = 0; c < p->class_count; c++) {
        const TableProfileClass *of = &p->classes[c];
        out = write_profile_number(out, of->dtm, size);
        out = write_profile_number(out, of->dtz, size);
        out = write_profile_number(out, of->count, size);
        for (uint32_t i = 0; i < of->count; i++)
            out = write_profile_number(out, p->list[of->first + i], size);
    }
    return out;
}

size_t format_profiles_size(const TableProfiles *p)
{
    size_t size;
    write_profile_numbers(p, NULL, &size);
    return FORMAT_PROFILES_HEAD + size;
}

uint8_t *format_write_profiles(const TableProfiles *p, uint8_t *out)
{
    size_t size;
    format_put32(out, p->count);
    format_put32(out + 4, p->class_count);
    format_put32(out + 8, (uint32_t)(format_profiles_size(p) - FORMAT_PROFILES_HEAD));
    out[12] = (uint8_t)p->turn;
    return write_profile_numbers(p, out + FORMAT_PROFILES_HEAD, &size);
}

/* ---- From bytes ------------------------------------------------------------------------------ */

/* The numbers that are not read yet. */
typedef struct ProfileNumbers {
    const uint8_t *at;
    size_t left; /* bytes */
} ProfileNumbers;

/* Reads a number. False: the numbers end, or it is more than `most`. */
static bool take_profile_number(ProfileNumbers *numbers, uint32_t most, uint32_t *out)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift <= 28 && numbers->left > 0; shift += 7) {
        const uint8_t byte = *numbers->at++;
        numbers->left--;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte > 0x7f) continue;
        *out = (uint32_t)number;
        return number <= most;
    }
    return false;
}

static bool take_step(ProfileNumbers *numbers, TableProfiles *p, uint32_t number)
{
    uint32_t before, within, extra;
    if (!take_profile_number(numbers, p->count - 1, &before) ||
        !take_profile_number(numbers, UINT16_MAX - 1, &within) ||
        !take_profile_number(numbers, UINT16_MAX, &extra))
        return false;
    if (within == 0) within = TABLE_PROFILE_START;
    p->step[number] = (TableProfile){before, (uint16_t)within, (uint16_t)extra};
    return true;
}

/* Whether a step may follow the one that it names: it holds later, and the rule adds less. So no profile has itself as
 * a part. */
static bool good_step(const TableProfiles *p, uint32_t number)
{
    const TableProfile *step = &p->step[number];
    const TableProfile *before = &p->step[step->before];
    return step->before == 0 || (step->within < before->within && step->extra < before->extra);
}

/* Parses a class, which must come after the one before it. */
static bool take_class(ProfileNumbers *numbers, TableProfiles *p, uint32_t number)
{
    uint32_t dtm, dtz, count;
    if (!take_profile_number(numbers, UINT16_MAX, &dtm) ||
        !take_profile_number(numbers, UINT16_MAX, &dtz) ||
        !take_profile_number(numbers, TABLE_PROFILES_MAX, &count))
        return false;
    TableProfileClass *of = &p->classes[number];
    *of = (TableProfileClass){p->listed, count, (uint16_t)dtm, (uint16_t)dtz};
    if (count == 0 || count > numbers->left) return false;
    if (number > 0 && key_of_class(of) <= key_of_class(of - 1)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!take_profile_number(numbers, p->count, &p->list[p->listed++])) return false;
    if (count > p->most) p->most = count;
    return true;
}

/* Parses the numbers of profiles and of `classes` classes; each takes a byte at least. */
static const char *parse_profile_numbers(ProfileNumbers *numbers, uint32_t profiles, uint32_t classes,
                                         TableProfiles *p)
{
    if (profiles > numbers->left + 1 || classes > numbers->left) return "profiles end early";
    p->step = (TableProfile *)calloc(profiles, sizeof *p->step);
    p->classes = (TableProfileClass *)calloc(classes + (size_t)1, sizeof *p->classes);
    if (p->step == NULL || p->classes == NULL) return format_no_memory;
    p->count = profiles;
    for (uint32_t i = 1; i < profiles; i++)
        if (!take_step(numbers, p, i)) return "bad profile";
    for (uint32_t i = 1; i < profiles; i++)
        if (!good_step(p, i)) return "bad profile";
    p->list = (uint32_t *)calloc(numbers->left + 1, sizeof *p->list);
    if (p->list == NULL) return format_no_memory;
    for (p->class_count = 0; p->class_count < classes; p->class_count++)
        if (!take_class(numbers, p, p->class_count)) return "bad class of profiles";
    return numbers->left == 0 ? NULL : "bad class of profiles";
}

const char *format_take_profiles(const uint8_t **at, size_t *left, TableHeader *header)
{
    TableProfiles *p = &header->profiles;
    const uint8_t *head = *at;
    if (*left < FORMAT_PROFILES_HEAD) return "profiles end early";
    const uint32_t profiles = format_get32(head), classes = format_get32(head + 4);
    ProfileNumbers numbers = {head + FORMAT_PROFILES_HEAD, format_get32(head + 8)};
    p->turn = head[12];
    if (profiles < 1 || p->turn > TREB_BLACK || !header->side[0].stored) return "bad number of profiles";
    if (numbers.left > *left - FORMAT_PROFILES_HEAD) return "profiles end early";
    *at = numbers.at + numbers.left;
    *left -= FORMAT_PROFILES_HEAD + numbers.left;
    const char *wrong = parse_profile_numbers(&numbers, profiles, classes, p);
    if (wrong) return wrong;
    bool own = false;
    for (uint32_t i = 0; i < p->listed; i++) own = own || p->list[i] == p->count;
    return own == header->side[1].stored ? NULL : "bad class of profiles";
}
