// Escape-time counts of the Mandelbrot set: one work-item a pixel; the view starts at (x0, y0), one pixel is
// `step` wide. count[y * width + x] is the number of iterations before |z| > 2, at most `limit`.
#pragma OPENCL FP_CONTRACT OFF
kernel void mandelbrot(global uint *count, uint width, uint height, float x0, float y0, float step, uint limit)
{
    uint px = get_global_id(0), py = get_global_id(1);
    if (px >= width || py >= height)
        return;
    float cx = fma((float)px, step, x0), cy = fma((float)py, step, y0), x = 0, y = 0;
    uint n = 0;
    while (n < limit) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f)
            break;
        y = fma(2.0f * x, y, cy);
        x = xx - yy + cx;
        n++;
    }
    count[py * width + px] = n;
}
