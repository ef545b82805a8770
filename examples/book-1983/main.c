/* main.c - reproduce TABLES: compares the claims of the book of 1983 about solved endings with the
 * tables. Prints docs/reproduction.md. */
#include <stdio.h>

#include "examples/book-1983/sections.h"

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
    puts("# What the book of 1983 claims, and what Trebuchet finds\n\n"
         "The endgame chapter of Adelson-Velsky, Arlazarov, Bitman and Donskoy, *Машина играет в "
         "шахматы* (1983),\nreports on the first endings that were solved by computer. This page "
         "compares each of its claims with our tables.\n`make reproduce` writes this page; do not "
         "edit it by hand.\n\n"
         "DTC is the number of plies to the next capture, promotion or mate ([metrics.md]"
         "(metrics.md)). The book calls it *rank*,\nand counts it in moves for rook endings. Each "
         "item says whether Trebuchet *agrees* or *differs*; *noted* marks a claim\nthat cannot be "
         "compared, or a figure that the book does not give.");
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
