/* metrics.c - see metrics.h. */
#include "server/metrics.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Status codes that are counted. The last entry counts all others. */
static const unsigned codes[METRICS_CODES] = {200, 204, 304, 400, 404, 405,
                                              413, 414, 429, 500, 503, 0};

/* Upper bounds in microseconds; the last bucket has none. */
static const unsigned bounds[METRICS_BUCKETS - 1] = {
    50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 500000, 2500000};

void metrics_count(Metrics *metrics, unsigned route, unsigned status, uint64_t nanoseconds,
                   uint64_t bytes)
{
    unsigned code = 0, bucket = 0;
    assert(route < metrics->routes);
    while (code < METRICS_CODES - 1 && codes[code] != status) code++;
    while (bucket < METRICS_BUCKETS - 1 && nanoseconds > UINT64_C(1000) * bounds[bucket]) bucket++;
    atomic_fetch_add_explicit(&metrics->requests[route][code], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&metrics->bucket[route][bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&metrics->nanoseconds[route], nanoseconds, memory_order_relaxed);
    atomic_fetch_add_explicit(&metrics->bytes, bytes, memory_order_relaxed);
}

static unsigned long long load(_Atomic uint64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

static void put_head(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_one(FILE *out, const char *name, const char *type, const char *help,
                    unsigned long long value)
{
    put_head(out, name, type, help);
    fprintf(out, "%s %llu\n", name, value);
}

static void put_requests(FILE *out, Metrics *metrics)
{
    static const char name[] = "trebuchet_http_requests_total";
    put_head(out, name, "counter", "Requests answered, by route and status.");
    for (unsigned route = 0; route < metrics->routes; route++)
        for (int code = 0; code < METRICS_CODES; code++) {
            unsigned long long count = load(&metrics->requests[route][code]);
            if (count == 0) continue;
            const char *label = metrics->label[route];
            if (codes[code] != 0)
                fprintf(out, "%s{route=\"%s\",code=\"%u\"} %llu\n", name, label, codes[code],
                        count);
            else
                fprintf(out, "%s{route=\"%s\",code=\"other\"} %llu\n", name, label, count);
        }
}

static void put_histogram(FILE *out, Metrics *metrics, unsigned route)
{
    static const char name[] = "trebuchet_http_request_duration_seconds";
    const char *label = metrics->label[route];
    unsigned long long sum = 0;
    for (int i = 0; i < METRICS_BUCKETS; i++) {
        sum += load(&metrics->bucket[route][i]);
        if (i < METRICS_BUCKETS - 1)
            fprintf(out, "%s_bucket{route=\"%s\",le=\"%g\"} %llu\n", name, label, bounds[i] / 1e6,
                    sum);
        else
            fprintf(out, "%s_bucket{route=\"%s\",le=\"+Inf\"} %llu\n", name, label, sum);
    }
    fprintf(out, "%s_sum{route=\"%s\"} %.9f\n%s_count{route=\"%s\"} %llu\n", name, label,
            (double)load(&metrics->nanoseconds[route]) / 1e9, name, label, sum);
}

static void put_histograms(FILE *out, Metrics *metrics)
{
    put_head(out, "trebuchet_http_request_duration_seconds", "histogram",
             "From a request's first line to the end of its answer.");
    for (unsigned route = 0; route < metrics->routes; route++) {
        unsigned long long any = 0;
        for (int i = 0; i < METRICS_BUCKETS; i++) any |= load(&metrics->bucket[route][i]);
        if (any) put_histogram(out, metrics, route);
    }
}

static void put_traffic(FILE *out, Metrics *m)
{
    put_one(out, "trebuchet_http_response_bytes_total", "counter", "Bytes of bodies sent.",
            load(&m->bytes));
    put_one(out, "trebuchet_http_aborted_total", "counter",
            "Requests that ended before their answer was sent.", load(&m->aborted));
    put_one(out, "trebuchet_http_expired_total", "counter",
            "Connections closed because their time was up.", load(&m->expired));
    put_one(out, "trebuchet_http_refused_total", "counter",
            "Connections closed at once because their client had too many.", load(&m->refused));
    put_one(out, "trebuchet_http_connections", "gauge", "Connections open.", load(&m->connections));
    put_one(out, "trebuchet_http_busy", "gauge", "Requests being answered.", load(&m->busy));
    put_one(out, "trebuchet_jobs_waiting", "gauge", "Requests waiting for a worker.",
            load(&m->waiting));
    put_one(out, "trebuchet_background_pending", "gauge",
            "Lists and positions that are waiting or being worked on in the background.",
            load(&m->background));
    put_one(out, "trebuchet_background_total", "counter",
            "Lists made and positions solved in the background.", load(&m->finished));
    put_one(out, "trebuchet_log_lines_lost_total", "counter",
            "Lines of the log that could not be written.", load(&m->log_lost));
}

/* The process, under the names that Prometheus' own clients use. */
static void put_process(FILE *out, const Metrics *m)
{
    enum { MICRO = 1000000 };
    struct rusage used;
    struct rlimit files;
    unsigned long long pages = 0;
    long open = -3; /* those of this and the parent folder, and of the listing itself */
    put_one(out, "process_start_time_seconds", "gauge", "When the server began, since 1970.",
            (unsigned long long)m->started);
    if (getrusage(RUSAGE_SELF, &used) == 0) {
        put_head(out, "process_cpu_seconds_total", "counter", "Processor time used.");
        fprintf(out, "process_cpu_seconds_total %.2f\n",
                (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                    (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / MICRO);
    }
    FILE *sizes = fopen("/proc/self/statm", "re");
    if (sizes != NULL && fscanf(sizes, "%*u %llu", &pages) == 1)
        put_one(out, "process_resident_memory_bytes", "gauge",
                "Memory that the process has, with the parts of tables that the system keeps for it.",
                pages * (unsigned long long)sysconf(_SC_PAGESIZE));
    if (sizes != NULL) fclose(sizes);
    DIR *list = opendir("/proc/self/fd");
    if (list != NULL) {
        while (readdir(list) != NULL) open++;
        closedir(list);
        put_one(out, "process_open_fds", "gauge", "Open file descriptors.",
                (unsigned long long)open);
    }
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY)
        put_one(out, "process_max_fds", "gauge", "Most file descriptors that may be open.",
                (unsigned long long)files.rlim_cur);
}

static void put_tables(FILE *out, Metrics *m, TableSet *set)
{
    treb_memory memory;
    ResponseCacheInfo kept;
    treb_tables_get_memory(set->tables, &memory);
    response_cache_info(set->cache, &kept);
    put_one(out, "trebuchet_tables", "gauge", "Table files installed.",
            treb_tables_count(set->tables));
    put_one(out, "trebuchet_faulty_files", "gauge",
            "Files with something wrong found since the tables were last loaded.",
            treb_tables_faults(set->tables));
    put_one(out, "trebuchet_reloads_total", "counter", "Times the tables were reloaded.",
            load(&m->reloads));
    put_one(out, "trebuchet_reload_failures_total", "counter", "Reloads that failed.",
            load(&m->failed_reloads));
    put_one(out, "trebuchet_damaged_blocks_total", "counter",
            "Times a probe met a damaged block or file.", load(&m->damaged));
    put_one(out, "trebuchet_cache_budget_bytes", "gauge", "Memory allowed for unpacked blocks.",
            memory.budget);
    put_one(out, "trebuchet_cache_bytes", "gauge", "Memory used for unpacked blocks.",
            memory.cached);
    put_one(out, "trebuchet_cache_misses_total", "counter",
            "Blocks read and unpacked, since the tables were last loaded.", memory.misses);
    put_one(out, "trebuchet_answers_budget_bytes", "gauge", "Memory allowed for answers kept.",
            kept.budget);
    put_one(out, "trebuchet_answers_bytes", "gauge", "Memory used for answers kept.", kept.bytes);
    put_one(out, "trebuchet_answers", "gauge", "Answers kept.", kept.entries);
    put_one(out, "trebuchet_answers_hits_total", "counter",
            "Requests answered from those kept, since the tables were last loaded.", kept.hits);
    put_one(out, "trebuchet_answers_misses_total", "counter", "Answers that had to be made.",
            kept.misses);
}

char *metrics_prometheus(Metrics *metrics, TableSet *set)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) return NULL;
    put_head(out, "trebuchet_build_info", "gauge", "The version that runs.");
    fprintf(out, "trebuchet_build_info{version=\"" TREB_VERSION "\"} 1\n");
    put_process(out, metrics);
    put_requests(out, metrics);
    put_histograms(out, metrics);
    put_traffic(out, metrics);
    put_tables(out, metrics, set);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

char *metrics_monitor(Metrics *metrics, TableSet *set)
{
    char *text;
    unsigned long long requests = 0, failed = 0;
    treb_memory memory;
    ResponseCacheInfo kept;
    treb_tables_get_memory(set->tables, &memory);
    response_cache_info(set->cache, &kept);
    for (unsigned route = 0; route < metrics->routes; route++)
        for (int code = 0; code < METRICS_CODES; code++) {
            unsigned long long count = load(&metrics->requests[route][code]);
            requests += count;
            if (codes[code] >= 500) failed += count;
        }
    int size = asprintf(&text,
                        "tablebase cache=%lluu,cache_miss=%lluu,requests=%lluu,failed=%lluu,"
                        "blocks_read=%lluu,damaged=%lluu",
                        (unsigned long long)kept.entries, (unsigned long long)kept.misses, requests,
                        failed, (unsigned long long)memory.misses, load(&metrics->damaged));
    return size < 0 ? NULL : text;
}
