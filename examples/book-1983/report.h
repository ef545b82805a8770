/* report.h - writes the report, and the probes that all its sections use. A failed probe ends the program. */
#ifndef TREB_EXAMPLES_BOOK_1983_REPORT_H
#define TREB_EXAMPLES_BOOK_1983_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trebuchet.h"

typedef enum Agreement { AGREES, DIFFERS, NOTED } Agreement;

/* The tables, and how many claims were reported with each result. */
typedef struct Report {
    const treb_tables *tables;
    int agree, differ, noted;
} Report;

/* Prints a heading and a text under it. */
void report_section(const char *title, const char *text);

/* Prints a claim of the book, and what Trebuchet finds (`found`, printf-like). */
void report_claim(Report *report, const char *claim, Agreement agreement, const char *found, ...)
    __attribute__((format(printf, 4, 5)));

/* Prints an error about `what` and exits with 1. */
void report_give_up(const treb_error *error, const char *what);

/* Returns the position of a FEN. Exits if the FEN is not valid. */
treb_position report_position(const char *fen);

/* Ask the tables. They exit with a message if the table is missing. */
treb_distance report_distance(const Report *report, const treb_position *pos, treb_metric metric);
treb_table_info report_info(const Report *report, const char *material, treb_metric metric);

/* All legal moves of a position, best first by `metric`. */
typedef struct Moves {
    treb_move move[TREB_MOVES_MAX];
    size_t count;
} Moves;

void report_moves(const Report *report, const char *fen, treb_metric metric, Moves *out);

/* Returns the move with this name. Exits if there is none. */
const treb_move *moves_find(const Moves *moves, const char *san);

/* Returns "wins", "draws" or "loses" for the side that makes the move, without the 50-move rule. */
const char *move_result(const treb_move *move);

/* Returns the number of winning moves. */
int moves_winning(const Moves *moves);

/* Writes the winning moves with their DTC, as "Rh6+ (97), Kc7 (101)". */
void moves_list_winning(const Moves *moves, char *out, size_t size);

#endif
