/* planes.c - see planes.h. */
#include "gen/write/planes.h"

#include "core/error.h"

enum { RUN_BYTES = 8 << 20 };

static size_t place_plane_room(PlaneRoom *room, const Shape *shape, size_t plane_cells,
                               size_t planes, void *memory)
{
    Layout layout = {memory, 0};
    room->chosen = layout_place(&layout, planes * codes_cells(shape) * sizeof *room->chosen);
    room->spare = layout_place(&layout, codes_cells(shape) * sizeof *room->spare);
    room->ordered = layout_place(&layout, plane_cells * sizeof *room->ordered);
    return layout.size;
}

bool plane_room_init(PlaneRoom *room, const Shape *shape, size_t plane_cells, size_t planes,
                     Ledger *ledger)
{
    size_t size = place_plane_room(room, shape, plane_cells, planes, NULL);
    void *memory = ledger_alloc(ledger, size);
    if (memory != NULL) place_plane_room(room, shape, plane_cells, planes, memory);
    return memory != NULL;
}

/* What was placed first is where the memory begins. */
void plane_room_free(PlaneRoom *room) { ledger_free(room->chosen); }

/* Chooses planes `first` to `end` of a side of one lane as they go to the file. */
static treb_status planes_pack(const FileBlocks *file, const Slice *slice, int lane, int side,
                               uint32_t first, uint32_t end, uint8_t *out, treb_error *error)
{
    const Shape *shape = slice->shape;
    const CodesMap *map = &file->map;
    treb_metric metric = file->packing.metric;
    size_t bytes = codes_packed(&file->packing, map->plane_cells);
    treb_status status = TREB_OK;
#pragma omp parallel
    {
        PlaneRoom room;
        Plane plane;
        bool roomy = plane_room_init(&room, shape, map->plane_cells, 1, file->ledger);
        bool enough = plane_init(&plane, shape, codes_parts(metric), file->ledger) && roomy;
#pragma omp for schedule(dynamic, 4)
        for (uint32_t k = first; k < end; k++) {
            treb_error mine;
            treb_status own =
                enough ? plane_read(&plane, slice, side, k, &mine) : fail_memory(&mine);
            if (own == TREB_OK) {
                codes_choose(&plane, slice, metric, lane, room.chosen);
                codes_order(map, metric, room.chosen, room.spare, room.ordered);
                codes_pack(&file->packing, room.ordered, map->plane_cells,
                           out + (k - first) * bytes);
                continue;
            }
#pragma omp critical(planes_error)
            {
                status = own;
                *error = mine;
            }
        }
        if (roomy) plane_room_free(&room);
        plane_free(&plane);
    }
    return status;
}

treb_status planes_write(FileBlocks *file, uint64_t number, const Slice *slice, int lane, int side,
                         treb_error *error)
{
    uint32_t kings = slice->shape->kings;
    size_t size = codes_packed(&file->packing, file->map.plane_cells);
    uint32_t planes = RUN_BYTES / size ? RUN_BYTES / size : 1;
    if (planes > kings) planes = kings;
    uint8_t *bytes = ledger_alloc(file->ledger, planes * size);
    treb_status status = bytes ? TREB_OK : fail_memory(error);
    for (uint32_t first = 0; first < kings && status == TREB_OK; first += planes) {
        uint32_t end = first + planes < kings ? first + planes : kings;
        status = planes_pack(file, slice, lane, side, first, end, bytes, error);
        if (status == TREB_OK)
            status = blocks_write(file, side, number * file->slice_bytes + first * size, bytes,
                                  (end - first) * size, error);
    }
    ledger_free(bytes);
    return status;
}

treb_status planes_write_kings(FileBlocks *file, uint64_t number, int side, const KingsCells *from,
                               treb_error *error)
{
    const Packing *p = &file->packing;
    size_t count = file->header.index.slice_size;
    Plies *cells = ledger_alloc(file->ledger, count * sizeof *cells);
    uint8_t *bytes = ledger_alloc(file->ledger, file->slice_bytes);
    Plies before = p->metric == TREB_WDL ? TREB_DRAW : 0;
    treb_status status = cells && bytes ? TREB_OK : fail_memory(error);
    for (size_t k = 0; k < count && status == TREB_OK; k++) {
        if (k < from->kings) before = codes_settle(from->chosen[from->stride * k], before);
        cells[k] = before;
    }
    if (status == TREB_OK) {
        codes_pack(p, cells, count, bytes);
        status =
            blocks_write(file, side, number * file->slice_bytes, bytes, file->slice_bytes, error);
    }
    ledger_free(cells);
    ledger_free(bytes);
    return status;
}

uint64_t planes_memory(const Shape *shape, size_t plane_cells, unsigned width, size_t planes,
                       int threads)
{
    PlaneRoom room;
    size_t run = plane_cells * width;
    unsigned parts = codes_parts(TREB_DTZ) | codes_parts(TREB_DTC);
    return threads * (ledger_cost(place_plane_room(&room, shape, plane_cells, planes, NULL)) +
                      plane_memory(shape, parts)) +
           ledger_cost(run > RUN_BYTES ? run : RUN_BYTES);
}
