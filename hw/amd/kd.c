#define HW_TABLES
#include "hw/amd/kd.h"
