/* c[i] = a[i] + b[i] on the first device there is; nothing but nxgpu.h.
 *     vector_add [kernels/vector_add.gfx1100.hsaco] */
#include "nxgpu.h"
#include <stdio.h>
#include <stdlib.h>

#define N      1000000
#define TRY(e) ((e) == 0 ? (void)0 : (fprintf(stderr, "vector_add: %s\n", nx_error()), exit(1)))

int main(int argc, char **argv)
{
    nx_device *dev;
    nx_program *prog;
    nx_kernel *add;
    nx_queue *queue;
    nx_buffer *buf[3];
    uint64_t va[3];
    uint32_t n = N;
    static float host[3][N];

    for (int i = 0; i < N; i++)
        host[0][i] = (float)i, host[1][i] = 0.5f * (float)i;

    TRY(nx_device_open(NULL, &dev));
    TRY(nx_program_load_file(dev, argc > 1 ? argv[1] : "kernels/vector_add.gfx1100.hsaco", &prog));
    TRY(nx_program_kernel(prog, "vector_add", &add));
    TRY(nx_queue_create(dev, &queue));
    for (int i = 0; i < 3; i++) {
        TRY(nx_alloc(dev, sizeof host[i], NX_DEVICE, &buf[i]));
        TRY(nx_write(buf[i], 0, host[i], sizeof host[i]));
        va[i] = nx_buffer_va(buf[i]);
    }
    const void *args[] = {&va[0], &va[1], &va[2], &n};
    TRY(nx_launch(queue, add,
                  &(struct nx_launch){.size = sizeof(struct nx_launch),
                                      .items = {N, 1, 1},
                                      .block = {256, 1, 1},
                                      .args = args,
                                      .arg_count = 4}));
    TRY(nx_queue_wait_idle(queue, NX_FOREVER));
    TRY(nx_read(buf[2], 0, host[2], sizeof host[2]));

    for (int i = 0; i < N; i++)
        if (host[2][i] != host[0][i] + host[1][i])
            return fprintf(stderr, "vector_add: c[%d] is %g\n", i, (double)host[2][i]), 1;
    printf("vector_add: %d sums are right\n", N);
    nx_queue_free(queue);
    for (int i = 0; i < 3; i++)
        nx_free(buf[i]);
    nx_program_free(prog);
    nx_device_close(dev);
    return 0;
}
