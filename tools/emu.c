/* nxgpu emu: runs a program with software GPUs in place of device nodes (soft/emu.h). */
#define _GNU_SOURCE
#include "soft/emu.h"
#include "base/err.h"
#include "kernel/call.h"
#include "kernel/port.h"
#include "tools/tools.h"
#include <dirent.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] =
    "usage: nxgpu emu [--gpu SPEC[,SPEC...]] [--report] [--] COMMAND [ARG...]\n"
    "Runs COMMAND with software GPUs in place of /dev/kfd, /dev/dri/renderD* and amdgpu's sysfs files.\n"
    "  --gpu SPEC   the GPUs, one chip each: gfx906 gfx90a gfx942 gfx1030 gfx1100 gfx1201 (default gfx1100)\n"
    "  --report     afterwards: what each process asked of the driver, and what was refused\n"
    "NXGPU_DEBUG=emu,kfd,fault,... shows refused calls and faults as they happen.\n"
    "Exit: COMMAND's status (128 + n: killed by signal n), 1 could not be set up, 2 usage.\n";

static char root[PATH_MAX / 2];
static volatile pid_t child;

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    remove(path);
    return 0;
}
static void remove_tree(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Directories of launchers that were killed. */
static void sweep(const char *base)
{
    DIR *d = opendir(base);
    char path[PATH_MAX];
    for (struct dirent *e; d && (e = readdir(d));) {
        unsigned uid, pid;
        int n = 0;
        if (sscanf(e->d_name, "nxgpu-emu-%u-%u%n", &uid, &pid, &n) == 2 && !e->d_name[n] && uid == getuid() &&
            kill((pid_t)pid, 0) && errno == ESRCH &&
            snprintf(path, sizeof path, "%s/%s", base, e->d_name) < (int)sizeof path)
            remove_tree(path);
    }
    if (d)
        closedir(d);
}

static int make_dirs(const char *path)
{
    char p[PATH_MAX];
    snprintf(p, sizeof p, "%s", path);
    for (char *s = p + strlen(root); (s = strchr(s + 1, '/'));) {
        *s = 0;
        mkdir(p, 0755);
        *s = '/';
    }
    return mkdir(p, 0755) && errno != EEXIST ? fail(-errno, "%s", p) : 0;
}
static int make_file(const char *path, const char *text, size_t n)
{
    FILE *f = fopen(path, "w");
    if (!f || fwrite(text, 1, n, f) != n || fclose(f))
        return fail(-errno, "%s", path);
    return chmod(path, 0644) ? -errno : 0;
}

/* Everything the port shows below `path`, as files. */
static int copy_tree(const struct port *p, const char *path)
{
    static char text[16384];
    char names[8192], below[PATH_MAX], out[PATH_MAX];
    if (snprintf(out, sizeof out, "%s%s", root, path) >= (int)sizeof out)
        return fail(-ENAMETOOLONG, "%s", path);
    int n = port_list_dir(p, *path ? path : "/", names, sizeof names);
    if (n == -ENOTDIR) {
        n = port_read_file(p, path, text, sizeof text);
        return n < 0 ? n : make_file(out, text, (size_t)n);
    }
    int err = n < 0 ? n : make_dirs(out);
    const char *name = names;
    for (int i = 0; i < n && !err; i++, name += strlen(name) + 1)
        err = snprintf(below, sizeof below, "%s/%s", path, name) >= (int)sizeof below
                  ? fail(-ENAMETOOLONG, "%s/%s", path, name)
                  : copy_tree(p, below);
    return err;
}

static int make_nodes(unsigned gpus)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/dev/dri", root);
    int err = make_dirs(path);
    for (unsigned i = 0; i <= gpus && !err; i++) {
        if (i)
            snprintf(path, sizeof path, "%s/dev/dri/renderD%u", root, 127 + i);
        else
            snprintf(path, sizeof path, "%s/dev/kfd", root);
        if (!(err = make_file(path, "", 0)) && chmod(path, 0666))
            err = -errno;
    }
    snprintf(path, sizeof path, "%s/sys/class/kfd", root);
    if (!err && !(err = make_dirs(path))) {
        strcat(path, "/kfd");
        if (symlink("../../devices/virtual/kfd/kfd", path))
            err = fail(-errno, "%s", path);
    }
    snprintf(path, sizeof path, "%s/" EMU_REPORTS, root);
    return err ? err : make_dirs(path);
}

