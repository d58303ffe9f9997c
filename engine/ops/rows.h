/* Turns the rows of the file ROWS into functions, then into the table TABLE. Included once, at the end of a
 * .c file that defines both (no include guard on purpose; alone it is empty).
 */
#ifdef ROWS
#define V1(name, D, A, e)             FN_V1(name, D, A, e)
#define V2(name, D, A, B, e)          FN_V2(name, D, A, B, e)
#define V3(name, D, A, B, C, e)       FN_V3(name, D, A, B, C, e)
#define F1(name, T, e)                FN_F1(name, T, e)
#define F2(name, T, e)                FN_F2(name, T, e)
#define F3(name, T, e)                FN_F3(name, T, e)
#define S2(name, D, A, B, e, wide)    FN_S2(name, D, A, B, e, wide)
#define S3(name, D, A, B, C, e, wide) FN_S3(name, D, A, B, C, e, wide)
#define M2(name, T, n, plain, full)   FN_M2(name, T, n, plain, full)
#define M3(name, T, n, plain, full)   FN_M3(name, T, n, plain, full)
#define U1(name, D, A, ulp, e)        FN_V1(name, D, A, e)
#define VX(name, cls, d, d2, s0, s1, s2, s3, exact, fn)
#include ROWS
#undef V1
#undef V2
#undef V3
#undef F1
#undef F2
#undef F3
#undef S2
#undef S3
#undef M2
#undef M3
#undef U1
#undef VX
#define ROW_(name)                                      {OP_##name, f_##name, f_##name},
#define V1(name, D, A, e)                               ROW_(name)
#define V2(name, D, A, B, e)                            ROW_(name)
#define V3(name, D, A, B, C, e)                         ROW_(name)
#define F1(name, T, e)                                  ROW_(name)
#define F2(name, T, e)                                  ROW_(name)
#define F3(name, T, e)                                  ROW_(name)
#define S2(name, D, A, B, e, wide)                      ROW_(name)
#define S3(name, D, A, B, C, e, wide)                   ROW_(name)
#define M2(name, T, n, plain, full)                     ROW_(name)
#define M3(name, T, n, plain, full)                     ROW_(name)
#define U1(name, D, A, ulp, e)                          ROW_(name)
#define VX(name, cls, d, d2, s0, s1, s2, s3, exact, fn) {OP_##name, f_##fn, f_##fn},
const struct lane_op_row TABLE[] = {
#include ROWS
    {0, NULL, NULL}};
#endif
