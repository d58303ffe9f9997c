/* Opens a file of measured facts that tests use as outside witness: $NXGPU_FACTS/NAME, else
 * ../shared/facts/NAME. NULL when it is not there: the test then SKIPs. */
#ifndef NX_TEST_FACTS_H
#define NX_TEST_FACTS_H
#include <stdio.h>
#include <stdlib.h>

static inline FILE *facts_open(const char *name)
{
    char path[512];
    const char *dir = getenv("NXGPU_FACTS");
    snprintf(path, sizeof path, "%s/%s", dir && *dir ? dir : "../shared/facts", name);
    return fopen(path, "r");
}
#endif
