/* plan.h - which tables a run makes, in what order, and how much memory each takes. */
#ifndef TREB_GEN_PLAN_H
#define TREB_GEN_PLAN_H

#include <stdatomic.h>

#include "gen/solve/convert.h"
#include "gen/solve/promoted.h"
#include "gen/syzygy/export.h"

/* Progress of a run, which other threads may read. */
typedef struct GenerateProgress {
    _Atomic int table;          /* number in the plan */
    _Atomic int phase;          /* GENERATE_... */
    _Atomic uint64_t done, all; /* slices of the table: solved so far, and all */
    SolverProgress solver; /* the slice that is being solved; if there are several, one of them */
    WriteProgress writing;
    _Atomic int resumed;  /* tables that were resumed from an earlier run */
    _Atomic int within;   /* number of these that were resumed in the middle of a slice */
    _Atomic bool waiting; /* another run makes the table, this one waits */
} GenerateProgress;

/* Phases: slices are solved; their cells are collected for the files; the files are made. Or slices are read. */
enum { GENERATE_SOLVE, GENERATE_COLLECT, GENERATE_FINISH, GENERATE_READ, GENERATE_PHASES };

typedef struct GenerateOptions {
    const char *directory; /* folder of the tables, must exist */
    const char *scratch;   /* folder of scratch files, must exist; NULL: `directory` */
    /* With `syzygy`: the folder of our own tables, which are read instead of solved; NULL: there is none. */
    const char *finished;
    /* The processes that make tables together, see gen/generate.h; NULL: this process alone. */
    const Processes *processes;
    unsigned metrics; /* 1 << TREB_WDL and so on; verdicts are always written */
    TableCodec codec; /* see WriteOptions */
    unsigned classes; /* see WriteOptions */
    uint64_t large;   /* see WriteOptions */
    int bounds;       /* see WriteOptions */
    int subset_men;   /* see subset_suits */
    /* See SolverPlace. If not 0, slices for pushes are in a file too. 0: both only if memory is short. */
    uint64_t paged;
    CoderEffort effort;  /* with codec symbols */
    int level;           /* of zstd; 0: the default */
    bool wide;           /* see WriteOptions */
    bool syzygy;         /* write Syzygy's files instead; metrics must then be WDL and DTZ */
    bool exact;          /* see ExportOptions */
    uint64_t memory;     /* bytes that the process may use; 0: see generate_memory_allowed */
    double save_seconds; /* between two saves of a table; 0: large tables only, every few minutes */
    bool keep_scratch;   /* leave the scratch files for a later run */
    const Material *only; /* of all materials, write only this table; or NULL */
    /* Other runs make other tables of the same list in the same folder: see generate_run. */
    bool shared;
    const atomic_bool *stop;    /* the run ends early when this becomes true; NULL allowed */
    GenerateProgress *progress; /* NULL allowed */
} GenerateOptions;

static inline const char *generate_scratch_folder(const GenerateOptions *options)
{
    return options->scratch != NULL ? options->scratch : options->directory;
}

/* The folder of tables that are read instead of solved; NULL: there is none. */
static inline const char *generate_finished_folder(const GenerateOptions *options)
{
    return options->syzygy ? options->finished : options->directory;
}

/* One table to make. */
typedef struct GenerateStep {
    Material material;
    bool write;       /* its files are requested and missing */
    bool read;        /* its files are there, and what other tables read of it is read from them */
    Promoted promoted[2]; /* with `read`, by side to move: the cells that are read */
    double part[2];       /* likewise, about which part of all cells they are */
    uint8_t moves[2]; /* with `read`, by side to move: the moves that complete values, a ConverterMoves */
    bool divided;     /* processes solve it together: see gen/solve/processes.h */
    unsigned parents; /* what other tables of the plan read of it: see gen/solve/subset.h */
    double requested; /* the size of that, in units of all cells of one side to move */
    uint64_t cells;   /* to solve, of both sides to move */
    uint64_t places;  /* likewise, positions that differ by an exchange of like men once (gen/solve/places.h) */
    uint64_t slices;
    bool pair;      /* each cell stands for two positions: see gen/solve/layout.h */
    uint64_t store; /* bytes of solved slices that must be in memory at once */
    /* Bytes that the process takes at least: while slices are solved, `store` included; while files are finished; and
     * the larger of both. */
    uint64_t solving, finishing, memory;
    /* While slices are solved: bytes more that keep slices for pushes in memory instead of a file, and bytes more
     * that keep the sets of positions in memory. Both make it faster. */
    uint64_t pushes, sets;
} GenerateStep;

/* Returns the sides to move that other tables need of a step, a mask. */
static inline unsigned generate_step_sides(const GenerateStep *step)
{
    return wanted_sides(step->parents);
}

/* Lists the materials whose values a step reads, and the sides to move of each, a mask: all sub-endings if it is solved;
 * those that complete the wanted sides if it is read. Returns their number. */
int generate_step_reads(const GenerateStep *step, Material out[MATERIAL_SUB_ENDINGS_MAX],
                        uint8_t turns[MATERIAL_SUB_ENDINGS_MAX]);

/* Returns the bytes with which all data of a step are in memory. */
static inline uint64_t generate_step_fast(const GenerateStep *step)
{
    const uint64_t solving = step->solving + step->pushes + step->sets;
    return solving > step->memory ? solving : step->memory;
}

typedef struct GeneratePlan {
    GenerateStep *step;
    size_t steps;
    Material *material; /* the requested materials */
    size_t materials;
} GeneratePlan;

/* Plans all missing files of the given materials, in canonical form, and of their sub-endings, in an order in which
 * each table finds what it needs. With options->only: plans only the files of that material, one of the given ones,
 * and before it the tables it needs, without files. All of these are solved as the other given materials need them.
 * TREB_ERR_MEN: a material has more men than can be solved. */
treb_status generate_plan(const GenerateOptions *options, const Material *materials, size_t count,
                          GeneratePlan *plan, treb_error *error);
void generate_plan_free(GeneratePlan *plan);

/* Makes the same plan quickly: without numbers of cells and bytes, and without regard to options->only. */
treb_status generate_list(const GenerateOptions *options, const Material *materials, size_t count,
                          GeneratePlan *plan, treb_error *error);
bool generate_plan_has(const GeneratePlan *plan, const Material *material);

/* Returns the number of the step that takes most memory; 0 in an empty plan. */
size_t generate_plan_largest(const GeneratePlan *plan);

/* Whether a table is large enough to be saved every few minutes while it is made, so that a later run can resume. */
bool generate_step_saved(const GenerateStep *step, const GenerateOptions *options);

/* Returns the largest generate_step_fast of all steps. */
uint64_t generate_plan_fast(const GeneratePlan *plan);

/* Returns TREB_ERR_MEMORY, with a message that says how much memory it would take, if the plan does not fit into the
 * options' memory. */
treb_status generate_plan_check(const GeneratePlan *plan, const GenerateOptions *options,
                                treb_error *error);

/* Whether the files of all `metrics` exist and can be opened without an error. */
bool generate_complete(const char *directory, const Material *material, unsigned metrics);

/* Returns the bytes that a run may use: those of the options, otherwise 7/8 of what the machine has free. */
uint64_t generate_memory_allowed(const GenerateOptions *options);

#endif
