/* info_json.h - the header of a table file as a JSON object. */
#ifndef TREB_CLI_INFO_JSON_H
#define TREB_CLI_INFO_JSON_H

#include <jansson.h>

#include "core/format/table.h"
#include "probe/syzygy/syzygy.h"

/* Return a new object, or NULL without memory. The manual page of trebuchet-info lists the members. */
json_t *info_json(const Table *table);
json_t *info_json_syzygy(const Syzygy *table, const Material *material, treb_metric metric);

#endif
