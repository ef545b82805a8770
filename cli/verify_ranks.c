/* verify_ranks.c - see verify_ranks.h. */
#include "cli/verify_ranks.h"

#include <unistd.h>

#include "blocked/table_value.h"

treb_status verify_ranks(const CliDirs *dirs, treb_tables *tables, const char *name,
                         FileCheck *check)
{
    *check = (FileCheck){.value = tables != NULL ? table_value : NULL, .context = tables};
    char path[4400];
    for (size_t i = 0; i < dirs->count; i++) {
        snprintf(path, sizeof path, "%.4000s/%.223s", dirs->dir[i], name);
        if (access(path, F_OK) == 0) return blocked_check_file(path, check);
    }
    snprintf(check->text, sizeof check->text, "there is no such file");
    return TREB_ERR_NO_TABLE;
}

void verify_ranks_print(const char *name, treb_status status, const FileCheck *check,
                        double seconds, bool quiet)
{
    char placements[32], captures[32], compared[32];
    cli_format_count(check->placements, placements);
    cli_format_count(check->captures, captures);
    cli_format_count(check->compared, compared);
    if (status == TREB_OK && quiet) return;
    if (status == TREB_OK)
        printf("%s right: %s placements, %s captures, of which %s by the tables; %.2f s\n", name,
               placements, captures, compared, seconds);
    else if (status == TREB_ERR_DAMAGED)
        printf("%s WRONG: %llu error%s; the first: %s\n", name, (unsigned long long)check->errors,
               check->errors == 1 ? "" : "s", check->text);
    else
        printf("%s not checked: %s\n", name, check->text);
}

void verify_ranks_json(const char *name, treb_status status, const FileCheck *check, double seconds)
{
    printf("{\"event\":\"ranks\",\"file\":\"%s\",\"ok\":%s,\"checked\":%s,\"placements\":%llu,"
           "\"captures\":%llu,\"compared\":%llu,\"errors\":%llu,\"seconds\":%.3f,\"text\":",
           name, status == TREB_OK ? "true" : "false",
           status == TREB_OK || status == TREB_ERR_DAMAGED ? "true" : "false",
           (unsigned long long)check->placements, (unsigned long long)check->captures,
           (unsigned long long)check->compared, (unsigned long long)check->errors, seconds);
    cli_print_json_string(stdout, check->text);
    puts("}");
}
