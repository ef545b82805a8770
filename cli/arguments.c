/* arguments.c - see arguments.h. */
#include "cli/arguments.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "core/chess/material.h"
#include "core/pgn/position_text.h"
#include "core/system/error.h"

/* Joins the words to one text, with spaces between. The caller frees it. Returns NULL if there are no words
 * or no memory. */
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

/* Explains what is wrong with a text that is not a FEN. A text without a board may be meant as an ending or,
 * for probe, as a file. */
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
        fail(error, TREB_ERR_FEN, "not a FEN%s: '%.150s'",
             strcmp(command, "probe") == 0 ? " and not a file" : ", because it has no board", text);
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
        code = cli_fail(command, &error);
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
    if (material_men(&material) > 2) return true;
    cli_error(command, "%s needs no table: it is always a draw", name);
    return false;
}

void cli_tell_exchange(const char *command, const char *text)
{
    Material given, canonical;
    char name[MATERIAL_NAME_SIZE];
    if (material_read(text, &given, NULL) != TREB_OK) return;
    canonical = given;
    material_canonical(&canonical);
    if (memcmp(given.count[TREB_WHITE], canonical.count[TREB_WHITE],
               sizeof given.count[TREB_WHITE]) == 0)
        return;
    material_name(&canonical, name);
    cli_warn(command, "%s is answered as %s, with colours exchanged: White has what %s gives Black",
             text, name, text);
}
