#include "tools/tools.h"
#include "base/err.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *tool_read(const char *path, size_t *size)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    char *buf = NULL;
    size_t n = 0, room = 0;
    if (!f) {
        fail(-errno, "%s: %s", path, strerror(errno));
        return NULL;
    }
    do {
        if (n + 65536 + 1 > room) {
            char *more = realloc(buf, room = 2 * room + 131072);
            if (!more) {
                fail(-ENOMEM, "%s: no memory for %zu bytes", path, room);
                goto undo;
            }
            buf = more;
        }
        n += fread(buf + n, 1, 65536, f);
    } while (!feof(f) && !ferror(f));
    if (ferror(f)) {
        fail(-EIO, "%s: %s", path, strerror(errno));
        goto undo;
    }
    if (f != stdin)
        fclose(f);
    buf[n] = 0;
    *size = n;
    return buf;
undo:
    if (f != stdin)
        fclose(f);
    free(buf);
    return NULL;
}
