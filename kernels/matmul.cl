// C = A * B, row-major n x n floats, n a multiple of 16: 16x16 work-groups, one 16x16 tile of each operand at
// a time in local memory.
#define TILE 16
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul(global const float *a, global const float *b, global float *c, uint n)
{
    local float ta[TILE][TILE], tb[TILE][TILE];
    uint lx = get_local_id(0), ly = get_local_id(1);
    uint col = get_group_id(0) * TILE + lx, row = get_group_id(1) * TILE + ly;
    float sum = 0;
    for (uint k = 0; k < n; k += TILE) {
        ta[ly][lx] = a[row * n + k + lx];
        tb[ly][lx] = b[(k + ly) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < TILE; j++)
            sum = fma(ta[ly][j], tb[j][lx], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}
