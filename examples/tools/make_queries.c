/* Makes a plan request of random queries whose ends are free.
 *
 *   make_queries WORLD ROBOT COUNT SEED
 */
#include "tools/random.h"
#include "tools/scene.h"

#include <stdio.h>
#include <stdlib.h>

/* Free by this much, so that rounding decides nothing, metres. */
static const double clearance_m = 0.05;

enum { TRIES_MAX = 1000000, DIGITS = 7 };

/* Appends a free state; false: none was found. */
static bool state_write(const struct scene *scene, struct random *random, struct text *out)
{
    double state[3];
    for (int try = 0; try < TRIES_MAX; try++) {
        for (int i = 0; i < scene->dimension; i++)
            state[i] = random_uniform(random, scene->lower[i], scene->upper[i]);
        if (scene_clearance(scene, state) <= clearance_m)
            continue;
        text_json_open(out, '[');
        for (int i = 0; i < scene->dimension; i++)
            text_json_number(out, state[i], DIGITS);
        text_json_close(out, ']');
        return true;
    }
    return false;
}

static bool request_write(const struct scene *scene, unsigned count, struct random *random,
                          struct text *out)
{
    text_json_open(out, '{');
    text_json_key(out, "queries");
    text_json_open(out, '[');
    for (unsigned i = 0; i < count; i++) {
        text_json_open(out, '{');
        text_json_key(out, "id");
        text_json_u64(out, i);
        text_json_key(out, "start");
        if (!state_write(scene, random, out))
            return false;
        text_json_key(out, "goal");
        if (!state_write(scene, random, out))
            return false;
        text_json_close(out, '}');
    }
    text_json_close(out, ']');
    text_json_close(out, '}');
    text_append(out, "\n", 1);
    return !out->failed;
}

int main(int argc, char **argv)
{
    char fault[512] = "usage: make_queries WORLD ROBOT COUNT SEED";
    struct scene scene = {0};
    struct text out = {0};
    bool good = argc == 5 && scene_read(&scene, argv[1], argv[2], fault, sizeof fault);
    if (good) {
        struct random random = {strtoull(argv[4], NULL, 10)};
        good = scene.bounded &&
               request_write(&scene, (unsigned)strtoul(argv[3], NULL, 10), &random, &out);
        snprintf(fault, sizeof fault, "%s has no bounds or no free space", argv[1]);
    }
    if (good)
        good = fwrite(out.data, 1, out.length, stdout) == out.length && fflush(stdout) == 0;
    else
        fprintf(stderr, "make_queries: %s\n", fault);
    text_deinit(&out);
    scene_deinit(&scene);
    return good ? 0 : 2;
}
