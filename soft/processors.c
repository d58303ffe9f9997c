#include "soft/queue.h"
#include "base/err.h"
static int start(struct queue *q)
{
    (void)q;
    return fail(-EOPNOTSUPP, "not yet");
}
static int step(struct queue *q)
{
    (void)q;
    return 0;
}
static void stop(struct queue *q)
{
    (void)q;
}
const struct processor pm4_processor = {"pm4", start, step, stop, 4},
                       sdma_processor = {"sdma", start, step, stop, 1},
                       aql_processor = {"aql", start, step, stop, 64};
