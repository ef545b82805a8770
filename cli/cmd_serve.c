/* cmd_serve.c - trebuchet serve: answers over HTTP. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/advice.h"
#include "cli/options.h"
#include "server/server.h"

static const char usage[] =
    "Usage: trebuchet serve [options]\n"
    "\n"
    "Answers from the tables over HTTP and shows a web page at /. Listens on this machine only unless\n"
    "told otherwise. Stops on SIGTERM or Ctrl-C within 5 seconds, in which it finishes the requests\n"
    "under way as far as it can; SIGHUP makes it look for new tables.\n"
    "\n"
    "  -b, --bind ADDRESS   listen on this address: 0.0.0.0 or :: for all (default 127.0.0.1)\n"
    "  -p, --port PORT      listen on this port; 0 picks a free one (default 8080)\n"
    "  -t, --tables DIR     look for tables in DIR; may be given several times\n"
    "  -c, --cache SIZE     memory for unpacked blocks (default 256MiB)\n"
    "      --answers SIZE   memory for answers to repeat (default 64MiB; 0 keeps none)\n"
    "  -j, --threads N      threads that probe (default: one a processor, at least two)\n"
    "      --connections N  connections in all (default 1024)\n"
    "      --per-client N   connections from one address (default 512)\n"
    "      --body SIZE      size of a request's body (default 256KiB)\n"
    "      --timeout S      seconds for a request to arrive whole (default 20)\n"
    "      --limit S        seconds to make an answer, waiting included (default 20)\n"
    "      --log FILE       append the access log to FILE (default: standard error)\n"
    "  -q, --quiet          no access log\n"
    "  -h, --help           this text\n"
    "\n"
    "GET /v1/openapi.json describes what can be asked. Exit codes: 0 stopped, 1 failed, 2 called\n"
    "wrongly.\n";

enum { PORT_MAX = 65535, TICK_NANOSECONDS = 200 * 1000 * 1000 };

typedef struct ServeArgs {
    CliDirs dirs;
    ServerOptions options;
    const char *log;
    bool quiet;
} ServeArgs;

/* ---- Options --------------------------------------------------------------------------------- */

enum { ANSWERS = 256, CONNECTIONS, PER_CLIENT, BODY, TIMEOUT, LIMIT, LOG };

static const struct option options[] = {{"bind", 1, NULL, 'b'},
                                        {"port", 1, NULL, 'p'},
                                        {"tables", 1, NULL, 't'},
                                        {"cache", 1, NULL, 'c'},
                                        {"answers", 1, NULL, ANSWERS},
                                        {"threads", 1, NULL, 'j'},
                                        {"connections", 1, NULL, CONNECTIONS},
                                        {"per-client", 1, NULL, PER_CLIENT},
                                        {"body", 1, NULL, BODY},
                                        {"timeout", 1, NULL, TIMEOUT},
                                        {"limit", 1, NULL, LIMIT},
                                        {"log", 1, NULL, LOG},
                                        {"quiet", 0, NULL, 'q'},
                                        {"help", 0, NULL, 'h'},
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

static bool set_size(const char *name, const char *text, uint64_t most, uint64_t *out)
{
    if (cli_parse_size(text, out) && *out <= most) return true;
    cli_error("serve", "--%s takes a size such as 512MiB", name);
    return false;
}

static bool set_option(ServeArgs *args, int c)
{
    ServerOptions *o = &args->options;
    unsigned port;
    switch (c) {
    case 'b':
        o->bind = optarg;
        return true;
    case 'p':
        o->port = optarg;
        return set_number("port", optarg, 0, PORT_MAX, &port);
    case 't':
        if (cli_dirs_add(&args->dirs, optarg)) return true;
        cli_error("serve", "too many folders");
        return false;
    case 'c':
        return set_size("cache", optarg, UINT64_C(1) << 38, &o->cache);
    case ANSWERS:
        return set_size("answers", optarg, UINT64_C(1) << 38, &o->answers);
    case 'j':
        return set_number("threads", optarg, 1, 256, &o->threads);
    case CONNECTIONS:
        return set_number("connections", optarg, 1, 100000, &o->connections);
    case PER_CLIENT:
        return set_number("per-client", optarg, 1, 100000, &o->per_client);
    case BODY:
        return set_size("body", optarg, UINT64_C(1) << 26, &o->body);
    case TIMEOUT:
        return set_number("timeout", optarg, 1, 3600, &o->timeout);
    case LIMIT:
        return set_number("limit", optarg, 1, 3600, &o->limit);
    case LOG:
        args->log = optarg;
        return true;
    case 'q':
        args->quiet = true;
        return true;
    default:
        return false;
    }
}

/* -1: carry on; else the exit code. */
static int parse(ServeArgs *args, int argc, char **argv)
{
    optind = 1;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":b:p:t:c:j:qh", options, NULL)) != -1;) {
        if (c == '?' || c == ':') return cli_options_complain("serve", options, c, argv);
        if (c == 'h') {
            fputs(usage, stdout);
            return CLI_OK;
        }
        if (!set_option(args, c)) return cli_usage("serve");
    }
    if (optind == argc) return -1;
    cli_error("serve", "what is '%s'? Folders of tables are given with --tables", argv[optind]);
    return cli_usage("serve");
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Serves until a signal ends it. */
static int serve(Server *server)
{
    sigset_t set;
    const struct timespec tick = {.tv_nsec = TICK_NANOSECONDS};
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    printf("Listening on %s\n", server_url(server));
    fflush(stdout);
    for (;;) {
        int signal = sigtimedwait(&set, NULL, &tick);
        if (signal == SIGTERM || signal == SIGINT) break;
        if (signal == SIGHUP) server_reload(server);
        server_tick(server);
    }
    if (server_stop(server)) return CLI_OK;
    cli_error("serve", "stopped with requests unfinished");
    return CLI_FAILED;
}

static int run(ServeArgs *args)
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
    if (server != NULL) return serve(server);
    cli_error("serve", "%s", error.text);
    return CLI_FAILED;
}

int cli_serve(int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    ServeArgs args = {.options = {.bind = "127.0.0.1",
                                  .port = "8080",
                                  .threads = processors > 0 ? (unsigned)processors : 1,
                                  .cache = UINT64_C(256) << 20,
                                  .answers = UINT64_C(64) << 20,
                                  .connections = 1024,
                                  .per_client = 512,
                                  .timeout = 20,
                                  .limit = 20,
                                  .body = 256 << 10,
                                  .log = STDERR_FILENO,
                                  .advise = cli_advice}};
    int code = parse(&args, argc, argv);
    if (code >= 0) {
        cli_dirs_free(&args.dirs);
        return cli_finish("serve", code);
    }
    args.options.lenient = args.dirs.count == 0 && getenv("TREBUCHET_PATH") == NULL;
    cli_dirs_default(&args.dirs);
    args.options.directories = args.dirs.dir;
    args.options.count = args.dirs.count;
    FILE *log = args.log != NULL ? fopen(args.log, "ae") : NULL;
    if (args.log != NULL && log == NULL) {
        cli_error("serve", "cannot write the log to %s: %m", args.log);
        code = CLI_FAILED;
    } else {
        if (log != NULL) args.options.log = fileno(log);
        if (args.quiet) args.options.log = -1;
        code = run(&args);
    }
    if (log != NULL) fclose(log);
    cli_dirs_free(&args.dirs);
    return cli_finish("serve", code);
}
