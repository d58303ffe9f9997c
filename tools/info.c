/* nxgpu info: the devices there are, and whether they can be used. */
#include "base/json.h"
#include "include/nxgpu.h"
#include "tools/tools.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char usage[] = "usage: nxgpu info [--json]\n"
                            "Lists every device: real ones first, then the software GPUs.\n"
                            "Exit: 0, 1 failed, 2 usage, 77 there is no device.\n";

static void print_text(const struct nx_device_info *i, const char *error)
{
    printf("%s  %s%s\n", i->selector, i->name, i->software ? " (software GPU)" : "");
    printf("  %-14s %s, vendor %04x device %04x, %s\n", "identity", i->target, i->vendor_id, i->device_id,
           i->driver);
    printf("  %-14s %u compute units, %u SIMDs of %u waves, wave%u, %u shader engines, %u XCC\n", "compute",
           i->compute_units, i->simds, i->max_waves_per_simd, i->wave_size, i->shader_engines, i->xccs);
    printf("  %-14s %.1f GiB%s\n", "memory", (double)i->memory_bytes / (1 << 30),
           i->host_visible ? ", all visible to the host" : "");
    printf("  %-14s %u work-items, %u bytes of local memory\n", "work-group", i->max_block, i->lds_bytes);
    printf("  %-14s %s\n", "usable", error ? error : "yes");
}

static void print_json(struct json *j, const struct nx_device_info *i, const char *error)
{
    json_object(j, NULL);
    json_str(j, "selector", i->selector);
    json_str(j, "name", i->name);
    json_str(j, "target", i->target);
    json_str(j, "driver", i->driver);
    json_bool(j, "software", i->software != 0);
    json_hex(j, "vendor_id", i->vendor_id);
    json_hex(j, "device_id", i->device_id);
    json_u64(j, "compute_units", i->compute_units);
    json_u64(j, "simds", i->simds);
    json_u64(j, "max_waves_per_simd", i->max_waves_per_simd);
    json_u64(j, "wave_size", i->wave_size);
    json_u64(j, "shader_engines", i->shader_engines);
    json_u64(j, "xccs", i->xccs);
    json_u64(j, "max_block", i->max_block);
    json_u64(j, "lds_bytes", i->lds_bytes);
    json_u64(j, "memory_bytes", i->memory_bytes);
    json_bool(j, "host_visible", i->host_visible != 0);
    json_u64(j, "max_clock_mhz", i->max_clock_mhz);
    json_u64(j, "timer_hz", i->timer_hz);
    json_bool(j, "usable", !error);
    json_str(j, "error", error);
    json_close(j);
}

/* Opens the device to learn whether it works, and the driver's version. NULL, or why not. */
static const char *try_open(struct nx_device_info *i)
{
    nx_device *d;
    if (nx_device_open(i->selector, &d))
        return nx_error();
    nx_device_describe(d, i);
    nx_device_close(d);
    return NULL;
}

int tool_info(int argc, char **argv)
{
    int use_json = argc == 2 && !strcmp(argv[1], "--json"), rc;
    unsigned n = 0;
    if (argc > 2 || (argc == 2 && !use_json)) {
        fputs(usage, stderr);
        return 2;
    }
    struct json j = json_begin(stdout);
    if (use_json) {
        json_object(&j, NULL);
        json_u64(&j, "version", 1);
        json_array(&j, "devices");
    }
    struct nx_device_info i = {.size = sizeof i};
    for (; !(rc = nx_device_list(n, &i)); n++) {
        const char *error = try_open(&i);
        if (use_json)
            print_json(&j, &i, error);
        else
            print_text(&i, error);
    }
    if (use_json)
        json_end(&j);
    if (rc != -ENOENT)
        fprintf(stderr, "nxgpu info: %s\n", nx_error());
    else if (!n)
        fprintf(stderr, "nxgpu info: no device\n");
    return rc != -ENOENT ? 1 : n ? 0 : 77;
}
