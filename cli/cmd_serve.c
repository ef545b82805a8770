/* cmd_serve.c - trebuchet serve: answers over HTTP. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/advice.h"
#include "cli/cmd.h"
#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/service.h"
#include "core/system/clock.h"
#include "server/server.h"

enum { THREADS_MOST = 256, TICK_NANOSECONDS = 200 * 1000 * 1000 };

typedef struct ServeArgs {
    CliDirs dirs;
    ServerOptions options;
    const char *log;
    bool quiet;
    bool address; /* --bind or --port was given */
} ServeArgs;

/* ---- Options --------------------------------------------------------------------------------- */

static bool set_socket(const char *command, const CliOption *option, void *to, const char *text)
{
    ServerOptions *o = &((ServeArgs *)to)->options;
    (void)option;
    static const char scheme[] = "unix:";
    enum { SCHEME = sizeof scheme - 1 };
    if (strncmp(text, scheme, SCHEME) == 0 && text[SCHEME] != '\0') {
        o->socket = text + SCHEME;
        return true;
    }
    cli_error(command,
              "--listen takes unix: and the path of a socket, such as "
              "unix:/run/trebuchet/trebuchet.sock; an address is given by --bind and --port");
    return false;
}

static bool set_mode(const char *command, const CliOption *option, void *to, const char *text)
{
    ServerOptions *o = &((ServeArgs *)to)->options;
    (void)option;
    enum { OCTAL = 8, DIGITS = 4, ALL = 0777 };
    size_t digits = strspn(text, "01234567");
    o->socket_mode = (unsigned)strtoul(text, NULL, OCTAL);
    if (digits > 0 && digits <= DIGITS && text[digits] == '\0' && o->socket_mode <= ALL)
        return true;
    cli_error(command, "--socket-mode takes permissions as chmod does, such as 660");
    return false;
}

static bool add_proxy(const char *command, const CliOption *option, void *to, const char *text)
{
    ServerOptions *o = &((ServeArgs *)to)->options;
    (void)option;
    switch (proxies_add(&o->proxies, text)) {
    case PROXIES_ADDED:
        return true;
    case PROXIES_FULL:
        cli_error(command, "--trust-proxy: more than %d addresses", PROXIES_MAX);
        return false;
    default:
        cli_error(command,
                  "--trust-proxy takes an address such as 192.0.2.7 or ::1, a network such as "
                  "10.0.0.0/8, or unix, not '%s'",
                  text);
        return false;
    }
}

static bool set_bind(const char *command, const CliOption *option, void *to, const char *value)
{
    ServeArgs *args = to;
    (void)command, (void)option;
    args->address = true;
    args->options.bind = value;
    return true;
}

static bool set_port(const char *command, const CliOption *option, void *to, const char *value)
{
    ServeArgs *args = to;
    uint64_t port;
    args->address = true;
    args->options.port = value;
    return cli_set_number(command, option, &port, value);
}

enum { COUNT_MOST = 100000, SECONDS_MOST = 3600 };

#define SIZE(member, least, most) CLI_SIZE(ServeArgs, options.member, least, most)
#define COUNT(member, least, most) CLI_UNSIGNED(ServeArgs, options.member, least, most)
#define MEMORY_MOST (UINT64_C(1) << 38)

