/* Writes a PNG file of 8-bit palette pixels: stored, not compressed, so that no library is needed.
 * Fact source: the PNG specification (W3C) and RFC 1950.
 */
#ifndef NX_TOOLS_PNG_H
#define NX_TOOLS_PNG_H
#include <stdint.h>

/* width * height palette indices, 256 colours of 3 bytes (red, green, blue). -errno with text. */
int png_write(const char *path, const uint8_t *pixels, uint32_t width, uint32_t height,
              const uint8_t palette[768]);
#endif
