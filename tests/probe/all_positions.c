/* all_positions.c - asks the library for all positions of some endings, or for each STEP-th, and prints a sum of the
 * answers for each metric: all_positions STEP MATERIAL... Standard input is the places of the tables, as UTF-8, separated
 * as in TREBUCHET_PATH. MATERIAL/b asks for Black to move only. Clocks go from 0 to 100. The sums are the same on every
 * system. It uses the public header only. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trebuchet.h"

enum { MEN_MAX = 4, SUMS = TREB_METRICS + 1 /* DTM50 is the last */ };

typedef struct Walk {
    treb_tables *tables;
    int men, type[MEN_MAX], color[MEN_MAX];
    int first_turn;
    uint64_t step, seen, positions, refused, sum[SUMS];
} Walk;

static uint64_t mix(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 29;
}

static void ask(Walk *w, treb_position *pos)
{
    treb_error error;
    treb_wdl wdl;
    if (w->seen++ % w->step != 0) return;
    pos->halfmove = (uint16_t)(w->seen % 101);
    if (treb_probe_wdl(w->tables, pos, &wdl, &error) != TREB_OK) {
        if (error.status != TREB_ERR_POSITION) {
            printf("%s\n", error.text);
            exit(1);
        }
        w->refused++;
        return;
    }
    w->positions++;
    w->sum[0] = mix(w->sum[0], (uint64_t)(int64_t)wdl + 100);
    for (int metric = TREB_DTZ; metric < SUMS; metric++) {
        treb_distance distance;
        treb_status status =
            metric < TREB_METRICS ? treb_probe_distance(w->tables, pos, (treb_metric)metric, &distance, NULL)
                                  : treb_probe_dtm50(w->tables, pos, &distance, NULL);
        w->sum[metric] = mix(w->sum[metric], status == TREB_OK ? (uint64_t)distance.plies : 10000 + (uint64_t)status);
    }
}

static void place(Walk *w, treb_position *pos, int man)
{
    if (man == w->men) {
        for (int turn = w->first_turn; turn < 2; turn++) {
            pos->turn = (uint8_t)turn;
            ask(w, pos);
        }
        return;
    }
    for (int square = 0; square < 64; square++) {
        uint64_t bit = UINT64_C(1) << square;
        if ((pos->by_color[0] | pos->by_color[1]) & bit) continue;
        if (w->type[man] == TREB_PAWN && (square < 8 || square > 55)) continue;
        treb_position next = *pos;
        next.by_color[w->color[man]] |= bit;
        next.by_type[w->type[man]] |= bit;
        place(w, &next, man + 1);
    }
}

static int ask_all(treb_tables *tables, const char *material, uint64_t step)
{
    static const char letters[] = "PNBRQK";
    Walk w = {.tables = tables, .step = step, .first_turn = strchr(material, '/') != NULL};
    int color = TREB_WHITE;
    for (const char *at = material; *at != '\0' && *at != '/'; at++) {
        const char *letter = strchr(letters, *at);
        if (*at == 'v') {
            color = TREB_BLACK;
            continue;
        }
        if (letter == NULL || w.men == MEN_MAX) return 2;
        w.type[w.men] = (int)(letter - letters);
        w.color[w.men++] = color;
    }
    treb_position pos;
    memset(&pos, 0, sizeof pos);
    pos.fullmove = 1;
    place(&w, &pos, 0);
    printf("%s %" PRIu64 " positions, %" PRIu64 " refused:", material, w.positions, w.refused);
    for (int metric = 0; metric < SUMS; metric++) printf(" %016" PRIx64, w.sum[metric]);
    printf("\n");
    return 0;
}

int main(int argc, char **argv)
{
    const char *folders[16];
    char places[4096];
    size_t count = 0;
    treb_error error;
    if (argc < 3 || fgets(places, sizeof places, stdin) == NULL) return 2;
    places[strcspn(places, "\r\n")] = '\0';
    char *rest = places;
    for (char *folder; count < 16 && (folder = treb_next_place(&rest)) != NULL;) folders[count++] = folder;
    treb_tables *tables = treb_tables_open(folders, count, &error);
    if (tables == NULL) {
        printf("%s\n", error.text);
        return 1;
    }
    int result = 0;
    for (int i = 2; i < argc && result == 0; i++)
        result = ask_all(tables, argv[i], strtoull(argv[1], NULL, 10));
    treb_tables_close(tables);
    return result;
}
