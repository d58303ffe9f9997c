/* Scheduling: waves, workgroups, barriers, progress, budget, code cache, faults. */
#include "test/unit/engine_rig.h"
#include <signal.h>
#include <unistd.h>

static uint32_t *word(unsigned i)
{
    return (uint32_t *)rig.data + i;
}
static int count_lanes(struct wave *w, const struct lane_insn *in)
{
    (void)in;
    *word(w->s[0]) += (uint32_t)__builtin_popcountll(wave_exec(w));
    return WAVE_GO;
}

TEST(partial_waves_and_groups)
{
    for (unsigned width = 32; width <= 64; width *= 2) {
        struct eng_stats s;
        rig_open(width);
        rig_add(count_lanes, OP_s_nop, 0);
        rig_end();
        rig_size(100);
        rig.l.tail[0] = 7;
        rig.l.groups[0] = 3;
        rig.l.group_start[0] = 5;
        CHECK_EQ(rig_run(NULL, &s), ENG_DONE);
        CHECK_EQ(*word(5), 100);
        CHECK_EQ(*word(6), 100);
        CHECK_EQ(*word(7), 7);
        CHECK_EQ(s.groups, 3);
        CHECK_EQ(s.waves, width == 32 ? 4 + 4 + 1 : 2 + 2 + 1);
        CHECK_EQ(s.insns, s.waves * 2);
        rig_close();
    }
}

TEST(zero_groups_is_done)
{
    rig_open(32);
    rig.l.groups[1] = 0;
    CHECK_EQ(rig_run(NULL, NULL), ENG_DONE);
    rig_close();
}

static int dirty(struct wave *w, const struct lane_insn *in)
{
    (void)in;
    for (unsigned r = 0; r < 6; r++)
        for (unsigned i = 0; i < w->width; i++) {
            if (r && w->v[r * w->width + i])
                ++*word(0);
            w->v[r * w->width + i] = 0xdead;
        }
    if (w->s[50] || w->group->lds[100])
        ++*word(1);
    w->s[50] = 1;
    w->group->lds[100] = 1;
    return WAVE_GO;
}
TEST(state_is_zeroed_for_each_wave)
{
    rig_open(32);
    struct lane_insn *in = rig_add(dirty, OP_s_nop, 0);
    in->d = (struct lane_opnd){.kind = LK_VREG, .dwords = 4, .reg = 2};
    rig_end();
    rig.l.groups[0] = 10;
    CHECK_EQ(rig_run(NULL, NULL), ENG_DONE);
    CHECK_EQ(*word(0), 0);
    CHECK_EQ(*word(1), 0);
    rig_close();
}

static int arrive(struct wave *w, const struct lane_insn *in)
{
    (void)w;
    ++*word((unsigned)in->imm2);
    return WAVE_GO;
}
static int all_arrived(struct wave *w, const struct lane_insn *in)
{
    if (*word((unsigned)in->imm2) != (uint32_t)in->imm)
        ++*word(2);
    return w->index == 0 ? WAVE_END : WAVE_GO; /* wave 0 leaves: it is no member of the second barrier */
}
TEST(barriers_wait_for_all_and_forget_the_ended)
{
    rig_open(32);
    for (int i = 0; i < 2; i++) {
        rig_add(arrive, OP_s_nop, 0)->imm2 = i;
        rig_barrier();
        struct lane_insn *in = rig_add(all_arrived, OP_s_nop, 0);
        in->imm = i ? 7 : 8;
        in->imm2 = i;
    }
    rig_end();
    rig_size(256);
    CHECK_EQ(rig_run(NULL, NULL), ENG_DONE);
    CHECK_EQ(*word(0), 8);
    CHECK_EQ(*word(1), 7);
    CHECK_EQ(*word(2), 0);
    rig_close();
}

/* Spins until the flag of the next workgroup (or wave) is set; the last one sets its own at once. in->imm: 1
 * polls with a yield. */
