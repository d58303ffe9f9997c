/* The words of an amdgpu render node (/dev/dri/renderD128...): our own declarations of its structs, constants
 * and calls, made from drm.def. DRM_x and AMDGPU_x are command words, DRM_NR_x and AMDGPU_NR_x their numbers
 * (amdgpu's begin at 0x40). Sizes and offsets are pinned in call.c; test/unit/kernel_words.c compares them
 * with libdrm's headers.
 */
#ifndef NX_KERNEL_DRM_H
#define NX_KERNEL_DRM_H
#include "kernel/call.h"

#include "kernel/rows_c.h"
#include "kernel/drm.def"

enum drm_nr {
#define CALL(prefix, name, nr, dir, strct, sys) prefix##NR_##name = nr,
#include "kernel/drm.def"
};
enum drm_word {
#define CALL(prefix, name, nr, dir, strct, sys)                                                              \
    prefix##name = CALL_WORD(CALL_##dir, 'd', nr, sizeof(struct strct)),
#include "kernel/drm.def"
};
#endif
