/* ghosts.c - see ghosts.h. */
#include "gen/solve/ghosts.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/solve/packed.h"
#include "gen/solve/solver.h"

bool ghosts_init(Ghosts *ghosts, const Layout *layout)
{
    bool ok = true;
    memset(ghosts, 0, sizeof *ghosts);
    for (int side = 0; side < 2; side++) {
        ghosts->lost[side] = calloc(layout->kings, sizeof *ghosts->lost[side]);
        ghosts->item[side] = calloc(layout->kings, sizeof *ghosts->item[side]);
        ok = ok && ghosts->lost[side] && ghosts->item[side];
    }
    return ok;
}

void ghosts_free(Ghosts *ghosts)
{
    for (int side = 0; side < 2; side++) {
        free(ghosts->lost[side]);
        free(ghosts->item[side]);
    }
    free(ghosts->messages.message);
    memset(ghosts, 0, sizeof *ghosts);
}

void ghosts_send(const Solver *s, uint32_t kings, int side, bool won, unsigned n,
                 const uint8_t *packed, size_t size)
{
    const Processes *processes = s->place.processes;
    const PlyLoop *loop = &s->loop;
    const uint64_t row_blocks = won ? loop->won_row_blocks[n & 1][side][kings]
                                    : loop->lost_at[n & 1][side].row_blocks[kings];
    const GhostItem item = {row_blocks, (uint32_t)size, (uint16_t)kings, (uint8_t)side, won};
    for (uint64_t to = s->partition.ghosted_by[side][kings]; to; to &= to - 1)
        processes->send(processes->context, bit_first(to), &item, sizeof item, packed, size);
}

/* ---- Receiving ------------------------------------------------------------------------------- */

static void messages_release(GhostMessages *messages, const Processes *processes)
{
    for (size_t i = 0; i < messages->count; i++)
        processes->release(processes->context, &messages->message[i]);
    messages->count = 0;
}

static bool messages_add(GhostMessages *messages, const ReceivedBytes *message)
{
    if (messages->count == messages->capacity) {
        size_t capacity = messages->capacity ? 2 * messages->capacity : 16;
        ReceivedBytes *grown = realloc(messages->message, capacity * sizeof *grown);
        if (grown == NULL) return false;
        messages->message = grown;
        messages->capacity = capacity;
    }
    messages->message[messages->count++] = *message;
    return true;
}

/* Records where the items of a message are. */
static void note_items(Solver *s, unsigned n, const ReceivedBytes *message)
{
    GhostItem item;
    for (size_t at = 0; at < message->size; at += sizeof item + item.size) {
        const uint8_t *place = message->bytes + at;
        memcpy(&item, place, sizeof item);
        if (item.won) {
            s->ghosts.item[item.side][s->ghosts.items[item.side]++] = place;
            s->loop.won_row_blocks[n & 1][item.side][item.kings] = item.row_blocks;
        } else {
            s->ghosts.lost[item.side][item.kings] = place + sizeof item;
            s->loop.lost_at[n & 1][item.side].row_blocks[item.kings] = item.row_blocks;
        }
    }
}

void ghosts_receive(Solver *s, unsigned n)
{
    const Processes *processes = s->place.processes;
    ReceivedBytes message;
    treb_error error;
    if (solver_failed(s)) return;
    processes->finish(processes->context, s->partition.targets);
    messages_release(&s->ghosts.messages, processes);
    for (int side = 0; side < 2; side++) {
        s->ghosts.items[side] = 0;
        for (uint32_t i = 0; i < s->partition.ghosts[side]; i++) {
            uint32_t kings = s->partition.ghost_plane[side][i];
            s->ghosts.lost[side][kings] = NULL;
            /* The blocks of the ply before are cleared too: plies at which nothing happens may be left out. */
            for (int parity = 0; parity < 2; parity++)
                s->loop.lost_at[parity][side].row_blocks[kings] =
                    s->loop.won_row_blocks[parity][side][kings] = 0;
        }
    }
    while (processes->receive(processes->context, s->partition.sources, &message)) {
        note_items(s, n, &message);
        if (messages_add(&s->ghosts.messages, &message)) continue;
        solver_fail(s, fail_memory(&error), &error);
        return;
    }
}

void ghosts_apply_won(const Solver *s, uint32_t number, Buffers *t)
{
    const int side = number >= s->ghosts.items[0];
    GhostItem item;
    const uint8_t *at = s->ghosts.item[side][number - (side ? s->ghosts.items[0] : 0)];
    memcpy(&item, at, sizeof item);
    const size_t words = s->layout->plane_words, row_block_words = s->row_block_words;
    uint64_t row_blocks = packed_get(s->kernel, at + sizeof item, words, t->b);
    uint64_t *not_won = not_won_at(s, side, item.kings);
    for (size_t row_block = 0; row_block < s->row_block_count; row_block++) {
        if (s->row_block_count > 1 && !(row_blocks >> row_block & 1)) continue;
        const size_t end = (row_block + 1) * row_block_words;
        for (size_t w = row_block * row_block_words; w < end; w++) not_won[w] &= ~t->b[w];
    }
}

void ghosts_release(Solver *s) { messages_release(&s->ghosts.messages, s->place.processes); }
