/* verdicts.c - asks for verdicts again and again: verdicts ROUNDS FOLDER, with FENs on standard input. It is measured from
 * outside, by probe/bench_builds.py, as not all systems have a clock of processor time. With a negative number of rounds the
 * FEN is read each time as well. It uses the public header only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trebuchet.h>

enum { MOST = 4096 };

static char fen[MOST][TREB_FEN_SIZE];
static treb_position position[MOST];

int main(int argc, char **argv)
{
    const char *folder = argc == 3 ? argv[2] : NULL;
    treb_error error;
    treb_wdl wdl;
    char line[256];
    int count = 0, sum = 0;
    treb_tables *tables = argc == 3 ? treb_tables_open(&folder, 1, &error) : NULL;
    if (tables == NULL) return 2;
    while (count < MOST && fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (treb_position_from_fen(line, &position[count], NULL) != TREB_OK ||
            treb_probe_wdl(tables, &position[count], &wdl, NULL) != TREB_OK)
            continue;
        treb_position_to_fen(&position[count], fen[count]);
        count++;
    }
    const long rounds = strtol(argv[1], NULL, 10);
    for (long round = 0; round < labs(rounds); round++)
        for (int i = 0; i < count; i++) {
            if (rounds < 0 && treb_position_from_fen(fen[i], &position[i], NULL) != TREB_OK) return 1;
            if (treb_probe_wdl(tables, &position[i], &wdl, NULL) != TREB_OK) return 1;
            sum += wdl;
        }
    printf("%d %d\n", count, sum);
    treb_tables_close(tables);
    return 0;
}
