/* table_file.h - /tables/: the table files of the server's folders, whole or by ranges, and the list of their headers, for
 * readers such as the npm package (docs/browser.md). */
#ifndef TREB_SERVER_TABLE_FILE_H
#define TREB_SERVER_TABLE_FILE_H

#include "server/route_call.h"

/* Answers a request for the file that call->path_suffix names. Runs in a worker. */
void table_file_run(const RouteCall *call, Reply *reply);

#endif
