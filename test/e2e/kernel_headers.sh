#!/bin/sh
# test/unit/kernel_words.c once more where <linux/kfd_ioctl.h> is installed but the <drm/drm.h> it includes is not:
# libdrm's copy (/usr/include/libdrm) stands in for it.
if [ -e /usr/include/drm/drm.h ]; then
    echo "skip - kernel_headers: <drm/drm.h> is installed, the unit test has used it"
    exit 77
fi
if [ ! -e /usr/include/linux/kfd_ioctl.h ] || [ ! -e /usr/include/libdrm/drm.h ]; then
    echo "skip - kernel_headers: needs /usr/include/linux/kfd_ioctl.h and /usr/include/libdrm/drm.h"
    exit 77
fi
case ${NXGPU_O:=o/rel} in
    *san) echo "skip - kernel_headers: once is enough, without sanitizers"; exit 77 ;;
esac
cc=${CC:-cc}
command -v ${cc%% *} >/dev/null 2>&1 || { echo "skip - kernel_headers: no C compiler"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ln -s /usr/include/libdrm "$dir/drm"
$cc -std=gnu17 -I. -I"$dir" -o "$dir/words" test/unit/kernel_words.c "$NXGPU_O/libnxgpu.a" -lm -lpthread -ldl ||
    { echo "not ok - kernel_headers: does not compile"; exit 1; }
"$dir/words" | grep '_header'
