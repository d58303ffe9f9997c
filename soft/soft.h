/* The software GPU, seen from outside: a port (kernel/port.h) that answers the ioctls, mappings and files of
 * Linux's amdgpu driver, executes the packets written to its rings and runs real GPU machine code on this
 * CPU. Made with port_soft (kernel/port.h); nothing else of soft/ is for other rooms. doc/soft.md describes
 * the model.
 *
 * How queues are served: by default inside port_idle and blocking ioctls, in the caller's thread, so that a
 * run is deterministic and nothing happens behind the caller's back. NXGPU_SOFT=thread: by one thread that
 * watches the doorbells, as hardware would.
 *
 * Faults: the queue stops and the process's MEMORY or HW_EXCEPTION events are set as Linux sets them. The
 * whole story (kind, address, PC, instruction, workgroup, wave, lanes) is text in the pseudo file
 * SOFT_FAULT_FILE of this port, empty while there was no fault: the first line is for people, then one "name
 * value" pair a line (kind, access, va, pc, gpu_id, queue_id, packet). NXGPU_DEBUG=fault prints it on stderr
 * too.
 */
#ifndef NX_SOFT_SOFT_H
#define NX_SOFT_SOFT_H

#define SOFT_FAULT_FILE "/sys/kernel/debug/nxgpu/fault"

/* KFD interface version that is answered: 1.17, the first with today's queue checks. */
#define SOFT_KFD_MINOR 17
#endif
