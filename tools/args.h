/* The ARG words of nxgpu run: parsed, checked against a kernel's parameters, turned into buffers and values.
 * Not for: options (run.c).
 */
#ifndef NX_TOOLS_ARGS_H
#define NX_TOOLS_ARGS_H
#include "include/nxgpu.h"

struct arg {
    const char *word;  /* as given */
    uint8_t *value;    /* scalar, struct, or the buffer's address */
    size_t value_size; /* bytes at value */
    uint8_t *content;  /* what the buffer holds at first; NULL: zeros */
    uint64_t bytes;    /* of the buffer */
    const char *save;  /* file that gets the buffer afterwards */
    char *own;         /* memory of path texts */
    char kind;         /* 'i' integer, 'f' float, 'h' hex bytes, 'b' buffer, 'l' local */
    nx_buffer *buffer;
};
extern const char args_usage[];

/* One word. -EINVAL (usage) or -errno (a file) with text. args_free() also after a failure. */
int arg_parse(const char *word, struct arg *a);
/* Does it suit parameter `index`? -EINVAL with text. */
int arg_check(const struct arg *a, unsigned index, const struct nx_arg_info *p);
/* Makes the buffer and fills it; may be repeated to fill it again. */
int arg_upload(nx_device *d, struct arg *a);
/* Writes the buffer to its file. */
int arg_save(struct arg *a);
void args_free(struct arg *a, unsigned count);

/* "12", "0x1f", "64K", "3M", "1G". -EINVAL. */
int parse_size(const char *text, uint64_t *out);
#endif
