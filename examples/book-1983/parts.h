/* parts.h - the parts of the reproduction: each writes its sections of the report. */
#ifndef TREB_REPRODUCE_PARTS_H
#define TREB_REPRODUCE_PARTS_H

#include "examples/book-1983/report.h"

void report_blocked(Report *report);
void report_rooks(Report *report);
void report_queens(Report *report);
void report_small(Report *report);
void report_engine(Report *report);

#endif
