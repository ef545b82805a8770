/* common.c - what the commands that ask tables share: folders, failures, FENs, the terminal. */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/material.h"
#include "core/position.h"
#include "core/table.h"

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

treb_metric cli_one_metric(const char *text)
{
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        if (strcasecmp(text, treb_metric_text((treb_metric)m)) == 0) return (treb_metric)m;
    return TREB_WDL;
}

/* The words of a command line as one text, underscores as spaces. NULL if there are none, or no
 * memory. The caller frees it. */
static char *join_words(int count, char **words)
{
    size_t size = 1;
    for (int i = 0; i < count; i++) size += strlen(words[i]) + 1;
    char *text = count > 0 ? malloc(size) : NULL;
    if (text == NULL) return NULL;
    char *end = text;
    for (int i = 0; i < count; i++) end += sprintf(end, i ? " %s" : "%s", words[i]);
    for (char *c = text; *c; c++)
        if (*c == '_') *c = ' ';
    return text;
}

int cli_usage(const char *command)
{
    fprintf(stderr, "Try 'trebuchet %s --help'.\n", command);
    return CLI_USAGE;
}

int cli_finish(const char *command, int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    cli_error(command, "cannot write the output: %s", strerror(errno));
    return CLI_FAILED;
}

/* ---- Tables and positions -------------------------------------------------------------------- */

treb_tables *cli_open_tables(const char *command, CliDirs *dirs)
{
    treb_error error;
    bool named = dirs->count > 0 || getenv("TREBUCHET_PATH") != NULL;
    cli_dirs_default(dirs);
    /* Nobody asked for ./tables, so it need not be there. */
    size_t count = !named && access(dirs->dir[0], F_OK) != 0 ? 0 : dirs->count;
    treb_tables *tables = treb_tables_open(dirs->dir, count, &error);
    if (tables == NULL) cli_error(command, "%s", error.text);
    return tables;
}

bool cli_make_folder(const char *command, const char *path)
{
    if (mkdir(path, 0777) == 0) return true;
    struct stat info;
    if (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        table_remove_stale(path);
        return true;
    }
    if (errno == EEXIST) errno = ENOTDIR;
    cli_error(command, "cannot make the folder %s: %s", path, strerror(errno));
    return false;
}

int cli_status_code(treb_status status)
{
    switch (status) {
    case TREB_OK:
        return CLI_OK;
    case TREB_ERR_FEN:
    case TREB_ERR_POSITION:
        return CLI_USAGE;
    case TREB_ERR_CASTLING:
    case TREB_ERR_MEN:
    case TREB_ERR_NO_TABLE:
        return CLI_NO_TABLE;
    default:
        return CLI_FAILED;
    }
}

int cli_fail(const char *command, const treb_error *error, const CliDirs *dirs)
{
    cli_error(command, "%s", error->text);
    if (error->status == TREB_ERR_NO_TABLE && dirs != NULL) {
        fputs("Looked in:", stderr);
        for (size_t i = 0; i < dirs->count; i++) fprintf(stderr, " %s", dirs->dir[i]);
        fputs("\n--tables DIR names another folder; 'trebuchet gen' makes tables.\n", stderr);
    }
    return cli_status_code(error->status);
}

int cli_read_fen(const char *command, int count, char **words, treb_position *out)
{
    treb_error error;
    char *fen = join_words(count, words);
    if (fen == NULL) {
        cli_error(command, "give a position as a FEN, such as '8/8/8/8/8/2k5/1q6/K7 w - - 0 1'");
        return cli_usage(command);
    }
    treb_status status = treb_position_from_fen(fen, out, &error);
    if (status != TREB_OK)
        cli_error(command, "%s: %s: '%s'", treb_status_text(status), error.text, fen);
    free(fen);
    return cli_status_code(status);
}

bool cli_read_material(const char *command, const char *text, char name[MATERIAL_NAME_SIZE])
{
    Material material;
    if (!material_parse(text, &material)) {
        cli_error(command, "'%s' is no material: write it as KRPvKR", text);
        return false;
    }
    material_canonical(&material);
    material_name(&material, name);
    return true;
}

/* ---- The board ------------------------------------------------------------------------------- */

void cli_print_board(const treb_position *pos)
{
    static const char letters[2][TREB_TYPES + 1] = {"PNBRQK", "pnbrqk"};
    for (int rank = 7; rank >= 0; rank--) {
        printf("  %d ", rank + 1);
        for (int file = 0; file < 8; file++) {
            int color = 0, type = position_piece_at(pos, 8 * rank + file, &color);
            printf(" %c", type < 0 ? '.' : letters[color][type]);
        }
        putchar('\n');
    }
    printf("     a b c d e f g h     %s to move", pos->turn == TREB_WHITE ? "White" : "Black");
    if (pos->ep) printf(", en passant on %c%d", 'a' + pos->ep % 8, 1 + pos->ep / 8);
    if (pos->halfmove) printf(", 50-move clock at %d plies", pos->halfmove);
    puts("\n");
}

/* ---- The terminal ---------------------------------------------------------------------------- */

int cli_columns(void)
{
    struct winsize size;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    uint64_t number;
    if (columns != NULL && cli_parse_number(columns, 20, 1000, &number)) return (int)number;
    return 80;
}

bool cli_utf8(void)
{
    setlocale(LC_CTYPE, "");
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
