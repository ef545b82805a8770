/* report.h - writing the report: what the parts of the reproduction share. */
#ifndef TREB_REPRODUCE_REPORT_H
#define TREB_REPRODUCE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trebuchet.h"

typedef enum Agreement { AGREES, DIFFERS, NOTED } Agreement;

/* Counts of claims so far, for the end of the report. */
typedef struct Report {
    const treb_tables *tables;
    int agree, differ, noted;
} Report;

/* A heading, with the table of claims under it begun. */
void report_section(const char *title, const char *text);

/* One claim; printf-like for what was found. */
void report_claim(Report *report, const char *claim, Agreement agreement, const char *found, ...)
    __attribute__((format(printf, 4, 5)));

/* Ends the program with what went wrong. */
void report_give_up(const treb_error *error, const char *what);

/* The position of a FEN; exits if it is none. */
treb_position report_position(const char *fen);

/* What the tables say; exits with a message if they do not. */
treb_distance report_distance(const Report *report, const treb_position *pos, treb_metric metric);
treb_table_info report_info(const Report *report, const char *material, treb_metric metric);

/* All moves of a position, best first by `metric`, and one of them by its name. */
typedef struct Moves {
    treb_move move[TREB_MOVES_MAX];
    size_t count;
} Moves;

void report_moves(const Report *report, const char *fen, treb_metric metric, Moves *out);
const treb_move *moves_find(const Moves *moves, const char *san);

/* "won", "drawn" or "lost" for the one who makes the move, the 50-move rule left aside. */
const char *move_result(const treb_move *move);

/* How many of the moves win; and all of them with their DTC, as "Rh6+ (97), Kc7 (101)". */
int moves_winning(const Moves *moves);
void moves_list_winning(const Moves *moves, char *out, size_t size);

#endif
