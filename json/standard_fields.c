/* standard_fields.c - see standard_fields.h. */
#include "json/standard_fields.h"

#include "json/put.h"

static const char *const category_names[] = {"loss",         "unknown", "syzygy-loss", "maybe-loss",
                                             "blessed-loss", "draw",    "cursed-win",  "maybe-win",
                                             "syzygy-win",   "win"};

Category standard_negated(Category category)
{
    static const Category negated[] = {
        [CATEGORY_LOSS] = CATEGORY_WIN,
        [CATEGORY_UNKNOWN] = CATEGORY_UNKNOWN,
        [CATEGORY_SYZYGY_LOSS] = CATEGORY_SYZYGY_WIN,
        [CATEGORY_MAYBE_LOSS] = CATEGORY_MAYBE_WIN,
        [CATEGORY_BLESSED_LOSS] = CATEGORY_CURSED_WIN,
        [CATEGORY_DRAW] = CATEGORY_DRAW,
        [CATEGORY_CURSED_WIN] = CATEGORY_BLESSED_LOSS,
        [CATEGORY_MAYBE_WIN] = CATEGORY_MAYBE_LOSS,
        [CATEGORY_SYZYGY_WIN] = CATEGORY_SYZYGY_LOSS,
        [CATEGORY_WIN] = CATEGORY_LOSS,
    };
    return negated[category];
}

int standard_distance(const StandardFields *f, int metric)
{
    int plies = f->plies[metric];
    if (metric != TREB_DTC) return plies;
    return plies < 0 ? -((1 - plies) / 2) : (plies + 1) / 2;
}

static void put_distance(json_t *object, const char *name, const StandardFields *f, int metric)
{
    put(object, name, f->known[metric] ? json_integer(standard_distance(f, metric)) : json_null());
}

void standard_put_fields(json_t *object, const StandardFields *f)
{
    put(object, "category", json_text(category_names[f->category]));
    put_distance(object, "dtz", f, TREB_DTZ);
    if (f->rounded)
        put(object, "precise_dtz", json_null());
    else
        put_distance(object, "precise_dtz", f, TREB_DTZ);
    put_distance(object, "dtc", f, TREB_DTC);
    put_distance(object, "dtm", f, TREB_DTM);
    put(object, "dtw", json_null());
    put(object, "checkmate", json_boolean(f->checkmate));
    put(object, "stalemate", json_boolean(f->stalemate));
    put(object, "variant_win", json_false());
    put(object, "variant_loss", json_false());
    put(object, "insufficient_material", json_boolean(f->insufficient));
}
