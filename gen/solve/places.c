/* places.c - see places.h. */
#include "gen/solve/places.h"

#include <string.h>

static bool has_like_men(const Layout *layout)
{
    for (int g = 0; g < layout->index.groups; g++)
        if (layout->index.group[g].count > 1) return true;
    return false;
}

/* Puts like men into the order of their squares. Returns PLACES_NONE if two of them share a square. */
static uint32_t ordered_cell(const Layout *layout, uint32_t cell)
{
    uint32_t square[KERNEL_MEN_MAX], out = 0;
    for (int i = 0; i < layout->men; i++) square[i] = cell >> 6 * (layout->men - 1 - i) & 63;
    for (int g = 0; g < layout->index.groups; g++) {
        const int first = layout->first[g], end = first + layout->index.group[g].count;
        for (int i = first + 1; i < end; i++)
            for (int j = i; j > first && square[j - 1] >= square[j]; j--) {
                if (square[j - 1] == square[j]) return PLACES_NONE;
                const uint32_t higher = square[j - 1];
                square[j - 1] = square[j];
                square[j] = higher;
            }
    }
    for (int i = 0; i < layout->men; i++) out = out << 6 | square[i];
    return out;
}

size_t places_count(const Layout *layout)
{
    if (!has_like_men(layout)) return layout->plane_cells;
    size_t count = 1;
    for (int g = 0; g < layout->index.groups; g++) {
        size_t ways = 1;
        for (int i = 0; i < layout->index.group[g].count; i++)
            ways = ways * (size_t)(64 - i) / (size_t)(i + 1);
        count *= ways;
    }
    return count;
}

bool places_init(Places *places, const Layout *layout, MemoryBudget *budget)
{
    *places = (Places){.count = places_count(layout)};
    if (!has_like_men(layout)) return true;
    places->of = budget_alloc(budget, layout->plane_cells * sizeof *places->of);
    places->first = budget_calloc(budget, layout->plane_words * sizeof *places->first);
    if (places->of == NULL || places->first == NULL) return false;
    uint32_t next = 0;
    for (uint32_t cell = 0; cell < layout->plane_cells; cell++) {
        if (ordered_cell(layout, cell) != cell) continue;
        places->of[cell] = next++;
        places->first[cell / 64] |= UINT64_C(1) << cell % 64;
    }
    for (uint32_t cell = 0; cell < layout->plane_cells; cell++) {
        const uint32_t ordered = ordered_cell(layout, cell);
        const bool kept = layout_cell(layout, cell) == cell && ordered != PLACES_NONE;
        if (ordered != cell) places->of[cell] = kept ? places->of[ordered] : PLACES_NONE;
    }
    return true;
}

void places_free(Places *places)
{
    budget_free(places->of);
    budget_free(places->first);
    *places = (Places){0};
}

uint64_t places_memory(const Layout *layout)
{
    if (!has_like_men(layout)) return 0;
    return budget_cost(layout->plane_cells * sizeof(uint32_t)) +
           budget_cost(layout->plane_words * sizeof(uint64_t));
}
