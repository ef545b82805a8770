/* cmd_serve.c - trebuchet serve: answers over HTTP. */
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/advice.h"
#include "cli/options.h"
#include "cli/service.h"
#include "server/server.h"

static const char usage[] =
    "Usage: trebuchet serve [options]\n"
    "\n"
    "Answers from the tables over HTTP and shows a web page at /. Listens on this machine only unless\n"
    "told otherwise. Stops on SIGTERM or Ctrl-C within 5 seconds, in which it finishes the requests\n"
    "under way as far as it can; SIGHUP makes it look for new tables and open its log again.\n"
    "\n"
    "  -b, --bind ADDRESS   listen on this address: 0.0.0.0 or :: for all (default 127.0.0.1)\n"
    "  -p, --port PORT      listen on this port; 0 picks a free one (default 8080)\n"
    "  -l, --listen unix:PATH   listen on a Unix socket instead\n"
    "      --socket-mode M  permissions of that socket (default 666)\n"
    "  -t, --tables DIR     look for tables in DIR; may be given several times\n"
    "      --allow-empty    ready without any table: /healthz says ok, and nobody is warned\n"
    "      --trust-proxy A  believe the proxy at this address or network (10.0.0.0/8), or 'unix',\n"
    "                       when it says for whom it asks; may be given several times\n"
    "      --log FILE       append the access log to FILE (default: standard error)\n"
    "  -q, --quiet          no access log\n"
    "\n"
    "Memory and threads:\n"
    "  -c, --cache SIZE     memory for unpacked blocks (default 256MiB)\n"
    "      --answers SIZE   memory for answers to repeat (default 64MiB; 0 keeps none)\n"
    "      --unsent SIZE    memory for long answers that clients have not taken, a quarter of it for\n"
    "                       one client (default 256MiB)\n"
    "  -j, --threads N      threads that probe (default: one a processor, at least two)\n"
    "\n"
    "What clients may have:\n"
    "      --connections N  connections in all (default 1024)\n"
    "      --per-client N   connections from one address (default 512)\n"
    "      --queue N        requests that wait for a thread; of heavy ones, as lines, an eighth\n"
    "                       as many (default 1024)\n"
    "      --queue-per-client N   likewise, of one client (default 256)\n"
    "      --headers SIZE   size of a request's line and headers (default 16KiB)\n"
    "      --body SIZE      size of a request's body (default 256KiB)\n"
    "      --timeout S      seconds for a request to arrive whole (default 20)\n"
    "      --send-timeout S seconds for an answer to be taken (default four times --timeout)\n"
    "      --lists N        lists of zugzwangs and longest wins, made in the background when they are\n"
    "                       asked for, of endings of up to N men (default 5; 0 makes none)\n"
    "      --solve SIZE     positions of kings and pawns without a table are solved in the\n"
    "                       background when asked for, one at a time, with so much memory\n"
    "                       (default 0: none is)\n"
    "      --solve-time S   seconds for each (default 300)\n"
    "      --limit S        seconds to make an answer, waiting included (default 20)\n"
    "\n"
    "  -h, --help           this text\n"
    "\n"
    "GET /v1/openapi.json describes what can be asked. Exit codes: 0 stopped, 1 failed, 2 called\n"
    "wrongly.\n";

enum { PORT_MAX = 65535, THREADS_MOST = 256, TICK_NANOSECONDS = 200 * 1000 * 1000 };

typedef struct ServeArgs {
    CliDirs dirs;
    ServerOptions options;
    const char *log;
    bool quiet;
    bool address; /* --bind or --port was given */
} ServeArgs;

/* ---- Options --------------------------------------------------------------------------------- */

enum {
    ALLOW_EMPTY = 256,
    ANSWERS,
    BODY,
    CONNECTIONS,
    HEADERS,
    LIMIT,
    LISTS,
    LOG,
    PER_CLIENT,
    QUEUE,
    QUEUE_EACH,
    SEND_TIMEOUT,
    SOCKET_MODE,
    SOLVE,
    SOLVE_TIME,
    TIMEOUT,
    TRUST_PROXY,
    UNSENT
};

