/* rule_html.h - the results of testing a rule, as an HTML page with boards in one file. */
#ifndef TREB_CLI_RULE_HTML_H
#define TREB_CLI_RULE_HTML_H

#include <stdio.h>

#include "find/rule.h"

void rule_html_head(FILE *out, const char *rule);
void rule_html_material(FILE *out, const char *material, const RuleReport *report);
void rule_html_end(FILE *out);

#endif
