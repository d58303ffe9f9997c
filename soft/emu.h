/* The software GPU for programs that no one here wrote: what the launcher (tools/emu.c) and the preload library
 * (soft/preload.c, soft/preload_dev.c) agree on. The launcher makes a directory that looks like the files of
 * amdgpu and amdkfd and names it in the environment; the library sends paths there and answers the device
 * nodes inside the program's own process. Each process has a machine of its own, made when it first opens a
 * device: processes share what the GPUs are, not their memory. doc/emu.md says what works and what does not.
 */
#ifndef NX_SOFT_EMU_H
#define NX_SOFT_EMU_H
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define EMU_ENV_SPEC "NXGPU_EMU_GPU"  /* chips, as port_soft takes them */
#define EMU_ENV_ROOT "NXGPU_EMU_ROOT" /* the directory; unset: the library does nothing */
#define EMU_LIBRARY  "libnxgpu-emu.so"
#define EMU_REPORTS  "report" /* in the directory: one file a process, struct emu_report */

/* What a process did, kept current in a shared mapping so that a killed process's numbers survive. */
struct emu_report {
    uint32_t pid, gpus;
    char program[32];
    struct emu_count {
        uint64_t calls, failed;
        int64_t error; /* of the last failure, -errno */
    } call[2][256];    /* [0] KFD, [1] DRM, by number */
    uint64_t faults;   /* queues stopped: bad packets, registers, programs, addresses */
    char fault[512];   /* the last one */
};

/* preload_dev.c: the device side. Thread-safe. */
enum emu_node { EMU_NONE, EMU_KFD, EMU_RENDER };
/* Which device a path names; *gpu: which render node. */
enum emu_node emu_device(const char *path, unsigned *gpu);
/* A descriptor of this process for it, or -errno. */
int emu_open(enum emu_node node, unsigned gpu, int flags);
/* 1: fd is one of ours (also a duplicate, or one inherited through fork) and *result is 0.. or -errno. 0: not. */
int emu_ioctl(int fd, unsigned long request, void *arg, int *result);
/* The node a file's identity belongs to (EMU_NONE: foreign), with its device number. */
enum emu_node emu_identify(dev_t dev, ino_t ino, dev_t *rdev);
dev_t emu_rdev(enum emu_node node, unsigned gpu);
/* preload.c: the launcher's directory, or NULL when the library is to do nothing. */
const char *emu_root(void);
#endif
