/* main.c - reproduce TABLES: what the book of 1983 reports about computer-solved endings, claim by
 * claim, and what Trebuchet finds. Prints docs/reproduction.md. */
#include <stdio.h>

#include "examples/book-1983/parts.h"

int main(int argc, char **argv)
{
    treb_error error;
    if (argc != 2) {
        fprintf(stderr, "usage: %s TABLES\n", argv[0]);
        return 2;
    }
    const char *directory = argv[1];
    treb_tables *tables = treb_tables_open(&directory, 1, &error);
    if (tables == NULL) report_give_up(&error, directory);
    treb_tables_set_memory(tables, UINT64_C(512) << 20);
    Report report = {.tables = tables};
    puts(
        "# What the book reports, and what Trebuchet finds\n\n"
        "The endgame chapter of Adelson-Velsky, Arlazarov, Bitman and Donskoy, *Машина играет в "
        "шахматы* (1983),\nreports the first endings that were solved by computer. This page goes "
        "through what it claims. It is made by\n`make reproduce`, never by hand.\n\n"
        "DTC is the plies to the next capture, promotion or mate (`metrics.md`). The book's *rank* "
        "is the same; for rook\nendings it counts moves. \"noted\" marks what cannot be compared "
        "with a figure of the book, or was left out there.");
    report_blocked(&report);
    report_rooks(&report);
    report_queens(&report);
    report_small(&report);
    report_engine(&report);
    printf("\n%d claims agree, %d differ, %d are noted.\n", report.agree, report.differ,
           report.noted);
    treb_tables_close(tables);
    return 0;
}
