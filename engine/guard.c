/* Host memory faults inside engine code, turned into a return value. The handlers are installed at the first
 * guard_run and stay; a fault outside a guarded call goes to whatever handler was there. */
#include "engine/mem.h"
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

struct guard {
    sigjmp_buf env;
    struct guard *outer;
};
static __thread struct guard *volatile innermost;
static __thread volatile uintptr_t fault_address;
static struct sigaction before_segv, before_bus;

static void chain(int sig, siginfo_t *info, void *context)
{
    const struct sigaction *old = sig == SIGBUS ? &before_bus : &before_segv;
    if (old->sa_flags & SA_SIGINFO) {
        old->sa_sigaction(sig, info, context);
    } else if (old->sa_handler == SIG_IGN && info->si_code <= 0) {
        return;
    } else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
        old->sa_handler(sig);
    } else { /* the default action: restore it; a fault happens again on return, a sent signal is re-sent */
        signal(sig, SIG_DFL);
        if (info->si_code <= 0)
            raise(sig);
    }
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    struct guard *g = innermost;
    if (g && info->si_code > 0) { /* raised by the kernel for this thread's own access */
        fault_address = (uintptr_t)info->si_addr;
        siglongjmp(g->env, 1);
    }
    chain(sig, info, context);
}

static void install(void)
{
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_sigaction = on_fault;
    sa.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK; /* NODEFER: siglongjmp need not restore a mask */
    sigemptyset(&sa.sa_mask);
    sigaction(SIGSEGV, &sa, &before_segv);
    sigaction(SIGBUS, &sa, &before_bus);
}

int guard_run(int (*fn)(void *arg), void *arg, uintptr_t *bad)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    struct guard g;
    g.outer = innermost;
    if (sigsetjmp(g.env, 0)) {
        innermost = innermost->outer; /* g itself: its fields survive, locals in registers may not */
        *bad = fault_address;
        return -EFAULT;
    }
    innermost = &g;
    int r = fn(arg);
    innermost = g.outer;
    return r;
}
