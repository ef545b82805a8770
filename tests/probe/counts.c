/* counts.c - compares whole tables with published counts: counts TABLES le5.tsv.
 *
 * The list has materials with wins, draws and losses for both sides to move and the longest mates.
 * Those whose tables are in the folder are compared. The published counts include positions in
 * which an en passant capture is legal. Tables have none, so these positions are listed one by one
 * and probed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/chess/material.h"
#include "core/chess/movegen.h"
#include "trebuchet.h"

/* Numbers of wins, draws and losses, and the longest mate in plies. */
typedef struct Figures {
    unsigned long long win, draw, loss;
    unsigned longest;
} Figures;

typedef struct Scan {
    const treb_tables *tables;
    Figures *side;
    int type[8], color[8], men; /* the men to put on the board; like men follow each other */
    bool failed;
} Scan;

static void count_position(Scan *scan, const treb_position *pos)
{
    treb_distance d;
    treb_error error;
    if (position_check(pos, NULL) != TREB_OK || !position_ep_legal(pos)) return;
    if (treb_probe_dtm(scan->tables, pos, &d, &error) != TREB_OK) {
        fprintf(stderr, "%s\n", error.text);
        scan->failed = true;
        return;
    }
    Figures *f = &scan->side[pos->turn];
    if (d.wdl > TREB_DRAW)
        f->win++;
    else if (d.wdl == TREB_DRAW)
        f->draw++;
    else
        f->loss++;
    if (d.wdl > TREB_DRAW && (unsigned)d.plies > f->longest) f->longest = (unsigned)d.plies;
}

/* Puts man `next` and those after it on all squares. Like men stand in ascending order. */
static void put_men(Scan *scan, const treb_position *pos, int next, int from)
{
    if (next == scan->men) {
        count_position(scan, pos);
        return;
    }
    for (int s = from; s < 64 && !scan->failed; s++) {
        bool pawn = scan->type[next] == TREB_PAWN;
        if (bit_test(position_occupied(pos), s) || (pawn && (s < 8 || s > 55))) continue;
        treb_position with = *pos;
        position_put(&with, scan->color[next], scan->type[next], s);
        bool like = next + 1 < scan->men && scan->type[next + 1] == scan->type[next] &&
                    scan->color[next + 1] == scan->color[next];
        put_men(scan, &with, next + 1, like ? s + 1 : 0);
    }
}

/* Counts all positions in which the pawn that just moved two squares is on a given file, with a
 * capturer beside it. A position with a capturer on either side must count once: capturers to the
 * left count only if there is none to the right. */
static void scan_file(Scan *scan, const Material *m, int turn, int file)
{
    int rank = turn == TREB_WHITE ? 4 : 3;
    treb_position pos = {.turn = (uint8_t)turn, .fullmove = 1};
    position_put(&pos, !turn, TREB_PAWN, square_at(file, rank));
    pos.ep = (uint8_t)square_at(file, turn == TREB_WHITE ? 5 : 2);
    scan->men = 0;
    for (int color = 0; color < 2; color++)
        for (int type = TREB_PAWN; type <= TREB_KING; type++) {
            int count = m->count[color][type] - (type == TREB_PAWN && color != turn);
            for (int i = 0; i < count; i++) {
                scan->color[scan->men] = color;
                scan->type[scan->men++] = type;
            }
        }
    /* position_check at the end tests whether the capture is legal. Without a capturer it fails at
     * once. */
    put_men(scan, &pos, 0, 0);
}

static bool add_en_passant(const treb_tables *tables, const Material *m, Figures side[2])
{
    Scan scan = {.tables = tables, .side = side};
    for (int turn = 0; turn < 2; turn++)
        for (int file = 0; file < 8; file++) scan_file(&scan, m, turn, file);
    return !scan.failed;
}

static bool our_figures(const treb_tables *tables, const char *name, Figures side[2])
{
    treb_table_info info;
    treb_error error;
    Material m;
    if (!material_parse(name, &m) ||
        treb_tables_find(tables, name, TREB_DTM, &info, &error) != TREB_OK)
        return false;
    for (int s = 0; s < 2; s++) {
        const uint64_t *c = info.count[s];
        unsigned win = info.longest[s][TREB_WIN], cursed = info.longest[s][TREB_CURSED_WIN];
        side[s] = (Figures){c[TREB_WIN] + c[TREB_CURSED_WIN], c[TREB_DRAW],
                            c[TREB_LOSS] + c[TREB_BLESSED_LOSS], win > cursed ? win : cursed};
    }
    if (m.count[0][TREB_PAWN] && m.count[1][TREB_PAWN]) return add_en_passant(tables, &m, side);
    return true;
}

static bool parse_line(char *line, char **name, Figures side[2])
{
    char *field[8] = {NULL};
    int n = 0;
    for (char *f; n < 8 && (f = strsep(&line, "\t\n")) != NULL;) field[n++] = f;
    if (n < 5 || field[0][0] == '#' || strcmp(field[0], "table") == 0) return false;
    *name = field[0];
    for (int s = 0; s < 2; s++) {
        side[s].longest = (unsigned)atoi(field[1 + s]);
        if (sscanf(field[3 + s], "%llu/%llu/%llu", &side[s].win, &side[s].draw, &side[s].loss) != 3)
            return false;
    }
    return true;
}

static bool same(const Figures *a, const Figures *b)
{
    return a->win == b->win && a->draw == b->draw && a->loss == b->loss && a->longest == b->longest;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("Usage: counts TABLES le5.tsv\n", stderr);
        return 2;
    }
    const char *directory = argv[1];
    treb_error error;
    treb_tables *tables = treb_tables_open(&directory, 1, &error);
    FILE *file = fopen(argv[2], "r");
    if (tables == NULL || file == NULL) {
        fprintf(stderr, "cannot open %s\n", tables ? argv[2] : error.text);
        return 1;
    }
    char line[512], *name;
    Figures want[2], have[2];
    int equal = 0, different = 0, missing = 0;
    while (fgets(line, sizeof line, file)) {
        if (!parse_line(line, &name, want)) continue;
        if (!our_figures(tables, name, have)) {
            missing++;
            continue;
        }
        bool ok = same(&want[0], &have[0]) && same(&want[1], &have[1]);
        equal += ok;
        different += !ok;
        if (ok) continue;
        for (int s = 0; s < 2; s++)
            printf("%s %c: published %llu/%llu/%llu %u, here %llu/%llu/%llu %u\n", name, "wb"[s],
                   want[s].win, want[s].draw, want[s].loss, want[s].longest, have[s].win,
                   have[s].draw, have[s].loss, have[s].longest);
    }
    printf("%d tables equal, %d different, %d not here\n", equal, different, missing);
    fclose(file);
    treb_tables_close(tables);
    return different != 0;
}