static const struct option options[] = {{"allow-empty", 0, NULL, ALLOW_EMPTY},
                                        {"answers", 1, NULL, ANSWERS},
                                        {"bind", 1, NULL, 'b'},
                                        {"body", 1, NULL, BODY},
                                        {"cache", 1, NULL, 'c'},
                                        {"connections", 1, NULL, CONNECTIONS},
                                        {"headers", 1, NULL, HEADERS},
                                        {"help", 0, NULL, 'h'},
                                        {"limit", 1, NULL, LIMIT},
                                        {"lists", 1, NULL, LISTS},
                                        {"listen", 1, NULL, 'l'},
                                        {"log", 1, NULL, LOG},
                                        {"per-client", 1, NULL, PER_CLIENT},
                                        {"port", 1, NULL, 'p'},
                                        {"queue", 1, NULL, QUEUE},
                                        {"queue-per-client", 1, NULL, QUEUE_EACH},
                                        {"quiet", 0, NULL, 'q'},
                                        {"send-timeout", 1, NULL, SEND_TIMEOUT},
                                        {"socket-mode", 1, NULL, SOCKET_MODE},
                                        {"solve", 1, NULL, SOLVE},
                                        {"solve-time", 1, NULL, SOLVE_TIME},
                                        {"tables", 1, NULL, 't'},
                                        {"threads", 1, NULL, 'j'},
                                        {"timeout", 1, NULL, TIMEOUT},
                                        {"trust-proxy", 1, NULL, TRUST_PROXY},
                                        {"unsent", 1, NULL, UNSENT},
                                        {NULL, 0, NULL, 0}};

static bool set_number(const char *name, const char *text, uint64_t least, uint64_t most,
                       unsigned *out)
{
    uint64_t value;
    if (!cli_parse_number(text, least, most, &value)) {
        cli_error("serve", "--%s takes a number from %llu to %llu", name, (unsigned long long)least,
                  (unsigned long long)most);
        return false;
    }
    *out = (unsigned)value;
    return true;
}

static bool set_size(const char *name, const char *text, uint64_t least, uint64_t most,
                     uint64_t *out)
{
    char from[16], to[16];
    if (cli_parse_size(text, out) && *out >= least && *out <= most) return true;
    cli_format_size(least, from);
    cli_format_size(most, to);
    cli_error("serve", "--%s takes a size such as 512MiB, from %s to %s", name, from, to);
    return false;
}

static bool set_socket(ServerOptions *o, const char *text)
{
    static const char scheme[] = "unix:";
    enum { SCHEME = sizeof scheme - 1 };
    if (strncmp(text, scheme, SCHEME) == 0 && text[SCHEME] != '\0') {
        o->socket = text + SCHEME;
        return true;
    }
    cli_error("serve",
              "--listen takes unix: and a file's name, such as "
              "unix:/run/trebuchet/trebuchet.sock; an address is given by --bind and --port");
    return false;
}

static bool set_mode(ServerOptions *o, const char *text)
{
    enum { OCTAL = 8, DIGITS = 4, ALL = 0777 };
    size_t digits = strspn(text, "01234567");
    o->socket_mode = (unsigned)strtoul(text, NULL, OCTAL);
    if (digits > 0 && digits <= DIGITS && text[digits] == '\0' && o->socket_mode <= ALL)
        return true;
    cli_error("serve", "--socket-mode takes permissions as chmod does, such as 660");
    return false;
}

static bool add_proxy(ServerOptions *o, const char *text)
{
    switch (proxies_add(&o->proxies, text)) {
    case PROXIES_ADDED:
        return true;
    case PROXIES_FULL:
        cli_error("serve", "--trust-proxy: more than %d addresses", PROXIES_MAX);
        return false;
    default:
        cli_error("serve",
                  "--trust-proxy takes an address such as 192.0.2.7 or ::1, a network such as "
                  "10.0.0.0/8, or unix: what is '%s'?",
                  text);
        return false;
    }
}

