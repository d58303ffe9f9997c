#define HW_TABLES
#include "hw/amd/aql.h"

const struct hw_record *aql_record(uint32_t header)
{
    for (unsigned i = 0; i < aql_nrecords; i++)
        if (aql_records[i].op == aql_op(header))
            return &aql_records[i];
    return NULL;
}