static int spin_on_next(struct wave *w, const struct lane_insn *in)
{
    unsigned me = w->s[0] * w->group->waves + w->index, last = (unsigned)in->imm2;
    if (me != last && !*word(me + 1)) {
        w->ip = in;
        return in->imm ? WAVE_YIELD : WAVE_GO;
    }
    *word(me) = 1;
    return WAVE_GO;
}
static void check_progress(unsigned groups, unsigned waves, int yields)
{
    rig_open(32);
    struct lane_insn *in = rig_add(spin_on_next, OP_s_nop, LF_BLOCK_END);
    in->imm = yields;
    in->imm2 = (int)(groups * waves) - 1;
    rig_end();
    rig_size(32 * waves);
    rig.l.groups[0] = groups;
    rig.l.max_groups = groups;
    CHECK_EQ(rig_run(NULL, NULL), ENG_DONE);
    CHECK_EQ(*word(0), 1);
    rig_close();
}
TEST(waiting_waves_and_groups_make_progress) /* also case P22 */
{
    check_progress(1, 8, 0);
    check_progress(8, 1, 0);
    check_progress(8, 1, 1);
    check_progress(5, 3, 0);
    check_progress(40, 2, 1);
}

static int add_s2(struct wave *w, const struct lane_insn *in)
{
    w->s[2] += (uint32_t)in->imm;
    return WAVE_GO;
}
static int out_s2(struct wave *w, const struct lane_insn *in)
{
    (void)in;
    *word(w->s[0]) = w->s[2];
    return WAVE_GO;
}
static void set_s1(struct wave *w, const uint32_t size[3])
{
    (void)size;
    w->s[1] = 1000;
}
static void loop_program(void)
{
    rig_open(32);
    rig_add(add_s2, OP_s_nop, 0)->imm = 1;
    rig_add(add_s2, OP_s_nop, 0)->imm = 10;
    rig_loop(-2); /* into the middle of the first block */
    rig_add(out_s2, OP_s_nop, 0);
    rig_end();
    rig.init = set_s1;
}
TEST(budget_stops_and_resumes)
{
    loop_program();
    rig.l.groups[0] = 2;
    struct eng_dispatch *d;
    struct eng_stats s;
    CHECK_EQ(eng_dispatch_start(&rig.l, &d), 0);
    int calls = 1, r;
    while ((r = eng_dispatch_run(d, 100)) == ENG_MORE && calls < 1000000)
        calls++;
    CHECK_EQ(r, ENG_DONE);
    eng_dispatch_stats(d, &s);
    eng_dispatch_free(d);
    CHECK_EQ(*word(0), 10001);
    CHECK_EQ(*word(1), 10001);
    CHECK_EQ(s.insns, 2 * (1 + 1000 * 2 + 2));
    CHECK_EQ(rig.translated, 5); /* the loop found its code in the run it came from */
    rig_close();
}
TEST(dispatches_can_be_dropped_midway)
{
    loop_program();
    struct eng_dispatch *d;
    CHECK_EQ(eng_dispatch_start(&rig.l, &d), 0);
    CHECK_EQ(eng_dispatch_run(d, 1), ENG_MORE);
    eng_dispatch_free(d);
    rig_close();
}

TEST(changed_code_is_noticed_after_invalidation)
{
    rig_open(32);
    rig_add(add_s2, OP_s_nop, 0)->imm = 7;
    rig_add(out_s2, OP_s_nop, 0);
    rig_end();
    struct lane_insn *other = &rig.insns[rig.count++];
    *other = rig.insns[0];
    other->imm = 9;
    CHECK_EQ(rig_run(NULL, NULL), ENG_DONE);
    CHECK_EQ(*word(0), 7);
    eng_cache_invalidate(rig.cache); /* nothing changed: nothing is translated again */
    CHECK_EQ(rig_run(NULL, NULL), ENG_DONE);
    CHECK_EQ(rig.translated, 3);
    rig.code[0] = 3;
    CHECK_EQ(rig_run(NULL, NULL), ENG_DONE);
    CHECK_EQ(*word(0), 7); /* no invalidation yet: the instruction cache still holds the old code */
    eng_cache_invalidate(rig.cache);
    CHECK_EQ(rig_run(NULL, NULL), ENG_DONE);
    CHECK_EQ(*word(0), 9);
    rig_close();
}