static const CliOption options[] = {
    {"bind", 'b', "ADDRESS", CLI_OWN(set_bind),
     "listen on this address: 0.0.0.0 or :: for all (default: 127.0.0.1)"},
    {"port", 'p', "PORT", set_port, 0, 0, 65535,
     "listen on this port; 0 picks a free one (default: 8080)"},
    {"listen", 'l', "unix:PATH", CLI_OWN(set_socket), "listen on a Unix socket instead"},
    {"socket-mode", 0, "MODE", CLI_OWN(set_mode), "permissions of that socket (default: 666)"},
    CLI_OPTION_TABLES(ServeArgs, dirs),
    {"allow-empty", 0, NULL, CLI_FLAG(ServeArgs, options.allow_empty),
     "start without a warning if there are no tables, and let /healthz say ok"},
    {"trust-proxy", 0, "ADDRESS", CLI_OWN(add_proxy),
     "trust the client address in the headers of this proxy: an address, a network (10.0.0.0/8) or "
     "'unix'; may be given several times"},
    {"log", 0, "FILE", CLI_TEXT(ServeArgs, log),
     "append the access log to FILE (default: standard error)"},
    {"quiet", 'q', NULL, CLI_FLAG(ServeArgs, quiet), "no log but errors"},
    CLI_HEADING("Memory and threads"),
    {"cache", 'c', "SIZE", SIZE(cache, 0, MEMORY_MOST),
     "memory for unpacked blocks (default: 256MiB)"},
    {"answers", 0, "SIZE", SIZE(answers, 0, MEMORY_MOST),
     "memory for answers that may be requested again (default: 64MiB; 0: none)"},
    {"unsent", 0, "SIZE", SIZE(unsent, 1, MEMORY_MOST),
     "memory for long answers that clients have not received yet, a quarter of it for each client "
     "(default: 256MiB)"},
    {"threads", 'j', "N", COUNT(threads, 1, THREADS_MOST),
     "threads that probe (default: one per processor, at least two)"},
    CLI_HEADING("Limits for clients"),
    {"connections", 0, "N", COUNT(connections, 1, COUNT_MOST),
     "number of connections (default: 1024)"},
    {"per-client", 0, "N", COUNT(per_client, 1, COUNT_MOST),
     "connections from one address (default: 512)"},
    {"queue", 0, "N", COUNT(queue, 1, COUNT_MOST),
     "requests that may wait for a thread; an eighth of that for heavy requests, such as lines "
     "(default: 1024)"},
    {"queue-per-client", 0, "N", COUNT(queue_each, 1, COUNT_MOST),
     "such requests of one client (default: 256)"},
    {"headers", 0, "SIZE", SIZE(headers, 4 << 10, 1 << 20),
     "size of the request line and headers (default: 16KiB)"},
    {"body", 0, "SIZE", SIZE(body, 0, 1 << 26), "size of the request body (default: 256KiB)"},
    {"timeout", 0, "SECONDS", COUNT(timeout, 1, SECONDS_MOST),
     "time for a request to arrive completely (default: 20)"},
    {"send-timeout", 0, "SECONDS", COUNT(send_timeout, 1, SECONDS_MOST),
     "time for the client to receive an answer (default: four times --timeout)"},
    {"lists", 0, "N", COUNT(list_men, 0, TREB_MEN_MAX),
     "on request, make lists of zugzwangs and longest wins in the background, for endings of up to "
     "N men (default: 5; 0: none)"},
    {"solve", 0, "SIZE", SIZE(solve_memory, 0, MEMORY_MOST),
     "on request, solve positions of kings and pawns without a table in the background, one at a "
     "time, with that much memory (default: 0, none)"},
    {"solve-time", 0, "SECONDS", COUNT(solve_seconds, 1, SECONDS_MOST),
     "time for each of them (default: 300)"},
    {"limit", 0, "SECONDS", COUNT(limit, 1, SECONDS_MOST),
     "time to make an answer, including the wait for a thread (default: 20)"},
    CLI_HEADING("Help"),
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand serve_command = {
    .name = "serve",
    .synopsis = "trebuchet serve [options]",
    .about = "Answers from the tables over HTTP and shows a web page at /. By default it listens "
             "on this machine only. SIGTERM and Ctrl-C stop it within 5 seconds; it finishes the "
             "requests in progress if it can. SIGHUP makes it look for new tables and open its log "
             "again.",
    .options = options,
    .notes = "GET /v1/openapi.json describes the requests. Exit codes: 0 stopped, 1 failed, 2 "
             "wrong command line."};

/* Fills in what the command line does not say. Returns false after reporting options that contradict each
 * other. */
static bool complete(ServeArgs *args)
{
    enum { PATIENCE = 4 }; /* an answer may be large, and a connection slow */
    ServerOptions *o = &args->options;
    if (o->send_timeout == 0) o->send_timeout = PATIENCE * o->timeout;
    o->passed = service_socket();
    if (o->socket != NULL && args->address) {
        cli_error("serve", "--listen replaces --bind and --port; they cannot be used together");
        return false;
    }
    if (o->passed < -1) {
        cli_error("serve", "only one socket can be passed (LISTEN_FDS)");
        return false;
    }
    if (o->passed >= 0 && (o->socket != NULL || args->address))
        cli_warn("serve", "listening on the socket that was passed (LISTEN_FDS): "
                          "--bind, --port and --listen are ignored");
    return true;
}

/* Returns -1 to go on, else the exit code. */
static int parse(ServeArgs *args, int argc, char **argv)
{
    int code = cli_options(&serve_command, args, argc, argv);
    if (code >= 0) return code;
    if (optind == argc) return complete(args) ? -1 : cli_usage("serve");
    cli_error("serve", "unexpected '%s'; folders of tables are given with --tables", argv[optind]);
    return cli_usage("serve");
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Opens the log. If a log is open already, replaces it under the same descriptor. Returns the descriptor, or
 * -1 after reporting a failure. */
static int open_log(const ServeArgs *args)
{
    enum { MODE = 0666 };
    int fd = open(args->log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, MODE);
    if (fd < 0) cli_error("serve", "cannot write the log to %s: %s", args->log, strerror(errno));
    if (fd < 0 || args->options.log < 0) return fd;
    dup2(fd, args->options.log);
    fcntl(args->options.log, F_SETFD, FD_CLOEXEC);
    close(fd);
    return args->options.log;
}

/* Opens the log again and looks for new tables. If one of them fails, the server keeps the old ones. */
static void reload(const ServeArgs *args, Server *server)
{
    char state[128];
    snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%lld",
             (long long)(clock_nanoseconds() / 1000));
    service_notify(state);
    server_tick(server); /* writes pending lines to the old log */
    if (args->log != NULL && !args->quiet) open_log(args);
    server_reload(server);
    service_notify("READY=1");
}

/* The folders of tables, for cli_advice: ServerOptions.advise has no context. */
static const CliDirs *advice_dirs;

static bool advise(const char *material, char *text, size_t size)
{
    return cli_advice(material, advice_dirs, text, size);
}

/* Returns whether the lines of a descriptor are to be JSON alone, since the log goes there and a
 * program reads it. */
static bool is_json_alone(const ServeArgs *args, int fd)
{
    struct stat log, other;
    return args->options.log >= 0 && !isatty(fd) && fstat(args->options.log, &log) == 0 &&
           fstat(fd, &other) == 0 && log.st_dev == other.st_dev && log.st_ino == other.st_ino;
}

/* A server without tables starts, because tables can be made while it runs. The user is told how. */
static void warn_if_empty(const ServeArgs *args, Server *server)
{
    char advice[256], text[1024];
    const CliDirs *dirs = &args->dirs;
    if (server_ready(server)) return;
    int size = snprintf(text, sizeof text,
                        "there are no tables in %.400s%s, so most questions cannot be answered\n",
                        dirs->dir[0], dirs->count > 1 ? " and the other folders" : "");
    char *rest = text + size;
    if (advise(NULL, advice, sizeof advice))
        size = snprintf(rest, sizeof text - (size_t)size, "%s.\n", advice);
    else
        size = snprintf(rest, sizeof text - (size_t)size,
                        "'trebuchet gen --men 4 --tables %.200s' makes some, run by a user who may "
                        "write there.\n",
                        dirs->dir[0]);
    rest += size;
    snprintf(rest, sizeof text - (size_t)(rest - text),
             "Then 'kill -HUP %ld' makes this server look for them. --allow-empty: no warning.",
             (long)getpid());
    if (!is_json_alone(args, STDERR_FILENO)) cli_warn("serve", "%s", text);
    for (char *end; (end = strchr(text, '\n')) != NULL;) *end = ' ';
    server_log(server, "warning", text);
}

/* Says where the server listens: on standard output for people and scripts, and in the log. */
static void tell_address(const ServeArgs *args, Server *server)
{
    char text[256];
    snprintf(text, sizeof text, "listening on %s", server_url(server));
    server_log(server, "info", text);
    if (is_json_alone(args, STDOUT_FILENO)) return;
    printf("Listening on %s\n", server_url(server));
    fflush(stdout);
}

/* Returns the next of some blocked signals, or -1 after a tick. */
static int next_signal(const sigset_t *set)
{
    const struct timespec tick = {.tv_nsec = TICK_NANOSECONDS};
#ifdef __APPLE__
    sigset_t waiting;
    int signal;
    for (int i = 1; i < NSIG; i++)
        if (sigismember(set, i) && sigpending(&waiting) == 0 && sigismember(&waiting, i))
            return sigwait(set, &signal) == 0 ? signal : -1;
    nanosleep(&tick, NULL);
    return -1;
#else
    return sigtimedwait(set, NULL, &tick);
#endif
}

/* Serves until a signal ends it. */
static int serve(const ServeArgs *args, Server *server)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    tell_address(args, server);
    warn_if_empty(args, server);
    server_tick(server); /* writes these lines */
    service_notify("READY=1");
    for (;;) {
        int signal = next_signal(&set);
        if (signal == SIGTERM || signal == SIGINT) break;
        if (signal == SIGHUP) reload(args, server);
        server_tick(server);
    }
    service_notify("STOPPING=1");
    bool runs, answered = server_stop(server, &runs);
    if (!answered && !is_json_alone(args, STDERR_FILENO))
        cli_error("serve", "stopped before all requests were finished");
    const int code = answered ? CLI_OK : CLI_FAILED;
    if (!runs) return code;
    fflush(stdout);
    _exit(code);
}