static bool set_memory(ServerOptions *o, int c)
{
    enum { MOST_BITS = 38, HEADERS_LEAST = 4 << 10, HEADERS_MOST = 1 << 20, BODY_MOST = 1 << 26 };
    const uint64_t most = UINT64_C(1) << MOST_BITS;
    switch (c) {
    case 'c':
        return set_size("cache", optarg, 0, most, &o->cache);
    case ANSWERS:
        return set_size("answers", optarg, 0, most, &o->answers);
    case UNSENT:
        return set_size("unsent", optarg, 1, most, &o->unsent);
    case SOLVE:
        return set_size("solve", optarg, 0, most, &o->solve_memory);
    case HEADERS:
        return set_size("headers", optarg, HEADERS_LEAST, HEADERS_MOST, &o->headers);
    default:
        return set_size("body", optarg, 0, BODY_MOST, &o->body);
    }
}

static bool set_count(ServerOptions *o, int c)
{
    enum { MOST = 100000, SECONDS_MOST = 3600 };
    switch (c) {
    case 'j':
        return set_number("threads", optarg, 1, THREADS_MOST, &o->threads);
    case LISTS:
        return set_number("lists", optarg, 0, TREB_MEN_MAX, &o->list_men);
    case SOLVE_TIME:
        return set_number("solve-time", optarg, 1, SECONDS_MOST, &o->solve_seconds);
    case CONNECTIONS:
        return set_number("connections", optarg, 1, MOST, &o->connections);
    case PER_CLIENT:
        return set_number("per-client", optarg, 1, MOST, &o->per_client);
    case QUEUE:
        return set_number("queue", optarg, 1, MOST, &o->queue);
    case QUEUE_EACH:
        return set_number("queue-per-client", optarg, 1, MOST, &o->queue_each);
    case TIMEOUT:
        return set_number("timeout", optarg, 1, SECONDS_MOST, &o->timeout);
    case SEND_TIMEOUT:
        return set_number("send-timeout", optarg, 1, SECONDS_MOST, &o->send_timeout);
    default:
        return set_number("limit", optarg, 1, SECONDS_MOST, &o->limit);
    }
}

static bool set_address(ServeArgs *args, int c)
{
    unsigned port;
    args->address = true;
    if (c == 'p') args->options.port = optarg;
    if (c == 'b') args->options.bind = optarg;
    return c == 'b' || set_number("port", optarg, 0, PORT_MAX, &port);
}

static bool set_option(ServeArgs *args, int c)
{
    ServerOptions *o = &args->options;
    switch (c) {
    case 'b':
    case 'p':
        return set_address(args, c);
    case 'l':
        return set_socket(o, optarg);
    case SOCKET_MODE:
        return set_mode(o, optarg);
    case 't':
        if (cli_dirs_add(&args->dirs, optarg)) return true;
        cli_error("serve", "too many folders");
        return false;
    case TRUST_PROXY:
        return add_proxy(o, optarg);
    case 'c':
    case ANSWERS:
    case UNSENT:
    case SOLVE:
    case HEADERS:
    case BODY:
        return set_memory(o, c);
    case ALLOW_EMPTY:
        o->allow_empty = true;
        return true;
    case LOG:
        args->log = optarg;
        return true;
    case 'q':
        args->quiet = true;
        return true;
    case '?':
        return false;
    default:
        return set_count(o, c);
    }
}

/* What the command line leaves open. */
static bool complete(ServeArgs *args)
{
    enum { PATIENCE = 4 }; /* an answer may be large, and a line slow */
    ServerOptions *o = &args->options;
    if (o->send_timeout == 0) o->send_timeout = PATIENCE * o->timeout;
    o->passed = service_socket();
    if (o->socket != NULL && args->address) {
        cli_error("serve", "--listen is in place of --bind and --port: it cannot be both");
        return false;
    }
    if (o->passed < -1) {
        cli_error("serve", "one socket can be passed (LISTEN_FDS), not several");
        return false;
    }
    if (o->passed >= 0 && (o->socket != NULL || args->address))
        cli_warn("serve", "it listens on the socket that was passed (LISTEN_FDS): "
                          "--bind, --port and --listen do not count");
    return true;
}

