/* memory_none.c - memory.h for a build without LMDB: no memory can be opened. */
#include <string.h>

#include "memory.h"

static const char why[] = "this engine was built without LMDB (Debian: liblmdb-dev)";

Memory *memory_open(const char *path, unsigned mib, char text[MEMORY_TEXT])
{
    (void)path;
    (void)mib;
    strcpy(text, why);
    return NULL;
}

void memory_close(Memory *m) { (void)m; }

void memory_recall(const Memory *m, const Game *g, const Tables *t, Tt *tt, Found *known)
{
    (void)m;
    (void)g;
    (void)t;
    (void)tt;
    known->depth = 0;
}

bool memory_keep(Memory *m, const Game *g, const Tables *t, const Found *found,
                 char text[MEMORY_TEXT])
{
    (void)m;
    (void)g;
    (void)t;
    (void)found;
    (void)text;
    return true;
}

void memory_new_game(Memory *m) { (void)m; }

int memory_command(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    fprintf(stderr, "trebuchet-uci: %s\n", why);
    return 1;
}
