// c[i] = a[i] + b[i]; one work-item an element, n need not be a multiple of the work-group.
kernel void vector_add(global const float *a, global const float *b, global float *c, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}