/* -1: carry on; else the exit code. */
static int parse(ServeArgs *args, int argc, char **argv)
{
    optind = 1;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":b:p:l:t:c:j:qh", options, NULL)) != -1;) {
        if (c == '?' || c == ':') return cli_options_complain("serve", options, c, argv);
        if (c == 'h') {
            fputs(usage, stdout);
            return CLI_OK;
        }
        if (!set_option(args, c)) return cli_usage("serve");
    }
    if (optind == argc) return complete(args) ? -1 : cli_usage("serve");
    cli_error("serve", "what is '%s'? Folders of tables are given with --tables", argv[optind]);
    return cli_usage("serve");
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Opens the log in place of that of before, under the same number; -1 after saying why not. */
static int open_log(const ServeArgs *args)
{
    enum { MODE = 0666 };
    int fd = open(args->log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, MODE);
    if (fd < 0) cli_error("serve", "cannot write the log to %s: %m", args->log);
    if (fd < 0 || args->options.log < 0) return fd;
    dup3(fd, args->options.log, O_CLOEXEC);
    close(fd);
    return args->options.log;
}

/* The server goes on with its old log, or tables, where there are no new ones. */
static void reload(const ServeArgs *args, Server *server)
{
    char state[128];
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%lld",
             1000000LL * now.tv_sec + now.tv_nsec / 1000);
    service_notify(state);
    server_tick(server); /* what is to be logged goes to the old one */
    if (args->log != NULL && !args->quiet) open_log(args);
    server_reload(server);
    service_notify("READY=1");
}

/* A server without tables starts, as they can be made while it runs; but somebody should. */
static void warn_if_empty(const ServeArgs *args, Server *server)
{
    char advice[256];
    const CliDirs *dirs = &args->dirs;
    if (server_ready(server)) return;
    cli_warn("serve", "there are no tables in %s%s, so there is little to answer from",
             dirs->dir[0], dirs->count > 1 ? " and the other folders" : "");
    if (cli_advice(NULL, advice, sizeof advice))
        fprintf(stderr, "%s.\n", advice);
    else
        fprintf(
            stderr,
            "'trebuchet gen --men 4 --tables %s' makes some, run by someone who may write there.\n",
            dirs->dir[0]);
    fprintf(stderr,
            "Then 'kill -HUP %ld' has this server look for them. --allow-empty: no warning.\n",
            (long)getpid());
}

/* Serves until a signal ends it. */
static int serve(const ServeArgs *args, Server *server)
{
    sigset_t set;
    const struct timespec tick = {.tv_nsec = TICK_NANOSECONDS};
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    printf("Listening on %s\n", server_url(server));
    fflush(stdout);
    warn_if_empty(args, server);
    service_notify("READY=1");
    for (;;) {
        int signal = sigtimedwait(&set, NULL, &tick);
        if (signal == SIGTERM || signal == SIGINT) break;
        if (signal == SIGHUP) reload(args, server);
        server_tick(server);
    }
    service_notify("STOPPING=1");
    bool runs, answered = server_stop(server, &runs);
    if (!answered) cli_error("serve", "stopped with requests unfinished");
    const int code = answered ? CLI_OK : CLI_FAILED;
    if (!runs) return code;
    fflush(stdout);
    _exit(code);
}

/* Where a folder is what failed, whose name the message begins with: what to do about it. */
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
    /* Blocked before there are threads, so that they all leave these to the loop above. */
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

/* With the log and the folders that the command line names. */
static int start(ServeArgs *args)
{
    const bool named = args->log != NULL && !args->quiet;
    args->options.lenient = args->dirs.count == 0 && getenv("TREBUCHET_PATH") == NULL;
    cli_dirs_default(&args->dirs);
    args->options.directories = args->dirs.dir;
    args->options.count = args->dirs.count;
    args->options.log = named ? open_log(args) : args->quiet ? -1 : STDERR_FILENO;
    if (named && args->options.log < 0) return CLI_FAILED;
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
                                  .advise = cli_advice}};
    int code = parse(&args, argc, argv);
    if (code < 0) code = start(&args);
    cli_dirs_free(&args.dirs);
    return cli_finish("serve", code);
}
