/* nxgpu: one subcommand a file, one row here. */
#include "tools/tools.h"
#include <stdio.h>
#include <string.h>

static const struct tool {
    const char *name, *help;
    int (*main)(int argc, char **argv);
} tools[] = {
    {"help", "this list", 0},
    {"info", "list the devices", tool_info},
    {"demo", "run and check three kernels", tool_demo},
    {"run", "run a kernel of a code object", tool_run},
    {"emu", "run a program with software GPUs in place of device nodes", tool_emu},
    {"decode", "print the packets of a PM4, SDMA or AQL stream", tool_decode},
    {"asm", "assemble such text into dwords", tool_asm},
    {"disasm", "print AMD machine code", tool_disasm},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof tools / sizeof *tools; i++)
        if (tools[i].main && !strcmp(argv[1], tools[i].name))
            return tools[i].main(argc - 1, argv + 1);
    fprintf(stderr, "usage: nxgpu COMMAND ...\n");
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        fprintf(stderr, "  %-8s %s\n", tools[i].name, tools[i].help);
    return 2;
}
