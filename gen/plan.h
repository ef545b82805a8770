/* plan.h - which tables a run makes, in what order, and what each takes. */
#ifndef TREB_GEN_PLAN_H
#define TREB_GEN_PLAN_H

#include <stdatomic.h>

#include "gen/syzygy/export.h"

/* What a long run is doing, for whoever looks in from another thread. */
typedef struct GenerateProgress {
    _Atomic int table;          /* number in the plan */
    _Atomic int phase;          /* GENERATE_... */
    _Atomic uint64_t done, all; /* slices of the table */
    SolverWatch solver;         /* the slice being solved; of several at once, one */
    WriteWatch writing;
    _Atomic int resumed;  /* tables that went on where an earlier run was */
    _Atomic int within;   /* of these, within a slice */
    _Atomic bool waiting; /* for another run, which makes the table */
} GenerateProgress;

/* Slices are solved; what they have for files is collected; the files are made. */
enum { GENERATE_SOLVE, GENERATE_COLLECT, GENERATE_FINISH, GENERATE_PHASES };

typedef struct GenerateOptions {
    const char *directory; /* must exist */
    const char *scratch;   /* where scratch files are, must exist too; NULL: there */
    const Ranks *ranks;    /* that make tables together, see gen/generate.h; NULL: none */
    unsigned metrics;      /* 1 << TREB_WDL ...; verdicts are always written */
    TableCodec codec;      /* see WriteOptions */
    unsigned classes;      /* the same */
    uint64_t large;        /* the same */
    int bounds;            /* the same */
    int cuts;              /* see cut_suits */
    /* See SolverPlace; what pushes ask for is filed then, too. 0: only where memory is short. */
    uint64_t paged;
    int level;            /* of zstd; 0 for the default */
    bool wide;            /* see WriteOptions */
    bool syzygy;          /* write Syzygy's files instead; metrics are then WDL and DTZ */
    bool exact;           /* see ExportOptions */
    uint64_t memory;      /* bytes that the process stays below; 0: generate_memory_allowed */
    double save_seconds;  /* between two saves of a table; 0: of large ones, a few minutes */
    bool keep_scratch;    /* leave the scratch files for a later run */
    const Material *only; /* of all, write this table alone; or NULL */
    bool shared;          /* beside other runs in the folder, of the same list: see generate_run */
    const atomic_bool *stop;    /* when true the run ends early; NULL allowed */
    GenerateProgress *progress; /* NULL allowed */
} GenerateOptions;

static inline const char *generate_scratch_folder(const GenerateOptions *options)
{
    return options->scratch != NULL ? options->scratch : options->directory;
}

/* One table to make. */
typedef struct GenerateStep {
    Material material;
    bool write;       /* its files are wanted and not there */
    bool divided;     /* ranks solve it together: see gen/solve/ranks.h */
    unsigned parents; /* what other tables of the plan want of it: see gen/solve/solved.h */
    double asked;     /* how much that is, in all cells of a side to move */
    uint64_t cells;   /* to solve, of both sides to move */
    uint64_t slices;
    bool pair;      /* each cell stands for two: see gen/solve/shape.h */
    uint64_t store; /* bytes of solved slices that must be in memory at once */
    /* Bytes that the process takes at least: while slices are solved, `store` included; while files are
     * finished; and the more of the two. */
    uint64_t solving, finishing, memory;
    /* So many more bytes, while slices are solved, keep what pushes ask for out of a file, and so many more the sets of
     * positions: both are faster. */
    uint64_t pushes, sets;
} GenerateStep;

/* Bytes with which nothing that it works on is in a file. */
static inline uint64_t generate_step_fast(const GenerateStep *step)
{
    const uint64_t solving = step->solving + step->pushes + step->sets;
    return solving > step->memory ? solving : step->memory;
}

typedef struct GeneratePlan {
    GenerateStep *step;
    size_t steps;
    Material *material; /* what was asked for */
    size_t materials;
} GeneratePlan;

/* Plans all files that are missing for the given materials (canonicalised) and their juniors, in an
 * order in which each finds what it needs. With options->only those of one of them, which is solved as the others will
 * want it, and before it what it needs, of which no files are written. TREB_ERR_MEN: a material has more men than can be
 * solved. */
treb_status generate_plan(const GenerateOptions *options, const Material *materials, size_t count,
                          GeneratePlan *plan, treb_error *error);
void generate_plan_free(GeneratePlan *plan);

/* The same without figures, and of all tables: fast. */
treb_status generate_list(const GenerateOptions *options, const Material *materials, size_t count,
                          GeneratePlan *plan, treb_error *error);
bool generate_plan_has(const GeneratePlan *plan, const Material *material);

/* The step that takes most memory; 0 in an empty plan. */
size_t generate_plan_largest(const GeneratePlan *plan);

/* generate_step_fast of all steps. */
uint64_t generate_plan_fast(const GeneratePlan *plan);

/* TREB_ERR_MEMORY, with what it would take, if the plan does not fit into the options' memory. */
treb_status generate_plan_check(const GeneratePlan *plan, const GenerateOptions *options,
                                treb_error *error);

/* Whether the files of all `metrics` are there and open without an error. */
bool generate_complete(const char *directory, const Material *material, unsigned metrics);

/* What a run stays below: what the options say, else what the machine has free, less an eighth. */
uint64_t generate_memory_allowed(const GenerateOptions *options);

#endif
