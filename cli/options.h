/* options.h - the options of a subcommand, described by one table.
 *
 * Each subcommand has a table of CliOption rows. cli_options parses the command line by it, and --help
 * prints it. docs/completion/trebuchet.bash reads the output of --help, and a test compares it with
 * the manual pages. So an option is described in two places: its row and the manual page. */
#ifndef TREB_CLI_OPTIONS_H
#define TREB_CLI_OPTIONS_H

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/folders.h"

typedef struct CliOption CliOption;

/* Takes the value of an option (NULL if the option has none) and stores it at `to`, which is the
 * address of the arguments plus the row's offset. Returns false after reporting what is wrong. */
typedef bool CliSetter(const char *command, const CliOption *option, void *to, const char *value);

/* One row. The members from `set` to `most` come from the macros below. */
struct CliOption {
    const char *name;     /* long name without its dashes; NULL: `help` is a line between options */
    char letter;          /* short name, or 0 */
    const char *argument; /* name of the value in the help; NULL: the option takes no value */
    CliSetter *set;       /* NULL: prints the help */
    size_t offset;        /* of the member that the option sets */
    uint64_t least, most; /* bounds of a number or size (most 0: none), or a constant */
    const char *help;     /* NULL: another name of the row before, not shown */
};

typedef struct CliCommand {
    const char *name;         /* "find" */
    const char *synopsis;     /* "trebuchet find [options] ...", one line for each form */
    const char *about;        /* help before the options: paragraphs, wrapped when printed */
    const CliOption *options; /* ends with CLI_OPTIONS_END */
    const char *notes;        /* help after the options */
    bool stop_at_words; /* everything after the first word that is not an option is left alone */
} CliCommand;

/* Reads the options into `args`. Returns -1 if the command goes on with the words from argv[optind]
 * on; otherwise the exit code, after printing the help or what is wrong. */
int cli_options(const CliCommand *command, void *args, int argc, char **argv);

/* Prints the help. */
void cli_print_help(FILE *out, const CliCommand *command);

/* ---- Rows ------------------------------------------------------------------------------------ */

/* What an option sets: a member of the struct `type`, whose type is checked. */
#define CLI_MEMBER(type, member, is)                                                               \
    offsetof(type, member) + 0 * sizeof(_Generic(&((type *)NULL)->member, is * : 0))

#define CLI_FLAG(type, member) cli_set_flag, CLI_MEMBER(type, member, bool), 0, 0
#define CLI_TEXT(type, member) cli_set_text, CLI_MEMBER(type, member, const char *), 0, 0
#define CLI_NUMBER(type, member, least, most)                                                      \
    cli_set_number, CLI_MEMBER(type, member, uint64_t), least, most
#define CLI_UNSIGNED(type, member, least, most)                                                    \
    cli_set_unsigned, CLI_MEMBER(type, member, unsigned), least, most
#define CLI_SIZE(type, member, least, most)                                                        \
    cli_set_size, CLI_MEMBER(type, member, uint64_t), least, most
#define CLI_BITS(type, member, bits) cli_set_bits, CLI_MEMBER(type, member, unsigned), bits, 0
#define CLI_DISTANCE(type, member) cli_set_distance, CLI_MEMBER(type, member, treb_metric), 0, 0
#define CLI_TURN(type, member) cli_set_turn, CLI_MEMBER(type, member, int), 0, 0
#define CLI_DIRS(type, member) cli_set_dirs, CLI_MEMBER(type, member, CliDirs), 0, 0
#define CLI_OWN(set) set, 0, 0, 0 /* the setter gets the whole struct */

/* Whole rows. */
/* clang-format off */
#define CLI_HEADING(text) {NULL, 0, NULL, NULL, 0, 0, 0, text}
#define CLI_OPTION_JSON(help) {"json", 0, NULL, cli_set_json, 0, 0, 0, help}
#define CLI_OPTION_JSON_LOG {"json-log", 0, NULL, cli_set_json, 0, 0, 0, NULL}
#define CLI_OPTION_TABLES(type, member) \
    {"tables", 't', "DIR", CLI_DIRS(type, member), "look for tables in DIR, or DIR:DIR...; may be given several times"}
#define CLI_OPTION_QUIET(type, member) {"quiet", 'q', NULL, CLI_FLAG(type, member), "no progress"}
#define CLI_OPTION_HELP {"help", 'h', NULL, NULL, 0, 0, 0, "print this help"}
#define CLI_OPTIONS_END {NULL, 0, NULL, NULL, 0, 0, 0, NULL}
/* clang-format on */

/* ---- Setters --------------------------------------------------------------------------------- */

CliSetter cli_set_flag;     /* bool: true */
CliSetter cli_set_text;     /* const char *: the value itself */
CliSetter cli_set_number;   /* uint64_t from `least` to `most` */
CliSetter cli_set_unsigned; /* unsigned from `least` to `most` */
CliSetter cli_set_size;     /* uint64_t: bytes, from `least` to `most` */
CliSetter cli_set_bits;     /* unsigned: adds the bits of `least` */
CliSetter cli_set_distance; /* treb_metric: dtm, dtc or dtz */
CliSetter cli_set_turn;     /* int: the colour to move */
CliSetter cli_set_dirs;     /* CliDirs: adds a folder */
CliSetter cli_set_json;     /* turns JSON on; `to` is not used */

/* For setters of one of several words, a list that ends with NULL: returns the number of the word that
 * a value is, in capital letters or not. Returns -1 after reporting which words `option` takes. */
int cli_choose(const char *command, const char *option, const char *value,
               const char *const *words);

#endif
