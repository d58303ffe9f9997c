/* Shared by the corpus kernels. The same source is compiled for the GPU (clang-19, gfx1100) and, for the expected
 * results, by PoCL for the CPU. GPU marks what only the GPU can say; the other branch says the same in plain OpenCL C.
 * PoCL has no half arithmetic: there a half is only stored, and computed with as float or double. */
#ifdef __AMDGCN__
#define GPU 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#pragma OPENCL FP_CONTRACT OFF
#define GID ((uint)get_global_id(0))
#define LID ((uint)get_local_id(0))
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE)
/* Rows of results: out[row * n + i]. */
#define PUT(v) (out[n * row++ + i] = (v))
