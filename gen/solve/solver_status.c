/* solver_status.c - errors of a solver: see solver.h. */
#include "core/system/error.h"
#include "core/system/stop.h"
#include "gen/solve/solver.h"

void solver_fail(Solver *s, treb_status status, const treb_error *error)
{
#pragma omp critical(solver_fail)
    if (s->status == TREB_OK) {
        s->status = (int)status;
        *s->error = *error;
    }
}

bool solver_failed(const Solver *s) { return s->status != TREB_OK || stop_asked(s->stop); }

treb_status fail_plies(const Layout *layout, treb_error *error)
{
    char name[MATERIAL_NAME_SIZE];
    material_name(&layout->material, name);
    return fail(error, TREB_ERR_ARGUMENT, "%s: a distance exceeds %d plies, the most there can be",
                name, PLIES_MOST);
}