/* If the message begins with the name of a folder, prints what to do about it. */
static void hint_if_folder(const CliDirs *dirs, const char *message)
{
    for (size_t i = 0; i < dirs->count; i++) {
        size_t length = strlen(dirs->dir[i]);
        if (strncmp(message, dirs->dir[i], length) != 0 || message[length] != ':') continue;
        cli_hint_folders(CLI_NAMES_FOLDERS, dirs->dir, dirs->count);
        return;
    }
}

static int run(const ServeArgs *args)
{
    treb_error error;
    sigset_t ours;
    /* Block the signals before there are threads, so that only the loop above receives them. */
    sigemptyset(&ours);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ours, NULL);
    Server *server = server_start(&args->options, &error);
    if (server != NULL) return serve(args, server);
    cli_error("serve", "%s", error.text);
    hint_if_folder(&args->dirs, error.text);
    return CLI_FAILED;
}

/* Opens the log, completes the folders and runs the server. Returns an exit code. */
static int start(ServeArgs *args)
{
    const bool named = args->log != NULL && !args->quiet;
    args->options.lenient = args->dirs.count == 0 && getenv("TREBUCHET_PATH") == NULL;
    cli_dirs_default(&args->dirs);
    advice_dirs = &args->dirs;
    args->options.directories = args->dirs.dir;
    args->options.count = args->dirs.count;
    args->options.log = named ? open_log(args) : args->quiet ? -1 : STDERR_FILENO;
    args->options.console = named || args->quiet ? STDERR_FILENO : -1;
    if (named && args->options.log < 0) return CLI_FAILED;
    if (!is_json_alone(args, STDERR_FILENO)) cli_warn_missing("serve", &args->dirs);
    int code = run(args);
    if (named) close(args->options.log);
    return code;
}

int cli_serve(int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors > THREADS_MOST) processors = THREADS_MOST;
    ServeArgs args = {.options = {.bind = "127.0.0.1",
                                  .port = "8080",
                                  .socket_mode = 0666,
                                  .threads = processors > 0 ? (unsigned)processors : 1,
                                  .cache = UINT64_C(256) << 20,
                                  .answers = UINT64_C(64) << 20,
                                  .unsent = UINT64_C(256) << 20,
                                  .connections = 1024,
                                  .per_client = 512,
                                  .queue = 1024,
                                  .queue_each = 256,
                                  .timeout = 20,
                                  .limit = 20,
                                  .list_men = 5,
                                  .solve_seconds = 300,
                                  .headers = 16 << 10,
                                  .body = 256 << 10,
                                  .log = -1,
                                  .advise = advise}};
    int code = parse(&args, argc, argv);
    if (code < 0) code = start(&args);
    cli_dirs_free(&args.dirs);
    return cli_finish("serve", code);
}
