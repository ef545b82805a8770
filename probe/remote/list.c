/* list.c - see list.h. */
#include "probe/remote/list.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS = LIST_SUM_SIZE - 1 };

static const char hex[] = "0123456789abcdefABCDEF";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

/* Returns the name on a line and its length; NULL if the line is malformed or the name is not a
 * plain file name. */
static const char *name_on(const char *line, size_t size, size_t *length)
{
    if (size <= DIGITS + 2) return NULL;
    for (int i = 0; i < DIGITS; i++)
        if (line[i] == '\0' || strchr(hex, line[i]) == NULL) return NULL;
    if (line[DIGITS] != ' ' || (line[DIGITS + 1] != ' ' && line[DIGITS + 1] != '*')) return NULL;
    line += DIGITS + 2;
    size -= DIGITS + 2;
    if (size > 0 && line[size - 1] == '\r') size--;
    if (size > 2 && line[0] == '.' && line[1] == '/') line += 2, size -= 2;
    if (size == 0 || size > LIST_NAME_MOST) return NULL;
    for (size_t i = 0; i < size; i++)
        if (line[i] == '\0' || strchr(letters, line[i]) == NULL) return NULL;
    *length = size;
    return line;
}

/* Appends an entry. False: out of memory. */
static bool add(List *list, size_t *capacity, const char *sum, const char *name, size_t length)
{
    if (list->count == *capacity) {
        size_t more = *capacity > 0 ? 2 * *capacity : 256;
        ListEntry *entry = realloc(list->entry, more * sizeof *entry);
        if (entry == NULL) return false;
        list->entry = entry;
        *capacity = more;
    }
    ListEntry *entry = &list->entry[list->count];
    entry->name = strndup(name, length);
    if (entry->name == NULL) return false;
    memcpy(entry->sum, sum, DIGITS);
    entry->sum[DIGITS] = '\0';
    list->count++;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const ListEntry *)a)->name, ((const ListEntry *)b)->name);
}

bool list_parse(List *list, const char *text, size_t size)
{
    size_t capacity = 0, length;
    *list = (List){NULL, 0};
    while (size > 0) {
        const char *end = memchr(text, '\n', size);
        size_t line = end != NULL ? (size_t)(end - text) : size;
        const char *name = name_on(text, line, &length);
        if (name != NULL && !add(list, &capacity, text, name, length)) {
            list_free(list);
            return false;
        }
        if (end != NULL) line++;
        text += line;
        size -= line;
    }
    if (list->count > 0) qsort(list->entry, list->count, sizeof *list->entry, by_name);
    return true;
}

void list_free(List *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->entry[i].name);
    free(list->entry);
    *list = (List){NULL, 0};
}

const ListEntry *list_find(const List *list, const char *name)
{
    const ListEntry key = {.name = (char *)(uintptr_t)name};
    if (list->count == 0) return NULL;
    return bsearch(&key, list->entry, list->count, sizeof *list->entry, by_name);
}