static int jump(struct wave *w, const struct lane_insn *in)
{
    w->pc = (uint32_t)in->imm;
    return WAVE_LOOKUP;
}
static void check_fetch(uint32_t pc, enum eng_fault_kind kind)
{
    struct eng_fault f = {0};
    rig_open(32);
    rig_add(jump, OP_s_nop, LF_BLOCK_END | LF_NO_FALL)->imm = (int32_t)pc;
    CHECK_EQ(rig_run(&f, NULL), -EFAULT);
    CHECK_EQ(f.kind, kind);
    CHECK_EQ(f.access, ACCESS_EXEC);
    CHECK_EQ(f.va, pc);
    CHECK_EQ(f.lanes, 0xffffffff);
    rig_close();
}
TEST(instruction_fetch_faults)
{
    check_fetch(0x5000, FAULT_NO_EXEC);   /* not mapped */
    check_fetch(RIG_DATA, FAULT_NO_EXEC); /* not executable */
    check_fetch(RIG_CODE + 2, FAULT_ILLEGAL);
    check_fetch(0, FAULT_NO_EXEC); /* s_setpc to 0 is a jump like any other */
    struct eng_fault f = {0};
    rig_open(32); /* control runs off the end of the mapping */
    rig_add(add_s2, OP_s_nop, 0);
    for (int i = 1; i < 1024; i++)
        rig.code[i] = 0;
    CHECK_EQ(rig_run(&f, NULL), -EFAULT);
    CHECK_EQ(f.kind, FAULT_NO_EXEC);
    CHECK_EQ(f.va, RIG_CODE + 4096);
    rig.l.pc = 0x7000;
    CHECK_EQ(rig_run(&f, NULL), -EFAULT);
    CHECK_EQ(f.kind, FAULT_NO_EXEC);
    rig_close();
}

static int trap(struct wave *w, const struct lane_insn *in)
{
    return wave_fault(w, in, FAULT_TRAP, ACCESS_NONE, 0, 5, "trap %d", 2);
}
TEST(faults_name_everything)
{
    struct eng_fault f = {0};
    char text[600];
    rig_open(32);
    rig_add(add_s2, OP_s_nop, 0);
    rig_add(trap, OP_s_nop, LF_BLOCK_END | LF_NO_FALL);
    rig_size(64);
    rig.l.group_start[0] = 9;
    CHECK_EQ(rig_run(&f, NULL), -EFAULT);
    CHECK_STR(eng_fault_text(&f, text, sizeof text),
              "trap fault (none) at 0x0: pc 0x10004 \"template 1\" workgroup 9,0,0 wave 0 lanes 0x5: trap 2");
    rig_close();
}

static int read_hole(struct wave *w, const struct lane_insn *in)
{
    w->ip = in + 1;
    w->s[2] = ((volatile uint8_t *)rig.data)[4096 + 12];
    return WAVE_GO;
}
static int write_hole(struct wave *w, const struct lane_insn *in)
{
    w->ip = in + 1;
    ((volatile uint8_t *)rig.data)[4096 + 12] = 1;
    return WAVE_GO;
}
static void check_hole(lane_fn *fn, int prot, enum eng_fault_kind kind)
{
    struct eng_fault f = {0};
    rig_open(32);
    mprotect(rig.data + 4096, 4096, prot);
    rig_add(fn, OP_s_nop, 0);
    rig_end();
    CHECK_EQ(rig_run(&f, NULL), -EFAULT);
    CHECK_EQ(f.kind, kind);
    CHECK_EQ(f.va, RIG_DATA + 4096 + 12);
    CHECK_EQ(f.pc, RIG_CODE);
    uint64_t bad = 0;
    uint32_t x = 0;
    CHECK_EQ(mem_write(rig.mem, RIG_DATA + 4094, &x, 4, &bad), -EFAULT);
    rig_close();
}
TEST(host_faults_become_gpu_faults)
{
    check_hole(read_hole, PROT_NONE, FAULT_UNMAPPED);
    check_hole(write_hole, PROT_NONE, FAULT_UNMAPPED);
    check_hole(write_hole, PROT_READ, FAULT_READ_ONLY);
}

