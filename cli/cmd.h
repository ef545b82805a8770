/* cmd.h - the subcommands of `trebuchet`, each in its own file cmd_NAME.c.
 *
 * argv[0] is the subcommand's own name. Each returns an exit code (cli/output.h). */
#ifndef TREB_CLI_CMD_H
#define TREB_CLI_CMD_H

int cli_bench(int argc, char **argv);
int cli_blocked(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_engine(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_find(int argc, char **argv);
int cli_gen(int argc, char **argv);
int cli_info(int argc, char **argv);
int cli_line(int argc, char **argv);
int cli_near(int argc, char **argv);
int cli_plan(int argc, char **argv);
int cli_play(int argc, char **argv);
int cli_probe(int argc, char **argv);
int cli_repack(int argc, char **argv);
int cli_rule(int argc, char **argv);
int cli_serve(int argc, char **argv);
int cli_shift(int argc, char **argv);
int cli_solve(int argc, char **argv);
int cli_stats(int argc, char **argv);
int cli_verify(int argc, char **argv);

#endif
