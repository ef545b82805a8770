/* rule_html.c - see rule_html.h. */
#include "cli/rule_html.h"

#include <inttypes.h>

#include "core/chess/bitboard.h"
#include "core/chess/position.h"

static void put_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            putc(*text, out);
        }
}

void rule_html_head(FILE *out, const char *rule)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    put_text(out, rule);
    fputs(
        "</title>\n<style>\n"
        "body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 "
        "1rem; }\n"
        "table { border-collapse: collapse; } td, th { padding: .2rem .8rem; text-align: right; }\n"
        "td:first-child, th:first-child, .ground { text-align: left; }\n"
        "tr + tr { border-top: 1px solid #ccc; }\n"
        ".boards { display: flex; flex-wrap: wrap; gap: 1rem; } figure { margin: 0; }\n"
        ".board { display: grid; grid-template-columns: repeat(8, 1.5rem); width: max-content; border: 1px solid #666; }\n"
        ".board span { width: 1.5rem; height: 1.5rem; font-size: 1.25rem; line-height: 1.5rem; "
        "text-align: center; background: #f0d9b5; color: #000; }\n"
        ".board .d { background: #b58863; }\n"
        ".board .w { color: #fff; text-shadow: 0 0 1px #000, 0 0 2px #000; }\n"
        "figcaption { font-size: .85rem; } code { font-size: .7rem; }\n"
        "</style>\n<h1>",
        out);
    put_text(out, rule);
    fputs("</h1>\n", out);
}

/* Draws a board. Both colours use the filled shapes of the men. */
static void put_board(FILE *out, const treb_position *pos)
{
    static const char *const glyphs[TREB_TYPES] = {"&#9823;&#65038;", "&#9822;", "&#9821;",
                                                   "&#9820;",         "&#9819;", "&#9818;"};
    fputs("<div class=\"board\">", out);
    for (int rank = 7; rank >= 0; rank--)
        for (int file = 0; file < 8; file++) {
            int color = TREB_BLACK, type = position_piece_at(pos, square_at(file, rank), &color);
            fprintf(out, "<span class=\"%s%s\">%s</span>", (file + rank) % 2 ? "l" : "d",
                    type >= 0 && color == TREB_WHITE ? " w" : "", type >= 0 ? glyphs[type] : "");
        }
    fputs("</div>", out);
}

static void put_example(FILE *out, const RuleExample *example)
{
    static const char *const words[RULE_RESULTS] = {"loses", "draws", "wins"};
    char fen[TREB_FEN_SIZE];
    position_to_fen(&example->pos, fen);
    fputs("<figure>", out);
    put_board(out, &example->pos);
    fprintf(out, "<figcaption>%s to move %s<br><code>%s</code></figcaption></figure>\n",
            example->pos.turn == TREB_WHITE ? "White" : "Black", words[example->result], fen);
}

static void put_row(FILE *out, const RuleSaying *s)
{
    fprintf(out, "<tr><td>%s<td class=\"ground\">", rule_claim_text(s->claim));
    put_text(out, s->ground);
    fprintf(out, "<td>%" PRIu64 "<td>%" PRIu64 "<td>%" PRIu64 "<td>%" PRIu64 "<td>%" PRIu64 "\n",
            rule_saying_all(s), s->of[2], s->of[1], s->of[0], rule_saying_wrong(s));
}

void rule_html_material(FILE *out, const char *material, const RuleReport *report)
{
    static const char *const headings[RULE_CLAIMS] = {"",
                                                      "Said to be won, but are not",
                                                      "Said to be drawn, but are not",
                                                      "Said to be lost, but are not",
                                                      "Said not to be won, but are",
                                                      "Said not to be lost, but are",
                                                      "",
                                                      "Where the statement is false"};
    fprintf(out, "<h2>%s</h2>\n<p>The rule applies to %" PRIu64 " of %" PRIu64 " positions.\n",
            material, report->looked - report->silent, report->looked);
    fputs("<table>\n<tr><th>verdict<th class=\"ground\">reason<th>positions<th>wins"
          "<th>draws<th>losses<th>wrong\n",
          out);
    for (size_t i = 0; i < report->sayings; i++) put_row(out, &report->saying[i]);
    fputs("</table>\n", out);
    for (size_t i = 0; i < report->sayings; i++) {
        const RuleSaying *s = &report->saying[i];
        if (s->shown == 0) continue;
        fprintf(out, "<h3>%s", headings[s->claim]);
        if (s->ground[0] != '\0') fputs(": ", out);
        put_text(out, s->ground);
        fputs("</h3>\n<div class=\"boards\">\n", out);
        for (size_t e = 0; e < s->shown; e++) put_example(out, &s->wrong[e]);
        fputs("</div>\n", out);
    }
}

void rule_html_end(FILE *out) { fputs("</html>\n", out); }
