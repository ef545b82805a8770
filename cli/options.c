/* options.c - see options.h. */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/folders.h"
#include "cli/guess.h"
#include "cli/output.h"
#include "cli/parse.h"
#include "cli/text.h"

enum {
    OPTIONS_MAX = 40,
    LONG = 256 /* added to a row's number: what getopt_long returns for it */
};

/* A table in the form that getopt_long takes. */
typedef struct Getopt {
    struct option list[OPTIONS_MAX + 1];
    char letters[2 * OPTIONS_MAX + 3];
} Getopt;

static bool is_end(const CliOption *row) { return row->name == NULL && row->help == NULL; }

/* ---- The help -------------------------------------------------------------------------------- */

enum { WIDTH = 79, LEFT_MOST = 24 };

/* Prints a text with its lines wrapped, from `column` on, later lines from `indent` on. */
static void print_wrapped(FILE *out, const char *text, int column, int indent)
{
    while (*text != '\0') {
        int length = (int)strcspn(text, " \n");
        if (length > 0 && column > indent && column + 1 + length > WIDTH) {
            putc('\n', out);
            column = 0;
        }
        if (length > 0) {
            int gap = column < indent ? indent - column : column > indent;
            column += fprintf(out, "%*s%.*s", gap, "", length, text);
        }
        text += length;
        if (*text == '\n') {
            putc('\n', out);
            column = 0;
        }
        text += *text != '\0';
    }
    putc('\n', out);
}

/* Writes "  -j, --threads N". */
static int write_left(const CliOption *row, char out[80])
{
    char letter[8] = "    ";
    if (row->letter != 0) snprintf(letter, sizeof letter, "-%c, ", row->letter);
    return snprintf(out, 80, "  %s--%s%s%s", letter, row->name, row->argument ? " " : "",
                    row->argument ? row->argument : "");
}

/* The column at which the descriptions begin. */
static int find_column(const CliOption *row)
{
    int most = 0;
    char left[80];
    for (; !is_end(row); row++) {
        int length = row->name != NULL && row->help != NULL ? write_left(row, left) : 0;
        if (length > most && length <= LEFT_MOST) most = length;
    }
    return most + 2;
}

static void print_options(FILE *out, const CliOption *row)
{
    const int column = find_column(row);
    char left[80];
    for (const CliOption *first = row; !is_end(row); row++) {
        if (row->help == NULL) continue;
        if (row->name == NULL) {
            fputs(row > first ? "\n" : "", out);
            print_wrapped(out, row->help, 0, 0);
            continue;
        }
        int length = write_left(row, left);
        fputs(left, out);
        if (length + 2 > column) {
            putc('\n', out);
            length = 0;
        }
        print_wrapped(out, row->help, length, column);
    }
}

void cli_print_help(FILE *out, const CliCommand *command)
{
    const char *line = command->synopsis;
    for (const char *before = "Usage: "; *line != '\0'; before = "       ") {
        int length = (int)strcspn(line, "\n");
        fprintf(out, "%s%.*s\n", before, length, line);
        line += length + (line[length] == '\n');
    }
    putc('\n', out);
    print_wrapped(out, command->about, 0, 0);
    putc('\n', out);
    print_options(out, command->options);
    putc('\n', out);
    print_wrapped(out, command->notes, 0, 0);
}

/* ---- Parsing --------------------------------------------------------------------------------- */

static void fill_getopt(const CliCommand *command, Getopt *g)
{
    int count = 0, value = LONG;
    /* The colon makes getopt_long return ':' for a missing value. It prints nothing itself. */
    char *letter = g->letters + sprintf(g->letters, "%s:", command->stop_at_words ? "+" : "");
    for (const CliOption *row = command->options; !is_end(row) && count < OPTIONS_MAX; row++) {
        if (row->name == NULL) continue;
        /* Two names of one option have one value: a word that begins both is then not ambiguous. */
        if (row->help != NULL) value = LONG + (int)(row - command->options);
        g->list[count++] = (struct option){row->name, row->argument != NULL, NULL, value};
        if (row->letter != 0)
            letter += sprintf(letter, "%c%s", row->letter, row->argument != NULL ? ":" : "");
    }
    g->list[count] = (struct option){0};
}

static const CliOption *find_row(const CliOption *row, int c)
{
    if (c >= LONG) return &row[c - LONG];
    while (!is_end(row) && row->letter != c) row++;
    return row;
}

/* Turns JSON on if --json is given, before anything can go wrong with the other options. getopt_long
 * also accepts the beginning of a name. */
static void find_json(const CliCommand *command, int argc, char **argv)
{
    bool known = false;
    for (const CliOption *row = command->options; !is_end(row); row++)
        known |= row->set == cli_set_json;
    for (int i = 1; known && i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strlen(argv[i]) > 2 && strncmp(argv[i], "--json-log", strlen(argv[i])) == 0)
            cli_json_mode();
}

/* Reports a long option that does not exist or is ambiguous, and the name that may be meant. */
static void complain_of_name(const char *command, const struct option *list, const char *word)
{
    const char *names[OPTIONS_MAX];
    char name[32];
    size_t count = 0, matches = 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (; list[count].name != NULL; count++) {
        names[count] = list[count].name;
        matches += strncmp(names[count], name, strlen(name)) == 0;
    }
    const char *meant = guess_word(name, names, count);
    if (matches > 1)
        cli_error(command, "'%s' is short for more than one option", word);
    else if (meant != NULL)
        cli_error(command, "there is no option '%s'; did you mean '--%s'?", word, meant);
    else
        cli_error(command, "there is no option '%s'", word);
}

