/* options.c - see options.h. */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/guess.h"
#include "cli/json.h"
#include "core/system/error.h"
#include "core/format/table.h"
#include "core/pgn/position_text.h"

/* ---- Options --------------------------------------------------------------------------------- */

/* Whether a word stands for --json or --json-log: getopt takes the beginning of a name, too. */
static bool means_json(const char *word)
{
    return strlen(word) > 2 && strncmp(word, "--json-log", strlen(word)) == 0;
}

/* Whether JSON is asked for, before anything can go wrong with the other options. */
static void find_json(const CliOptions *o, int argc, char **argv)
{
    bool known = false;
    for (const struct option *row = o->options; row->name != NULL; row++)
        known |= row->val == CLI_OPTION_JSON;
    for (int i = 1; known && i < argc && strcmp(argv[i], "--") != 0; i++)
        if (means_json(argv[i])) cli_json_mode();
}

/* Tells of a long option that is none, or the beginning of several, and of what may be meant. */
static void complain_of_name(const char *command, const struct option *options, const char *word)
{
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX];
    char name[32];
    size_t count = 0, begin_so = 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (; count < NAMES_MAX && options[count].name != NULL; count++) {
        names[count] = options[count].name;
        begin_so += strncmp(names[count], name, strlen(name)) == 0;
    }
    const char *meant = guess_word(name, names, count);
    if (begin_so > 1)
        cli_error(command, "'%s' is short for more than one option", word);
    else if (meant != NULL)
        cli_error(command, "there is no option '%s'; did you mean '--%s'?", word, meant);
    else
        cli_error(command, "there is no option '%s'", word);
}

/* Whether getopt has stopped at a letter that is no option. Within several, "-zq", it has not come to
 * the next word then: the one before `optind` is another. */
static bool is_wrong_letter(const struct option *options, int c)
{
    if (c != '?' || optopt <= ' ' || optopt > '~') return false;
    while (options->name != NULL && options->val != optopt) options++;
    return options->name == NULL;
}

int cli_options_complain(const char *command, const struct option *options, int c, char **argv)
{
    const char *word = argv[optind - 1];
    bool is_long = strncmp(word, "--", 2) == 0;
    if (is_wrong_letter(options, c))
        cli_error(command, "there is no option '-%c'", optopt);
    else if (c == ':')
        cli_error(command, "%s takes a value", word);
    else if (is_long && optopt != 0)
        cli_error(command, "'%s': this option takes no value", word);
    else if (is_long)
        complain_of_name(command, options, word);
    else
        cli_error(command, "there is no option '-%c'", optopt);
    return cli_usage(command);
}

int cli_options(const CliOptions *o, void *args, int argc, char **argv)
{
    char letters[64];
    bool plus = o->letters[0] == '+';
    /* The colon: the messages are ours. */
    snprintf(letters, sizeof letters, "%s:%s", plus ? "+" : "", o->letters + plus);
    find_json(o, argc, argv);
    optind = 1;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, letters, o->options, NULL)) != -1;) {
        if (c == '?' || c == ':') return cli_options_complain(o->command, o->options, c, argv);
        if (c == 'h') {
            fputs(o->usage, stdout);
            return CLI_OK;
        }
        if (c == CLI_OPTION_JSON) {
            cli_json_mode();
        } else if (c == 't' && o->dirs != NULL) {
            if (cli_dirs_add(o->dirs, optarg)) continue;
            cli_error(o->command, "too many folders");
            return cli_usage(o->command);
        } else if (!o->set(args, c, optarg)) {
            return cli_usage(o->command);
        }
    }
    return -1;
}

bool cli_set_metric(const char *command, const char *value, treb_metric *out)
{
    *out = cli_one_metric(value);
    if (*out == TREB_WDL) cli_error(command, "--metric takes dtm, dtc or dtz, not '%s'", value);
    return *out != TREB_WDL;
}

bool cli_set_turn(const char *command, const char *value, int *out)
{
    bool white = strcmp(value, "white") == 0 || strcmp(value, "w") == 0;
    bool black = strcmp(value, "black") == 0 || strcmp(value, "b") == 0;
    *out = black ? TREB_BLACK : TREB_WHITE;
    if (!white && !black) cli_error(command, "--turn takes white or black");
    return white || black;
}

bool cli_set_number(const char *command, const char *option, const char *value, uint64_t least,
                    uint64_t most, uint64_t *out)
{
    if (cli_parse_number(value, least, most, out)) return true;
    cli_error(command, "%s takes a number from %llu to %llu, not '%s'", option,
              (unsigned long long)least, (unsigned long long)most, value);
    return false;
}

bool cli_set_size(const char *command, const char *option, const char *value, uint64_t least,
                  uint64_t *out)
{
    if (cli_parse_size(value, out) && *out >= least) return true;
    cli_error(command, "%s takes a size such as 900M or 2GiB, not '%s'", option, value);
    return false;
}

