/* info_text.c - see info_text.h. */
#include "cli/info_text.h"

#include <stdio.h>

#include "cli/text.h"
#include "core/chess/bitboard.h"
#include "core/format/table_blocked.h"
#include "core/format/table_pawn.h"

static const char *const colors[2] = {"White", "Black"};
static const char *const verdicts[WDL_VALUES] = {"losses", "blessed losses", "draws", "cursed wins",
                                                 "wins"};
static const char *const metrics[TREB_DTM50 + 1] = {
    "WDL: win, draw or loss, with the 50-move rule",
    "DTZ: plies to the next capture, pawn move or mate, under the 50-move rule",
    "DTC: plies to the next capture, promotion or mate", "DTM: plies to mate",
    [TREB_DTM50] = "DTM50: plies to mate under the 50-move rule, at every clock"};

static void print_sizes(const Table *table, const TableHeader *h)
{
    char size[16], raw[16], count[32], cells[32];
    int sides = h->side[0].stored + h->side[1].stored;
    uint64_t bytes = table_file_size(table), blocks = sides * table_side_blocks(h);
    cli_format_size(bytes, size);
    cli_format_size(sides * table_side_bytes(h), raw);
    cli_format_count(bytes, count);
    cli_format_count(h->index.size, cells);
    printf("  size      %s bytes (%s); %s unpacked\n", count, size, raw);
    if (h->codec == TABLE_SYMBOLS) {
        cli_format_count((uint64_t)h->side[0].code.pages + h->side[1].code.pages, count);
        printf("  codec     symbols: %s pages of %d KiB\n", count, TABLE_PAGE_SIZE >> 10);
    } else {
        cli_format_count(blocks, count);
        printf("  codec     zstd: %s blocks of %u KiB before compression\n", count,
               1u << (h->block_bits - 10));
    }
    if (h->codec == TABLE_SYMBOLS)
        printf("  cells     %s a side\n", cells);
    else if (h->per_byte > 1)
        printf("  cells     %s a side, %u in a byte (digits of base %u)\n", cells, h->per_byte,
               h->base);
    else
        printf("  cells     %s a side, of %u byte%s\n", cells, h->width, h->width == 1 ? "" : "s");
}

/* "pawns, kings, White R, Black NN": as many letters as men. */
static void print_order(const Index *index)
{
    static const char letters[] = "PNBRQK";
    fputs("  order     ", stdout);
    const char *between = "";
    if (index->pawns) {
        printf("pawns");
        between = ", ";
    }
    for (int i = 0; i < index->axes; i++, between = ", ") {
        if (index->order[i] == INDEX_KINGS_AXIS) {
            printf("%skings", between);
            continue;
        }
        const IndexGroup *g = &index->group[index->order[i] - 1];
        printf("%s%s ", between, colors[g->color]);
        for (int n = 0; n < g->count; n++) putchar(letters[g->type]);
    }
    puts(", outermost first");
}

static void print_sides(const TableHeader *h)
{
    const bool white = table_has_turn(h, TREB_WHITE), both = white && table_has_turn(h, TREB_BLACK);
    printf("  stored    ");
    if (both)
        puts("both sides to move");
    else
        printf("%s to move; values for the other side follow from it by one move\n",
               colors[white ? TREB_WHITE : TREB_BLACK]);
    if (h->metric == TREB_DTM50) {
        printf("  profiles  %u; each says how many plies the 50-move rule adds to DTM, by the plies left\n"
               "  classes   %u of positions with the same DTM and DTZ, with at most %u profiles\n",
               (unsigned)h->profiles.count, (unsigned)h->profiles.class_count, (unsigned)h->profiles.most);
    }
    if (h->as_dtz) {
        char name[TABLE_NAME_SIZE];
        table_file_name(&h->index.material, TREB_DTZ, name);
        printf("  cells of  %s, which must be in the same folder\n", name);
    }
    if (h->bounds)
        puts("  bounds    captures and the last pawn's promotion complete the values of the cells");
}

static void print_map(const TableHeader *h, const TableSide *side)
{
    printf("  values    ");
    if (h->metric == TREB_WDL) {
        for (unsigned c = 0; c < side->codes[0]; c++)
            printf("%s%s", c ? ", " : "", verdicts[side->plies[0][c]]);
        puts(side->codes[0] ? "" : "none");
        return;
    }
    const char *between = "";
    for (int v = WDL_VALUES - 1; v >= 0; v--) {
        if (side->codes[v] == 0) continue;
        unsigned least = side->plies[v][0], most = least;
        for (unsigned c = 1; c < side->codes[v]; c++) {
            unsigned plies = side->plies[v][c];
            if (plies < least) least = plies;
            if (plies > most) most = plies;
        }
        printf("%s%s %u different, %u to %u plies", between, verdicts[v], side->codes[v], least,
               most);
        between = "; ";
    }
    puts(*between ? "" : "none: all positions are draws, or known without the cells");
}