/* Reports what getopt_long did not accept when it returned `c`, '?' or ':'. */
static int complain(const CliCommand *command, const Getopt *g, int c, char **argv)
{
    const char *word = argv[optind - 1];
    bool is_long = strncmp(word, "--", 2) == 0;
    /* In a group of letters, "-zq", optind has not moved past the word yet when getopt stops at z:
     * `word` is then the one before. */
    bool letter =
        c == '?' && optopt > ' ' && optopt <= '~' && is_end(find_row(command->options, optopt));
    if (letter)
        cli_error(command->name, "there is no option '-%c'", optopt);
    else if (c == ':')
        cli_error(command->name, "%s takes a value", word);
    else if (is_long && optopt != 0)
        cli_error(command->name, "'%s': this option takes no value", word);
    else if (is_long)
        complain_of_name(command->name, g->list, word);
    else
        cli_error(command->name, "there is no option '-%c'", optopt);
    return cli_usage(command->name);
}

int cli_options(const CliCommand *command, void *args, int argc, char **argv)
{
    Getopt g;
    fill_getopt(command, &g);
    find_json(command, argc, argv);
    optind = 1;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, g.letters, g.list, NULL)) != -1;) {
        if (c == '?' || c == ':') return complain(command, &g, c, argv);
        const CliOption *row = find_row(command->options, c);
        if (row->set == NULL) {
            cli_print_help(stdout, command);
            return CLI_OK;
        }
        if (!row->set(command->name, row, (char *)args + row->offset, optarg))
            return cli_usage(command->name);
    }
    return -1;
}

/* ---- Setters --------------------------------------------------------------------------------- */

int cli_choose(const char *command, const char *option, const char *value,
               const char *const *words)
{
    char list[80] = "";
    size_t length = 0;
    for (int i = 0; words[i] != NULL; i++) {
        if (strcasecmp(value, words[i]) == 0) return i;
        const char *between = i == 0 ? "" : words[i + 1] != NULL ? ", " : " or ";
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", between, words[i]);
    }
    cli_error(command, "--%s takes %s, not '%s'", option, list, value);
    return -1;
}

bool cli_set_flag(const char *command, const CliOption *option, void *to, const char *value)
{
    (void)command, (void)option, (void)value;
    return *(bool *)to = true;
}

bool cli_set_text(const char *command, const CliOption *option, void *to, const char *value)
{
    (void)command, (void)option;
    *(const char **)to = value;
    return true;
}

bool cli_set_number(const char *command, const CliOption *option, void *to, const char *value)
{
    if (cli_parse_number(value, option->least, option->most, to)) return true;
    cli_error(command, "--%s takes a number from %llu to %llu, not '%s'", option->name,
              (unsigned long long)option->least, (unsigned long long)option->most, value);
    return false;
}

bool cli_set_unsigned(const char *command, const CliOption *option, void *to, const char *value)
{
    uint64_t number;
    if (!cli_set_number(command, option, &number, value)) return false;
    *(unsigned *)to = (unsigned)number;
    return true;
}

bool cli_set_size(const char *command, const CliOption *option, void *to, const char *value)
{
    char least[16], most[16];
    uint64_t *size = to;
    if (cli_parse_size(value, size) && *size >= option->least &&
        (option->most == 0 || *size <= option->most))
        return true;
    cli_format_size(option->least, least);
    cli_format_size(option->most, most);
    if (option->most == 0)
        cli_error(command, "--%s takes a size such as 900M or 2GiB, not '%s'", option->name, value);
    else
        cli_error(command, "--%s takes a size such as 512MiB, from %s to %s, not '%s'",
                  option->name, least, most, value);
    return false;
}

bool cli_set_bits(const char *command, const CliOption *option, void *to, const char *value)
{
    (void)command, (void)value;
    *(unsigned *)to |= (unsigned)option->least;
    return true;
}

bool cli_set_distance(const char *command, const CliOption *option, void *to, const char *value)
{
    static const char *const names[] = {"dtm", "dtm50", "dtc", "dtz", NULL};
    static const treb_metric metrics[] = {TREB_DTM, TREB_DTM50, TREB_DTC, TREB_DTZ};
    const int i = cli_choose(command, option->name, value, names);
    if (i >= 0) *(treb_metric *)to = metrics[i];
    return i >= 0;
}

bool cli_set_turn(const char *command, const CliOption *option, void *to, const char *value)
{
    bool white = strcmp(value, "white") == 0 || strcmp(value, "w") == 0;
    bool black = strcmp(value, "black") == 0 || strcmp(value, "b") == 0;
    *(int *)to = black ? TREB_BLACK : TREB_WHITE;
    if (!white && !black) cli_error(command, "--%s takes white or black", option->name);
    return white || black;
}

bool cli_set_dirs(const char *command, const CliOption *option, void *to, const char *value)
{
    (void)option;
    if (cli_dirs_add(to, value)) return true;
    cli_error(command, "too many folders");
    return false;
}

bool cli_set_json(const char *command, const CliOption *option, void *to, const char *value)
{
    (void)command, (void)option, (void)to, (void)value;
    cli_json_mode();
    return true;
}
