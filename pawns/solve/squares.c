/* squares.c - see squares.h. */
#include "pawns/solve/squares.h"

#include <string.h>

/* Access to placements by the squares of the attacker and the defender. */
typedef struct SquaresView {
    const Placements *all;
    int attacker;
} SquaresView;

static bool holds(const SquaresView *v, const uint64_t set[64], int a, int d)
{
    bool white = v->attacker == TREB_WHITE;
    return bit_test(set[white ? a : d], white ? d : a);
}

static void add_to_group(Squares *out, int a, uint64_t answers)
{
    int i = 0;
    while (i < out->groups && out->group[i].answers != answers) i++;
    if (i == SQUARES_GROUPS_MAX) return;
    if (i == out->groups) out->group[out->groups++] = (SquaresGroup){0, answers};
    out->group[i].squares |= square_bit(a);
}

static int compare_groups(const SquaresGroup *a, const SquaresGroup *b)
{
    int order = bit_count(a->answers) - bit_count(b->answers);
    if (order == 0) order = bit_first(a->answers) - bit_first(b->answers);
    if (order == 0) order = a->answers < b->answers ? -1 : 1;
    return order;
}

static void sort_groups(Squares *out)
{
    for (int i = 1; i < out->groups; i++) {
        SquaresGroup group = out->group[i];
        int j = i;
        for (; j > 0 && compare_groups(&group, &out->group[j - 1]) < 0; j--)
            out->group[j] = out->group[j - 1];
        out->group[j] = group;
    }
}

static void find_zugzwangs(const SquaresView *v, const uint64_t region[2], Squares *out)
{
    int attacker = v->attacker, defender = !attacker;
    const Placements *p = v->all;
    for (uint64_t left = region[attacker]; left != 0;) {
        int a = bit_pop(&left);
        for (uint64_t other = region[defender]; other != 0;) {
            int d = bit_pop(&other);
            if (!holds(v, p->legal[attacker], a, d) || !holds(v, p->legal[defender], a, d) ||
                !holds(v, p->won[attacker][defender], a, d) ||
                holds(v, p->won[attacker][attacker], a, d) ||
                holds(v, p->open[attacker][attacker], a, d))
                continue;
            out->zugzwang[a] |= square_bit(d);
            out->zugzwangs++;
            if (!holds(v, p->won[defender][attacker], a, d)) continue;
            out->double_zugzwang[a] |= square_bit(d);
            out->double_zugzwangs++;
        }
    }
}

static int count_open(const Placements *p, int attacker, const uint64_t region[2])
{
    int count = 0;
    for (int side = 0; side < 2; side++)
        for (uint64_t left = region[TREB_WHITE]; left != 0;) {
            int white = bit_pop(&left);
            count += bit_count(p->open[attacker][side][white] & region[TREB_BLACK]);
        }
    return count;
}

void squares_find(const Placements *placements, int attacker, const uint64_t region[2],
                  Squares *out)
{
    SquaresView view = {placements, attacker};
    memset(out, 0, sizeof *out);
    out->attacker = attacker;
    out->open = count_open(placements, attacker, region);
    find_zugzwangs(&view, region, out);
    for (int a = 0; a < 64; a++)
        if (out->zugzwang[a] != 0) add_to_group(out, a, out->zugzwang[a]);
    sort_groups(out);
}

int squares_attacker(const Placements *p, int winner)
{
    int won[2] = {0, 0};
    if (winner >= 0) return winner;
    for (int i = 0; i < 256; i++) won[i / 128] += bit_count(p->won[i / 128][i / 64 % 2][i % 64]);
    return won[1] > won[0] ? TREB_BLACK : TREB_WHITE;
}

void squares_mark(int group, char out[8]) { snprintf(out, 8, "%d", (group + 1) % 1000); }