static void print_counts(const TableHeader *h, const TableSide *side)
{
    char count[32];
    for (int v = WDL_VALUES - 1; v >= 0; v--) {
        if (side->count[v] == 0) continue;
        cli_format_count(side->count[v], count);
        printf("  %18s %s", count, verdicts[v]);
        if (h->metric != TREB_WDL && v != TREB_DRAW && side->longest_fen[v][0])
            printf(", the longest of %u plies: %s", side->longest[v], side->longest_fen[v]);
        putchar('\n');
    }
}

/* Prints how many positions the 50-move rule delays. */
static void print_delayed(const TableHeader *h)
{
    static const char *const clocks[DELAYED_CLOCKS] = {
        [DELAYED_FRESH] = "at a clock of 0", [DELAYED_LATE] = "at the last clock at which they are won or lost"};
    puts("\n  Mates that the 50-move rule delays");
    for (int i = 0; i < DELAYED_CLOCKS; i++) {
        const TableDelayed *delayed = &h->delayed[i];
        char count[32];
        cli_format_count(delayed->count, count);
        printf("  %18s %s", count, clocks[i]);
        if (delayed->count > 0)
            printf(", by %d plies at most: %s", delayed->dtm50 - delayed->dtm, delayed->fen);
        putchar('\n');
    }
}

/* ---- Blocked-pawn tables --------------------------------------------------------------------- */

static void print_squares(const char *label, uint64_t set)
{
    printf("%s", label);
    while (set != 0) {
        int square = bit_pop(&set);
        printf(" %c%d", 'a' + square_file(square), 1 + square_rank(square));
    }
}

static void print_goal(const TableBlocked *blocked)
{
    printf("  goal      ");
    if (blocked->goal == GOAL_EXACT)
        printf("exact: plies to mate, or to the first capture that keeps the result");
    else if (blocked->goal == GOAL_REACH)
        print_squares("plies until the king stands on one of", blocked->squares);
    else
        printf("plies until the king can take a pawn that nothing defends");
    if (blocked->goal == GOAL_TAKE && blocked->squares != 0)
        print_squares(", from", blocked->squares);
    puts(blocked->safe ? ", while the other king attacks no pawn" : "");
}

static void print_decided(const TableBlocked *blocked)
{
    uint64_t open = blocked->open[0] + blocked->open[1];
    char count[32];
    cli_format_count(open, count);
    if (blocked->goal != GOAL_EXACT) return;
    printf("  decided   ");
    if (open == 0)
        printf("every placement");
    else
        printf("all but %s placements", count);
    puts(blocked->upper_bounds ? "; distances may be too large" : "");
}

static void print_blocked(const Table *table)
{
    const TableHeader *h = table_header(table);
    const TableBlocked *blocked = &h->blocked;
    char size[32], name[MATERIAL_NAME_SIZE];
    material_name(&h->index.material, name);
    cli_format_count(table_file_size(table), size);
    printf("%s\n  blocked   pawns of %s, with the distances of both kings:", table_path(table),
           name);
    print_squares(" White", blocked->pawns[TREB_WHITE]);
    print_squares(", Black", blocked->pawns[TREB_BLACK]);
    puts(blocked->pawns[0] ? "" : " (no pawns)");
    print_goal(blocked);
    print_decided(blocked);
    printf("  size      %s bytes; answers for the mirror image and for exchanged colours too\n",
           size);
    puts("  header    checksum right; 'trebuchet verify' checks every cell");
    for (int s = 0; s < 2; s++) {
        printf("\n  %s to move\n", colors[s]);
        print_counts(h, &h->side[s]);
        if (blocked->open[s] == 0) continue;
        cli_format_count(blocked->open[s], size);
        printf("  %18s open\n", size);
    }
}

