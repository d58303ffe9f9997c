/* Code objects: reads the ELF, its target, metadata and kernel descriptors, and makes the relocated memory
 * image. Not for: bundles (bundle.h), device memory (program.c). All input is checked: a hostile object is
 * refused. Fact source: LLVM's AMDGPU usage document, code object versions 3 to 6; witness: objects made by
 * clang-19.
 */
#ifndef NX_AMD_CODE_H
#define NX_AMD_CODE_H
#include "amd/target.h"
#include "base/elf.h"
#include "core/backend.h"
#include "hw/amd/kd.h"

/* Arguments that the compiler adds and the runtime fills in; H(name as in the metadata, bytes). */
#define HIDDEN_ARGS(H)                                                                                       \
    H(block_count_x, 4)                                                                                      \
    H(block_count_y, 4)                                                                                      \
    H(block_count_z, 4)                                                                                      \
    H(group_size_x, 2)                                                                                       \
    H(group_size_y, 2)                                                                                       \
    H(group_size_z, 2)                                                                                       \
    H(remainder_x, 2)                                                                                        \
    H(remainder_y, 2)                                                                                        \
    H(remainder_z, 2)                                                                                        \
    H(global_offset_x, 8)                                                                                    \
    H(global_offset_y, 8)                                                                                    \
    H(global_offset_z, 8)                                                                                    \
    H(grid_dims, 2)                                                                                          \
    H(printf_buffer, 8)                                                                                      \
    H(hostcall_buffer, 8)                                                                                    \
    H(multigrid_sync_arg, 8)                                                                                 \
    H(heap_v1, 8)                                                                                            \
    H(default_queue, 8)                                                                                      \
    H(completion_action, 8)                                                                                  \
    H(dynamic_lds_size, 4)                                                                                   \
    H(private_base, 4)                                                                                       \
    H(shared_base, 4)                                                                                        \
    H(queue_ptr, 8)                                                                                          \
    H(none, 0)
enum hidden_kind {
#define HIDDEN_KIND(name, bytes) HIDDEN_##name,
    HIDDEN_ARGS(HIDDEN_KIND)
#undef HIDDEN_KIND
};
struct hidden_arg {
    uint32_t offset;
    uint16_t bytes;
    uint8_t kind; /* enum hidden_kind */
};

struct amd_kernel {
    nx_kernel base;
    uint64_t id; /* of this process's loaded kernels, from 1; never used again */
    char *name;
    struct kd_desc kd;
    uint64_t kd_va, entry_va; /* relative to the image until it is loaded */
    uint32_t kernarg_segment; /* explicit and hidden */
    unsigned hidden_count;
    struct hidden_arg *hidden;
};
struct code {
    struct elf elf;
    unsigned version; /* 3..6 */
    struct amd_target target;
    uint64_t size, align; /* of the memory image */
    unsigned kernel_count;
    struct amd_kernel *kernels;
};

/* Reads an object; image must stay while the struct lives. -ENOEXEC with text. On failure nothing needs
 * closing. */
int code_open(struct code *, const void *image, size_t size);
void code_close(struct code *);
/* Releases kernels that were taken out of a struct code. */
void code_free_kernels(struct amd_kernel *, unsigned count);

/* Fills out[code->size] with the segments, relocated for the address base. */
int code_image(const struct code *, uint64_t base, uint8_t *out);
#endif