static volatile sig_atomic_t handled;
static uint8_t *volatile hole;
static void before(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info, (void)context;
    handled++;
    if (mprotect(hole, 4096, PROT_READ | PROT_WRITE))
        _exit(1);
}
TEST(foreign_faults_reach_the_handler_before)
{
    /* This test runs first: the handler must be there before the guard's. */
    struct sigaction sa = {.sa_sigaction = before, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &sa, NULL);
    rig_open(32);
    rig_add(read_hole, OP_s_nop, 0);
    rig_end();
    mprotect(rig.data + 4096, 4096, PROT_NONE);
    CHECK_EQ(rig_run(NULL, NULL), -EFAULT);
    CHECK_EQ(handled, 0);
    hole = rig.data + 4096;
    *(volatile uint8_t *)hole = 1;
    CHECK_EQ(handled, 1);
    CHECK_EQ(*hole, 1);
    rig_close();
}

TEST(impossible_launches_are_refused)
{
    struct eng_dispatch *d;
    rig_open(32);
    rig.l.width = 16;
    CHECK_EQ(eng_dispatch_start(&rig.l, &d), -EINVAL);
    CHECK_STR(fail_text(), "wave width 16: 32 or 64 expected");
    rig.l.width = 32;
    rig_size(2000);
    CHECK_EQ(eng_dispatch_start(&rig.l, &d), -EINVAL);
    rig_size(64);
    rig.l.scratch_slots = 1;
    CHECK_EQ(eng_dispatch_start(&rig.l, &d), -EINVAL);
    rig_close();
}

TEST(memory_map)
{
    rig_open(32);
    uint64_t bad, g = mem_generation(rig.mem);
    struct mem_range over = {RIG_DATA - 4096, 8192, rig.data, MEM_READ, 0};
    CHECK_EQ(mem_map_add(rig.mem, &over), -EEXIST);
    CHECK_EQ(mem_generation(rig.mem), g);
    over.size = 4096; /* adjacent: copies span both */
    over.host = rig.data + 8192;
    CHECK_EQ(mem_map_add(rig.mem, &over), 0);
    uint8_t buf[8] = {0};
    rig.data[0] = 1;
    rig.data[8192 + 4095] = 2;
    CHECK_EQ(mem_read(rig.mem, RIG_DATA - 1, buf, 2, &bad), 0);
    CHECK_EQ(buf[0], 2);
    CHECK_EQ(buf[1], 1);
    CHECK_EQ(mem_write(rig.mem, RIG_DATA - 1, buf, 2, &bad), -EFAULT); /* read-only */
    CHECK_EQ(bad, RIG_DATA - 1);
    CHECK_EQ(mem_read(rig.mem, RIG_DATA + 65534, buf, 4, &bad), -EFAULT);
    CHECK_EQ(bad, RIG_DATA + 65536);
    CHECK_EQ(mem_fill(rig.mem, RIG_DATA, 0x11223344, 4, 16, &bad), 0);
    CHECK_EQ(*word(3), 0x11223344);
    CHECK_EQ(mem_copy(rig.mem, RIG_DATA + 2, RIG_DATA, 4, &bad), 0);
    CHECK_EQ(*word(0), 0x33443344);
    CHECK(mem_at(rig.mem, RIG_DATA + 8, 65528, MEM_WRITE) == rig.data + 8);
    CHECK(!mem_at(rig.mem, RIG_DATA + 8, 65529, MEM_WRITE));
    CHECK(!mem_at(rig.mem, RIG_DATA - 8, 8, MEM_WRITE));
    CHECK_EQ(mem_map_remove(rig.mem, RIG_DATA + 4096), -ENOENT);
    CHECK_EQ(mem_map_remove(rig.mem, RIG_DATA), 0);
    CHECK(!mem_find(rig.mem, RIG_DATA));
    rig_close();
}

int main(void)
{
    RUN(foreign_faults_reach_the_handler_before);
    RUN(partial_waves_and_groups);
    RUN(zero_groups_is_done);
    RUN(state_is_zeroed_for_each_wave);
    RUN(barriers_wait_for_all_and_forget_the_ended);
    RUN(waiting_waves_and_groups_make_progress);
    RUN(budget_stops_and_resumes);
    RUN(dispatches_can_be_dropped_midway);
    RUN(changed_code_is_noticed_after_invalidation);
    RUN(instruction_fetch_faults);
    RUN(faults_name_everything);
    RUN(host_faults_become_gpu_faults);
    RUN(impossible_launches_are_refused);
    RUN(memory_map);
    return test_done();
}
