#!/bin/sh
# Regenerates test/corpus/want with PoCL (Debian pocl-opencl-icd, ocl-icd-opencl-dev). By hand; the checks use the
# committed results.   test/corpus/expect.sh [KERNEL...]
set -e
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p want
${CC:-gcc} -std=gnu17 -O1 -Wall -Wextra -I../.. -o "$tmp/expect" expect.c -lOpenCL -lm
POCL_DEVICES=pthread "$tmp/expect" . "$@"
