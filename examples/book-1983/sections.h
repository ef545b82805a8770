/* sections.h - the sections of the report. Each function writes one. */
#ifndef TREB_EXAMPLES_BOOK_1983_SECTIONS_H
#define TREB_EXAMPLES_BOOK_1983_SECTIONS_H

#include "examples/book-1983/report.h"

void report_blocked(Report *report);
void report_rooks(Report *report);
void report_queens(Report *report);
void report_small(Report *report);
void report_engine(Report *report);

#endif
