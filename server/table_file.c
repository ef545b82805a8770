/* table_file.c - see table_file.h. */
#include "server/table_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/format/table_bundle.h"
#include "core/system/error.h"
#include "core/system/io.h"
#include "server/headers.h"

static int open_in(const char *directory, const char *name)
{
    char *path = strstr(directory, "://") == NULL ? io_path(directory, name) : NULL;
    int file = path != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    free(path);
    return file;
}

/* Opens a table of the first folder that has it; -1 if none has. */
static int open_table(const TableHolder *holder, const char *name)
{
    int file = -1;
    if (!table_bundle_lists(name)) return -1;
    for (size_t i = 0; i < holder->count && file < 0; i++)
        file = open_in(holder->directories[i], name);
    return file;
}

/* Reads the beginning of what will be sent, so that the thread that sends it does not wait for a disk. */
static void read_ahead(const ReplyFile *part)
{
    enum { MOST = 1 << 20 };
    char bytes[16384];
    uint64_t end = part->at + (part->size < MOST ? part->size : MOST);
    for (uint64_t at = part->at; at < end; at += sizeof bytes)
        if (pread(part->file, bytes, sizeof bytes, (off_t)at) <= 0) return;
}

static void reply_beyond(Reply *reply)
{
    reply_error(reply, MHD_HTTP_RANGE_NOT_SATISFIABLE, "bad_request",
                "the file ends before the range that was asked for");
}

/* Gives an open file, which is taken over, or the part that is asked for. */
static void reply_part(const RouteCall *call, int file, Reply *reply)
{
    struct stat info;
    bool there = fstat(file, &info) == 0 && S_ISREG(info.st_mode);
    uint64_t whole = there ? (uint64_t)info.st_size : 0;
    ReplyFile part = {.file = file, .size = whole, .whole = whole};
    RangeAsked asked = headers_range(call->range, whole, &part.at, &part.size);
    if (!there || asked == RANGE_BEYOND) {
        close(file);
        if (there) reply_beyond(reply);
        if (!there) reply_error(reply, MHD_HTTP_NOT_FOUND, "not_found", "this is no file");
        return;
    }
    part.is_part = asked == RANGE_PART;
    snprintf(part.etag, sizeof part.etag, "\"%llx-%llx\"", (unsigned long long)whole,
             (unsigned long long)info.st_mtime);
    read_ahead(&part);
    reply->status = part.is_part ? MHD_HTTP_PARTIAL_CONTENT : MHD_HTTP_OK;
    reply->type = "application/octet-stream";
    reply->cache_policy = CACHE_TABLE_SET;
    reply->is_file = true;
    reply->file = part;
}

void table_file_run(const RouteCall *call, Reply *reply)
{
    treb_error error;
    bool is_list = strcmp(call->path_suffix, TABLE_BUNDLE_NAME) == 0;
    int file = is_list ? tableset_bundle(call->holder, call->set, &error)
                       : open_table(call->holder, call->path_suffix);
    if (file >= 0)
        reply_part(call, file, reply);
    else if (is_list)
        reply_failure(reply, &error);
    else
        reply_error(reply, MHD_HTTP_NOT_FOUND, "not_found",
                    "there is no such table here; /tables/" TABLE_BUNDLE_NAME " lists all tables");
}
