/* The subcommands of nxgpu, one a file; main.c has a row for each. Return the exit status: 0, 1 (failed, said
 * on stderr), 2 (usage), 77 (no such device). */
#ifndef NX_TOOLS_TOOLS_H
#define NX_TOOLS_TOOLS_H
#include <stddef.h>

int tool_info(int argc, char **argv);
int tool_demo(int argc, char **argv);
int tool_run(int argc, char **argv);
int tool_emu(int argc, char **argv);
int tool_decode(int argc, char **argv);
int tool_asm(int argc, char **argv);
int tool_disasm(int argc, char **argv);

/* A whole file ("-" = standard input) with a 0 byte behind it, malloc'd; NULL with error text. */
char *tool_read(const char *path, size_t *size);
#endif
