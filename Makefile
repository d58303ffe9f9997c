# nxgpu. `make` builds o/$(MODE)/{nxgpu,libnxgpu.a,libnxgpu.so.0}; `make check` runs every test.
# MODE=rel|dbg|asan|tsan|stress   WERROR=1 (CI)   CC=gcc|clang
MODE   ?= rel
O      := o/$(MODE)
CC     := $(if $(filter default undefined,$(origin CC)),gcc,$(CC))
WARN   := -Wall -Wextra -Wshadow -Wvla -Wmissing-prototypes $(if $(findstring clang,$(CC)),,-Wno-format-truncation) $(if $(WERROR),-Werror)
OPT.rel    := -O2
OPT.dbg    := -O0 -g
OPT.asan   := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
OPT.tsan   := -O1 -g -fsanitize=thread
OPT.stress := -O1 -g -DNX_STRESS=1
OPT    := $(OPT.$(MODE))
CFLAGS += -std=gnu17 -I. -Iinclude $(OPT) $(WARN) -fPIC -fvisibility=hidden -fno-strict-aliasing -ffp-contract=off
LDLIBS += -lm -lpthread -ldl

LIBROOMS := base hw hw/amd hw/nv kernel core amd nv isa isa/amd isa/ptx engine soft
PRESRC   := $(wildcard soft/preload*.c)
LIBSRC   := $(filter-out $(PRESRC),$(foreach r,$(LIBROOMS),$(wildcard $(r)/*.c)))
# engine/ops/ holds the whole-wave operations; each file is compiled once per instruction set and the
# table to use is picked at run time (engine/variant.h).
OPSRC    := $(wildcard engine/ops/*.c)
VARIANTS := base $(if $(filter x86_64,$(shell uname -m)),v3)
VFLAGS.base :=
VFLAGS.v3   := -march=x86-64-v3
OPOPT.rel   := -O3 -fno-trapping-math -fno-math-errno
LIBOBJ   := $(LIBSRC:%.c=$(O)/%.o) $(foreach v,$(VARIANTS),$(OPSRC:%.c=$(O)/%.$(v).o))
TOOLOBJ  := $(patsubst %.c,$(O)/%.o,$(wildcard tools/*.c))
UNIT     := $(patsubst %.c,$(O)/%,$(wildcard test/unit/*.c))
BENCH    := $(patsubst %.c,$(O)/%,$(wildcard bench/*.c))
EXAMPLES := $(patsubst %.c,$(O)/%,$(wildcard examples/*.c))

all: $(O)/nxgpu $(O)/libnxgpu.a $(O)/libnxgpu.so.0 $(O)/libnxgpu-emu.so $(EXAMPLES)
tests: all $(UNIT)
benches: all $(BENCH)

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<
define variant_rule
$(O)/engine/ops/%.$(1).o: engine/ops/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(OPOPT.$$(MODE)) $$(VFLAGS.$(1)) -DVARIANT=$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach v,$(VARIANTS),$(eval $(call variant_rule,$(v))))

$(O)/libnxgpu.a: $(LIBOBJ)
	@rm -f $@
	ar rcs $@ $^
$(O)/libnxgpu.so.0: $(LIBOBJ)
	$(CC) $(OPT) -shared -Wl,-soname,libnxgpu.so.0 -Wl,-z,defs -o $@ $^ $(LDLIBS)
	@ln -sf libnxgpu.so.0 $(O)/libnxgpu.so
$(O)/libnxgpu-emu.so: $(PRESRC:%.c=$(O)/%.o) $(O)/libnxgpu.a
	$(CC) $(OPT) -shared -Wl,-z,defs -Wl,--exclude-libs,ALL -o $@ $^ $(LDLIBS)
$(O)/nxgpu: $(TOOLOBJ) $(O)/libnxgpu.a
	$(CC) $(OPT) -o $@ $^ $(LDLIBS)
define program_rule
$(O)/$(1)/%: $(1)/%.c $(O)/libnxgpu.a
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) -MMD -MP -MT $$@ -MF $$@.d -o $$@ $$< $(O)/libnxgpu.a $$(LDLIBS)
endef
$(foreach d,test/unit bench examples,$(eval $(call program_rule,$(d))))

check: tests
	test/run $(O)
kernels:
	kernels/build.sh
layers:
	awk -f test/layers.awk layers $$(git ls-files '*.h' '*.c' '*.def')
headers:
	@for h in $$(git ls-files '*.h'); do \
		$(CC) $(CFLAGS) -fsyntax-only -x c $$h || { echo "$$h does not compile alone"; exit 1; }; done
format:
	clang-format --dry-run --Werror $$(git ls-files '*.c' '*.h')
clean:
	rm -rf o
.PHONY: all tests benches kernels check layers headers format clean
-include $(shell find $(O) -name '*.d' 2>/dev/null)
