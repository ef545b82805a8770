/* gen_options.h - the command lines of `trebuchet gen`, `export`, `plan` and `trebuchet-mpi gen`. */
#ifndef TREB_CLI_GEN_OPTIONS_H
#define TREB_CLI_GEN_OPTIONS_H

#include <stdio.h>

#include "cli/folders.h"
#include "gen/generate.h"

typedef struct GenArgs {
    const char *command; /* "gen", "export" or "plan" */
    GenerateOptions options;
    Material *material; /* owned: the materials named */
    size_t materials;
    bool estimate, quiet, force;
    Material only; /* what options.only points to */
    /* trebuchet plan: */
    int to; /* PLAN_... */
    char *
        words; /* owned: the words of a gen command that name these tables: "--men 4 --metric wdl" */
    /* trebuchet-mpi gen: */
    Processes *processes; /* NULL: a single process */
    const char *scratch;  /* value of --scratch, or NULL */
    const char *tables;   /* the folder of the tables, which only the first process writes to */
    bool web;             /* --web */
    bool stats;           /* --stats */
    bool plan_sent;       /* the other processes have the plan */
} GenArgs;

enum { PLAN_TEXT, PLAN_MAKE, PLAN_SLURM, PLAN_JSON };

/* Read a command line. Each returns -1 to go on, else the exit code. */
int gen_parse(GenArgs *args, int argc, char **argv);
int gen_parse_plan(GenArgs *args, int argc, char **argv);
int gen_parse_export(GenArgs *args, int argc, char **argv);
int gen_parse_mpi(GenArgs *args, int argc, char **argv);

/* Prints the help of `trebuchet-mpi gen`. */
void gen_print_mpi_help(FILE *out);

/* The options without any words: all metrics, codec symbols. */
extern const GenerateOptions gen_defaults;

/* Chooses the folder of the tables if --tables did not: `*folder` is NULL then. `dirs` becomes a list of
 * that folder alone. */
void gen_choose_folder(const char **folder, CliDirs *dirs);

/* `trebuchet-mpi gen` in one of several processes. Returns the exit code. */
int cli_gen_mpi(int argc, char **argv, Processes *processes);

#endif
