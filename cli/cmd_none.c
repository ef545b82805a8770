/* cmd_none.c - the subcommands that a build for Windows lacks say so. It takes the place of cmd_serve.c and cmd_engine.c. */
#include "cli/cmd.h"
#include "cli/output.h"

int cli_serve(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    cli_error("serve", "this build has no server; Trebuchet for Linux has one");
    return cli_finish("serve", CLI_FAILED);
}

int cli_engine(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    cli_error("engine",
              "this build cannot replace the probe code of engines; Trebuchet for Linux can");
    return cli_finish("engine", CLI_FAILED);
}