static void print_pawn_file(const Table *table)
{
    const TableHeader *h = table_header(table);
    const TablePawn *solved = &h->pawn;
    char size[32], name[MATERIAL_NAME_SIZE];
    material_name(&h->index.material, name);
    printf("%s\n  solved    pawn ending, %s, %d men:", table_path(table), name,
           structure_men(&solved->root));
    print_squares(" White", solved->root.pawns[TREB_WHITE]);
    print_squares(", Black", solved->root.pawns[TREB_BLACK]);
    cli_format_count(solved->structures, size);
    printf("\n  holds     %s structures, with the kings and pieces on all squares\n", size);
    cli_format_count(table_file_size(table), size);
    printf("  size      %s bytes; answers for mirror images and for exchanged colours too\n", size);
    puts("  header    checksum right; 'trebuchet verify' checks the cells");
    for (int s = 0; s < 2; s++) {
        printf("\n  %s to move\n", colors[s]);
        print_counts(h, &h->side[s]);
        cli_format_count(solved->open[s], size);
        printf("  %18s open\n", size);
    }
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void print_code(const TableSide *side)
{
    char symbols[32];
    cli_format_count(side->code.symbols, symbols);
    print_order(&side->index);
    if (side->code.pages > 0 && side->code.count > 1)
        printf("  codes     %u, %s symbols together, blocks of %u bytes\n", side->code.count,
               symbols, side->code.block_bytes);
    else if (side->code.pages > 0)
        printf("  code      %s symbols, blocks of %u bytes\n", symbols, side->code.block_bytes);
    else
        puts("  code      one value throughout");
}

/* The cells of a DTM50 table have the places of profiles in classes. Some have profiles of their own. */
static void print_profiles(const TableHeader *h)
{
    static const char *const what[2] = {"places of profiles in their classes", "profiles that are not in a class"};
    for (int i = 0; i < 2; i++) {
        if (!h->side[i].stored) continue;
        printf("\n  %s\n", what[i]);
        print_code(&h->side[i]);
    }
}

static void print_cells(const Table *table)
{
    const TableHeader *h = table_header(table);
    char name[MATERIAL_NAME_SIZE];
    material_name(&h->index.material, name);
    printf("%s\n", table_path(table));
    printf("  material  %s, %d men\n", name, material_men(&h->index.material));
    printf("  metric    %s\n", metrics[h->metric]);
    print_sizes(table, h);
    if (h->codec == TABLE_ZSTD) print_order(&h->index);
    print_sides(h);
    puts("  header    checksum right; 'trebuchet verify' checks the blocks");
    const bool profiles = h->metric == TREB_DTM50;
    if (profiles) print_profiles(h);
    for (int s = 0; s < 2; s++) {
        printf("\n  %s to move\n", colors[s]);
        if (h->side[s].stored && !profiles && h->codec == TABLE_SYMBOLS) print_code(&h->side[s]);
        if (h->side[s].stored && !profiles) print_map(h, &h->side[s]);
        print_counts(h, &h->side[s]);
    }
    if (profiles) print_delayed(h);
}

void info_text_row_head(void)
{
    fputs("material\tmetric\tbytes", stdout);
    for (int s = 0; s < 2; s++)
        printf("\t%c_loss\t%c_blessed\t%c_draw\t%c_cursed\t%c_win\t%c_longest_loss\t%c_longest_win",
               "wb"[s], "wb"[s], "wb"[s], "wb"[s], "wb"[s], "wb"[s], "wb"[s]);
    putchar('\n');
}

static uint32_t longer(const TableSide *side, int a, int b)
{
    return side->longest[a] > side->longest[b] ? side->longest[a] : side->longest[b];
}

void info_text_row(const Table *table)
{
    const TableHeader *h = table_header(table);
    char name[MATERIAL_NAME_SIZE];
    material_name(&h->index.material, name);
    printf("%s\t%s\t%llu", name, table_metric_name(h->metric),
           (unsigned long long)table_file_size(table));
    for (int s = 0; s < 2; s++) {
        const TableSide *side = &h->side[s];
        for (int v = 0; v < WDL_VALUES; v++) printf("\t%llu", (unsigned long long)side->count[v]);
        printf("\t%u\t%u", longer(side, TREB_LOSS, TREB_BLESSED_LOSS),
               longer(side, TREB_WIN, TREB_CURSED_WIN));
    }
    putchar('\n');
}

void info_text_table(const Table *table)
{
    int metric = (int)table_header(table)->metric;
    if (metric == TABLE_BLOCKED)
        print_blocked(table);
    else if (metric == TABLE_PAWN)
        print_pawn_file(table);
    else
        print_cells(table);
}

/* ---- Syzygy's files -------------------------------------------------------------------------- */

void info_text_syzygy(const Syzygy *table, const Material *material, treb_metric metric)
{
    char name[MATERIAL_NAME_SIZE], size[32], cells[32];
    SyzygySummary s = syzygy_summary(table);
    bool both = syzygy_has_side(table, 0) && syzygy_has_side(table, 1);
    material_name(material, name);
    cli_format_count(syzygy_file_size(table), size);
    cli_format_count(s.cells, cells);
    printf("%s\n  material  %s, %d men\n", syzygy_path(table), name, material_men(material));
    printf("  metric    %s\n  format    Syzygy's\n", metrics[metric]);
    printf("  size      %s bytes\n  cells     %s in %u array%s", size, cells, s.arrays,
           s.arrays == 1 ? "" : "s");
    if (s.constant > 0) printf(", %u of them with one value throughout", s.constant);
    printf("\n  sides     %s\n",
           material_symmetric(material)
               ? "White to move; Black to move is the same with colours exchanged"
           : both && metric == TREB_DTZ
               ? "White or Black to move, depending on the file of the leading pawn"
           : both                      ? "both to move"
           : syzygy_has_side(table, 0) ? "White to move"
                                       : "Black to move");
    if (metric == TREB_DTZ)
        printf("  rounding  wins %s, losses %s, cursed wins and blessed losses rounded\n",
               s.exact_wins ? "exact" : "rounded", s.exact_losses ? "exact" : "rounded");
    puts("  header    valid; Syzygy's files have no counts and no longest lines");
}
