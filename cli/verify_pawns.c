/* verify_pawns.c - see verify_pawns.h. */
#include "cli/verify_pawns.h"
#include "pawns/check/blocked_file_check.h"
#include "pawns/check/pawn_file_check.h"

#include <unistd.h>

#include "cli/folders.h"
#include "cli/output.h"
#include "cli/pawn_file.h"
#include "cli/text.h"
#include "core/system/tool.h"
#include "pawns/solve/table_oracle.h"

treb_status verify_pawns(const CliDirs *dirs, treb_tables *tables, const char *name,
                         FileCheck *check)
{
    const bool solved = table_pawn_is_name(name, NULL);
    check->context = tables;
    if (tables != NULL) check->value = solved ? cli_pawn_file_value : table_oracle_value;
    char path[4400];
    for (size_t i = 0; i < dirs->count; i++) {
        snprintf(path, sizeof path, "%.4000s/%.223s", dirs->dir[i], name);
        if (tool_may(path, TOOL_EXISTS))
            return solved ? pawn_file_check(path, check) : blocked_file_check(path, check);
    }
    snprintf(check->text, sizeof check->text, "no such file");
    return TREB_ERR_NO_TABLE;
}

void verify_pawns_print(const char *name, treb_status status, const FileCheck *check,
                        double seconds, bool quiet)
{
    char placements[32], captures[32], compared[32];
    cli_format_count(check->placements, placements);
    cli_format_count(check->captures, captures);
    cli_format_count(check->compared, compared);
    if (status == TREB_OK && quiet) return;
    if (status == TREB_OK && table_pawn_is_name(name, NULL))
        printf("%s right: %s positions, %s moves into positions with tables; %.2f s\n", name,
               placements, compared, seconds);
    else if (status == TREB_OK)
        printf("%s right: %s placements, %s captures, %s of them checked with the tables; %.2f s\n",
               name, placements, captures, compared, seconds);
    else if (status == TREB_ERR_DAMAGED)
        printf("%s WRONG: %llu error%s; the first: %s\n", name, (unsigned long long)check->errors,
               check->errors == 1 ? "" : "s", check->text);
    else
        printf("%s not checked: %s\n", name, check->text);
}

json_t *verify_event(const char *event, const char *kind, const char *name, treb_status status)
{
    json_t *object = json_object();
    json_object_set_new(object, "event", json_string(event));
    json_object_set_new(object, kind, cli_json_text(name));
    json_object_set_new(object, "ok", json_boolean(status == TREB_OK));
    json_object_set_new(object, "checked",
                        json_boolean(status == TREB_OK || status == TREB_ERR_DAMAGED));
    return object;
}

void verify_pawns_json(const char *name, treb_status status, const FileCheck *check, double seconds)
{
    const bool solved = table_pawn_is_name(name, NULL);
    json_t *object = verify_event(solved ? "solved" : "ranks", "file", name, status);
    json_object_set_new(object, "placements", json_integer((json_int_t)check->placements));
    json_object_set_new(object, "captures", json_integer((json_int_t)check->captures));
    json_object_set_new(object, "compared", json_integer((json_int_t)check->compared));
    json_object_set_new(object, "errors", json_integer((json_int_t)check->errors));
    json_object_set_new(object, "seconds", cli_json_real(seconds, 3));
    json_object_set_new(object, "text", cli_json_text(check->text));
    cli_json_line("verify", object);
}
