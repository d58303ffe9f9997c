/* clang offload bundles: containers of code objects for several targets, plain or compressed.
 * Not for: the objects inside (code.h). Every offset and size is checked; hostile input is refused.
 *
 *   plain       "__CLANG_OFFLOAD_BUNDLE__"  u64 n  n x { u64 offset, u64 size, u64 length, id[length] }  ...
 *   compressed  "CCOB"  u16 version  u16 method  [v2 u32 | v3 u64 file size]  u32 | v3 u64 size  u64 hash
 * data
 *
 * Fact source: LLVM's clang-offload-bundler document; witness: containers made by clang-offload-bundler-19.
 */
#ifndef NX_AMD_BUNDLE_H
#define NX_AMD_BUNDLE_H
#include "amd/target.h"

/* 1: the image begins like a bundle, 2: like a compressed one, 0: neither. */
int bundle_kind(const void *image, size_t size);

/* Finds the entry that fits the device best (exact before generic); *object points into the image, or into
 * *owned, which the caller releases with mem_free() (NULL for a plain bundle). -ENOEXEC: none fits, the text
 * lists what there is; -ENOTSUP: compressed and the system has no library that unpacks it (libzstd.so.1,
 * libz.so.1). */
int bundle_pick(const void *image, size_t size, const struct amd_target *device, const void **object,
                size_t *object_size, void **owned);
#endif
