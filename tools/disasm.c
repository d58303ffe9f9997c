/* nxgpu disasm: prints AMD machine code, of a code object or of raw little-endian words. */
#include "base/bits.h"
#include "base/elf.h"
#include "base/err.h"
#include "isa/amd/inst.h"
#include "tools/tools.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

