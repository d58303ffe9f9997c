/* AMD targets: the names and ELF numbers of instruction sets, and which code runs on which device.
 * Not for: register differences (hw/amd/gen.h).
 * Fact source: LLVM's AMDGPU usage document (EF_AMDGPU_MACH, generic targets); witness:
 * test/unit/runtime_code.c loads objects that clang-19 and llvm made.
 */
#ifndef NX_AMD_TARGET_H
#define NX_AMD_TARGET_H
#include <stddef.h>
#include <stdint.h>

/* What a code object says it was compiled for. */
struct amd_target {
    char name[32];         /* "gfx1100", "gfx11-generic" */
    int8_t xnack, sramecc; /* -1: does not matter, 0: off, 1: on */
};
/* From e_flags of a code object; version 3..6. -ENOEXEC: unknown mach number. */
int amd_target_of_flags(uint32_t e_flags, unsigned version, struct amd_target *out);
/* From a name with feature suffixes, "gfx90a:sramecc+:xnack-". -EINVAL. */
int amd_target_of_name(const char *text, size_t size, struct amd_target *out);
/* From the topology's gfx_target_version, decimal major minor step: 110000 -> "gfx1100", 90010 -> "gfx90a".
 */
void amd_target_of_version(uint32_t version, char name[32]);
/* How well code fits a device: 0 not at all, 1 generic, 2 exact. A device's features are 0 or 1, -1 if it has
 * none. */
int amd_target_fit(const struct amd_target *code, const struct amd_target *device);
/* "gfx90a:sramecc+:xnack-" */
void amd_target_print(const struct amd_target *, char *text, size_t size);
#endif
