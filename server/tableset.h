/* tableset.h - the tables being served: a set of them that can be exchanged for a fresh one while
 * requests go on with the old, which goes when the last of them lets go of it. */
#ifndef TREB_SERVER_TABLESET_H
#define TREB_SERVER_TABLESET_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "server/answers.h"
#include "trebuchet.h"

typedef struct TableSet {
    treb_tables *tables;
    AnswerCache *answers; /* what was said from these tables */
    atomic_uint users;
} TableSet;

typedef struct TableHolder {
    pthread_mutex_t lock;
    TableSet *current;
    const char *const *directories;
    size_t count;
    bool lenient; /* a folder that is not there holds nothing */
    uint64_t block_bytes, answer_bytes;
} TableHolder;

/* The tables of its folders, apart from any set: for one user alone, who closes them. NULL after saying why. */
treb_tables *tableset_tables(const TableHolder *holder, treb_error *error);

/* The first set. The other members are filled in by the caller and stay valid. */
treb_status tableset_open(TableHolder *holder, treb_error *error);

/* Whether it knows something, or need not. */
static inline bool tableset_ready(const TableSet *set, bool allow_empty)
{
    return treb_tables_men(set->tables) > 0 || allow_empty;
}

/* Looks into the folders again. On failure the old set stays. */
treb_status tableset_reload(TableHolder *holder, treb_error *error);

/* No request may be under way. */
void tableset_close(TableHolder *holder);

/* The set of now, to be released. */
TableSet *tableset_acquire(TableHolder *holder);
void tableset_release(TableSet *set);

#endif