static int set_up(const char *spec)
{
    const char *base = access("/dev/shm", W_OK) ? getenv("TMPDIR") : "/dev/shm";
    if (!base || !*base)
        base = "/tmp";
    struct port *port;
    int err = port_soft(spec, &port);
    if (err)
        return err;
    sweep(base);
    snprintf(root, sizeof root, "%s/nxgpu-emu-%u-%d", base, (unsigned)getuid(), (int)getpid());
    if (mkdir(root, 0700)) {
        err = fail(-errno, "%s", root);
        root[0] = 0;
    }
    unsigned gpus = 1;
    for (const char *p = spec; (p = strchr(p, ',')); p++)
        gpus++;
    if (!err)
        err = copy_tree(port, "");
    port_destroy(port);
    return err ? err : make_nodes(gpus);
}

/* The library lies beside the tool, or where an installation puts it. */
static int find_library(char *out, size_t cap)
{
    static const char *const places[] = {"", "../lib/nxgpu/", "../lib/"};
    char exe[PATH_MAX / 2];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0)
        return fail(-ENOENT, "/proc/self/exe cannot be read");
    exe[n] = 0;
    *strrchr(exe, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(out, cap, "%s/%s" EMU_LIBRARY, exe, places[i]);
        if (!access(out, R_OK))
            return 0;
    }
    return fail(-ENOENT, "%s/" EMU_LIBRARY " does not exist: make builds it", exe);
}

static void forward(int sig)
{
    if (child > 0)
        kill(child, sig);
}

static int run(const char *library, const char *spec, char **argv)
{
    static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
    char preload[PATH_MAX * 2];
    const char *old = getenv("LD_PRELOAD");
    snprintf(preload, sizeof preload, "%s%s%s", library, old && *old ? ":" : "", old ? old : "");
    fflush(NULL);
    child = fork();
    if (!child) {
        setenv("LD_PRELOAD", preload, 1);
        setenv(EMU_ENV_ROOT, root, 1);
        setenv(EMU_ENV_SPEC, spec, 1);
        execvp(argv[0], argv);
        fprintf(stderr, "nxgpu emu: %s: %s\n", argv[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    if (child < 0)
        return fail(-errno, "fork");
    struct sigaction sa = {.sa_handler = forward, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
        sigaction(forwarded[i], &sa, NULL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void report_one(const struct emu_report *r)
{
    printf("process %u (%s), %u GPU%s\n", r->pid, r->program, r->gpus, r->gpus == 1 ? "" : "s");
    for (unsigned kind = 0; kind < 2; kind++)
        for (unsigned nr = 0; nr < 256; nr++) {
            const struct emu_count *c = &r->call[kind][nr];
            const struct call *row =
                kind ? drm_call_lookup(CALL_WORD(0, 'd', nr, 0)) : kfd_call_lookup(CALL_WORD(0, 'K', nr, 0));
            if (!c->calls)
                continue;
            printf("  %s %02x %-24s %8llu", kind ? "drm" : "kfd", nr, row ? row->name : "(unknown)",
                   (unsigned long long)c->calls);
            if (c->failed)
                printf("  refused %llu, last: %s", (unsigned long long)c->failed, strerror((int)-c->error));
            putchar('\n');
        }
    if (r->faults)
        printf("  faults %llu, last: %.*s\n", (unsigned long long)r->faults, (int)sizeof r->fault, r->fault);
}
static void report(void)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/" EMU_REPORTS, root);
    struct dirent **list;
    int n = scandir(path, &list, NULL, versionsort);
    for (int i = 0; i < n; i++) {
        size_t size;
        snprintf(path, sizeof path, "%s/" EMU_REPORTS "/%s", root, list[i]->d_name);
        char *r = list[i]->d_name[0] != '.' ? tool_read(path, &size) : NULL;
        if (r && size == sizeof(struct emu_report))
            report_one((const struct emu_report *)r);
        free(r);
        free(list[i]);
    }
    if (n <= 2)
        printf("no process opened a device\n");
    if (n >= 0)
        free(list);
}

int tool_emu(int argc, char **argv)
{
    const char *spec = "gfx1100";
    int i = 1, want_report = 0;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--")) {
            i++;
            break;
        }
        if (!strcmp(argv[i], "--gpu") && i + 1 < argc) {
            spec = argv[++i];
        } else if (!strcmp(argv[i], "--report")) {
            want_report = 1;
        } else {
            fprintf(stderr, "nxgpu emu: option %s is unknown\n%s", argv[i], usage);
            return 2;
        }
    }
    if (i >= argc) {
        fputs(usage, stderr);
        return 2;
    }
    char library[PATH_MAX];
    int r = find_library(library, sizeof library);
    if (!r)
        r = set_up(spec);
    if (!r)
        r = run(library, spec, argv + i);
    if (r < 0) {
        fprintf(stderr, "nxgpu emu: %s\n", fail_text());
        r = 1;
    }
    if (want_report && root[0])
        report();
    if (root[0])
        remove_tree(root);
    return r;
}
