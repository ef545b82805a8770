/* gen_words.h - the words of `trebuchet gen`, `export`, `plan` and `trebuchet-mpi gen`. */
#ifndef TREB_CLI_GEN_WORDS_H
#define TREB_CLI_GEN_WORDS_H

#include "cli/cli.h"
#include "gen/generate.h"

typedef struct GenArgs {
    const char *command; /* "gen" or "export" */
    GenerateOptions options;
    Material *material;
    size_t materials;
    bool estimate, quiet, force;
    Material only; /* what options.only points to */
    /* Of a plan: */
    int to;      /* PLAN_... */
    char *words; /* of `gen`, that name the same tables: "--men 4 --metric wdl"; to be freed */
    /* By ranks: */
    Ranks *ranks;                 /* NULL: none */
    const char *scratch, *tables; /* as --scratch and --tables say */
    bool stats, told;             /* the others have the plan */
} GenArgs;

enum { PLAN_TEXT, PLAN_MAKE, PLAN_SLURM, PLAN_JSON };

/* Read them. -1: carry on; else the exit code. The help of `trebuchet-mpi` is its own. */
int gen_parse(GenArgs *args, int argc, char **argv);
int gen_parse_plan(GenArgs *args, int argc, char **argv);
int gen_parse_export(GenArgs *args, int argc, char **argv);
int gen_parse_ranks(GenArgs *args, const char *usage, int argc, char **argv);

/* What is not said: all metrics, codec symbols; and the folder, which `dirs` then has alone. */
extern const GenerateOptions gen_defaults;
void gen_choose_folder(GenArgs *args, CliDirs *dirs);

/* `trebuchet-mpi gen`, by one of several ranks. */
int cli_gen_ranks(int argc, char **argv, const char *usage, Ranks *ranks);

#endif
