/* answers.c - what a set of tables answers, in a line for each ending: answers STEP FOLDER...
 *
 * Uses the public header only, so that the library may have been built in any way, for any system.
 * Some parts of each ending are visited, and every STEP-th position of them is asked for its verdict,
 * its distances and its moves. All that comes back goes into a sum: two builds that print the same
 * give the same answers. A file that cannot be read has a line with its status. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trebuchet.h>

enum { PARTS = 1024 };

typedef struct Answers {
    const treb_tables *tables;
    unsigned long step;
    uint64_t seen, asked, sum;
} Answers;

static void add(Answers *answers, int64_t value)
{
    uint64_t x = (uint64_t)value;
    for (int i = 0; i < 8; i++)
        answers->sum = (answers->sum ^ (x >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
}

static void add_text(Answers *answers, const char *text)
{
    while (*text != '\0') add(answers, *text++);
}

static void add_moves(Answers *answers, const treb_position *pos)
{
    static treb_move moves[TREB_MOVES_MAX];
    size_t count = 0;
    add(answers, treb_probe_moves(answers->tables, pos, TREB_DTM, TREB_RULE_50, moves,
                                  TREB_MOVES_MAX, &count, NULL));
    for (size_t i = 0; i < count; i++) {
        add_text(answers, moves[i].san);
        add(answers, moves[i].value.rule);
        for (int m = 0; m < TREB_METRICS; m++) {
            add(answers, moves[i].value.status[m]);
            if (moves[i].value.status[m] == TREB_OK) add(answers, moves[i].value.plies[m]);
        }
    }
}

static int ask(void *context, const treb_position *pos)
{
    Answers *answers = (Answers *)context;
    if (answers->seen++ % answers->step != 0) return 1;
    treb_wdl wdl = TREB_DRAW;
    treb_position again;
    char fen[TREB_FEN_SIZE];
    treb_position_to_fen(pos, fen);
    if (treb_position_from_fen(fen, &again, NULL) != TREB_OK ||
        again.by_color[0] != pos->by_color[0])
        exit(1);
    add(answers, treb_probe_wdl(answers->tables, pos, &wdl, NULL));
    add(answers, wdl);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        treb_distance d = {TREB_DRAW, 0, 0};
        add(answers, treb_probe_distance(answers->tables, pos, (treb_metric)m, &d, NULL));
        add(answers, d.plies);
        add(answers, d.rounded);
    }
    add_moves(answers, pos);
    answers->asked++;
    return 1;
}

int main(int argc, char **argv)
{
    treb_error error;
    if (argc < 3) return 2;
    treb_tables *tables = treb_tables_open((const char *const *)argv + 2, (size_t)argc - 2, &error);
    if (tables == NULL) return fprintf(stderr, "%s\n", error.text), 1;
    for (size_t i = 0; i < treb_tables_count(tables); i++) {
        Answers answers = {tables, strtoul(argv[1], NULL, 10), 0, 0, UINT64_C(0xcbf29ce484222325)};
        treb_table_info info;
        treb_status status = treb_tables_info(tables, i, &info, &error);
        if (status != TREB_OK)
            printf("%s.%s status %d\n", info.material, treb_metric_text(info.metric), (int)status);
        if (status != TREB_OK || info.metric != TREB_WDL) continue;
        for (uint64_t part = 0; part < PARTS; part += PARTS / 16)
            if (treb_each_position(tables, info.material, part, PARTS, ask, &answers, &error) !=
                TREB_OK)
                return fprintf(stderr, "%s\n", error.text), 1;
        printf("%s %" PRIu64 " %016" PRIx64 "\n", info.material, answers.asked, answers.sum);
    }
    treb_tables_close(tables);
    return 0;
}