/* ---- Words ----------------------------------------------------------------------------------- */

bool cli_parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
    char *end;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*end || errno || value < least || value > most) return false;
    *out = value;
    return true;
}

bool cli_parse_size(const char *text, uint64_t *out)
{
    static const char units[] = "KMGT";
    char *end;
    double value = strtod(text, &end);
    if (end == text || !(value >= 0)) return false;
    if (*end) {
        char upper = *end & ~0x20;
        const char *unit = strchr(units, upper);
        if (unit != NULL && upper != '\0') {
            value = ldexp(value, 10 * (int)(unit - units + 1));
            end++;
        }
        if (strcasecmp(end, "iB") != 0 && strcasecmp(end, "B") != 0 && *end) return false;
    }
    if (value >= 0x1p63) return false;
    *out = (uint64_t)value;
    return true;
}

unsigned cli_parse_metrics(const char *text)
{
    unsigned mask = 0;
    if (strcmp(text, "all") == 0) return (1u << TREB_METRICS) - 1;
    while (*text) {
        size_t length = strcspn(text, ",");
        int m = 0;
        while (m < TREB_METRICS && !(strlen(table_metric_name(m)) == length &&
                                     strncasecmp(table_metric_name(m), text, length) == 0))
            m++;
        if (m == TREB_METRICS) return 0;
        mask |= 1u << m;
        text += length;
        if (*text == ',') text++;
    }
    return mask;
}

treb_metric cli_one_metric(const char *text)
{
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        if (strcasecmp(text, treb_metric_text((treb_metric)m)) == 0) return (treb_metric)m;
    return TREB_WDL;
}

/* The words of a command line as one text. NULL if there are none, or no memory. The caller frees
 * it. */
static char *join_words(int count, char **words)
{
    size_t size = 1;
    for (int i = 0; i < count; i++) size += strlen(words[i]) + 1;
    char *text = count > 0 ? malloc(size) : NULL;
    if (text == NULL) return NULL;
    char *end = text;
    for (int i = 0; i < count; i++) end += sprintf(end, i ? " %s" : "%s", words[i]);
    return text;
}

/* Says what is wrong with a text that is no FEN. Where there is no board at all an ending was meant,
 * or, of the one command that takes them, a file. */
static void explain_fen(const char *command, const char *text, const treb_error *why,
                        treb_error *error)
{
    const bool one_word = text[strcspn(text, "/_ \t")] == '\0';
    Material material;
    treb_error other;
    char name[MATERIAL_NAME_SIZE];
    if (material_read(text, &material, &other) == TREB_OK) {
        material_canonical(&material);
        material_name(&material, name);
        fail(error, TREB_ERR_FEN,
             "'%.100s' is an ending, not a position: 'trebuchet stats %s' counts it, "
             "'trebuchet find %s' lists its positions",
             text, name, name);
    } else if (cli_like_material(text)) {
        fail(error, TREB_ERR_FEN, "not a FEN, and %s", other.text);
    } else if (one_word) {
        fail(error, TREB_ERR_FEN, "not a FEN, %s: '%.150s'",
             strcmp(command, "probe") == 0 ? "nor a file here" : "as it has no board", text);
    } else {
        fail(error, why->status, "%s: %.300s: '%.150s'", treb_status_text(why->status), why->text,
             text);
    }
}

int cli_read_fen(const char *command, int count, char **words, treb_position *out)
{
    treb_error error, why;
    PositionText read;
    char *fen = join_words(count, words);
    if (fen == NULL) {
        cli_error(command, "give a position as a FEN, such as '8/8/8/8/8/2k5/1q6/K7 w - - 0 1'");
        return cli_usage(command);
    }
    int code = CLI_OK;
    if (position_text_read(fen, &read, &why) == TREB_OK) {
        *out = read.pos;
    } else {
        explain_fen(command, fen, &why, &error);
        code = cli_fail(command, &error, NULL);
        if (why.status == TREB_ERR_FEN)
            fputs("A FEN looks like '8/8/8/8/8/2k5/1q6/K7 w - - 0 1'.\n", stderr);
    }
    free(fen);
    return code;
}

bool cli_like_material(const char *text)
{
    const char *second = *text == 'k' || *text == 'K' ? strpbrk(text + 1, "kK") : NULL;
    for (const char *c = text; *c != '\0'; c++)
        if (!isalpha((unsigned char)*c) && strchr(" -_", *c) == NULL) return false;
    return second != NULL;
}

bool cli_read_material(const char *command, const char *text, char name[MATERIAL_NAME_SIZE])
{
    Material material;
    treb_error error;
    if (material_read(text, &material, &error) != TREB_OK) {
        cli_error(command, "%s", error.text);
        return false;
    }
    material_canonical(&material);
    material_name(&material, name);
    return true;
}
