/* Goal: what fuzzing once found stays mended, and every target takes the inputs it was made for.
 * Method: each file of FOLDER/NAME goes through the target NAME, from memory of just its size; with
 * names behind the folder only those; PRM_FUZZ_SHOW tells why an input is refused. Oracle: the
 * targets' own, and sanitizers. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096 };

/* Runs a target on a file; false: it cannot be read. */
static bool run_file(const struct fuzz_target *target, const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (file == NULL || fstat(fileno(file), &about) != 0) {
        if (file != NULL)
            fclose(file);
        return false;
    }
    const size_t bytes = (size_t)about.st_size;
    char *data = malloc(bytes > 0 ? bytes : 1);
    const bool good = data != NULL && fread(data, 1, bytes, file) == bytes;
    fclose(file);
    // what ends the process is told by the last line
    printf("%s\n", path);
    fflush(stdout);
    if (good)
        fuzz_run(target, data, bytes);
    free(data);
    return good;
}

/* Runs a target on its folder; returns how many files there were, or -1. */
static int run_folder(const struct fuzz_target *target, const char *corpus)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "%s/%s", corpus, target->name);
    DIR *folder = opendir(path);
    int count = folder != NULL ? 0 : -1;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (*entry->d_name == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s/%s", corpus, target->name, entry->d_name);
        if (!run_file(target, path)) {
            count = -1;
            break;
        }
        count++;
    }
    if (folder != NULL)
        closedir(folder);
    if (count <= 0)
        printf("%s: no inputs, or one that cannot be read\n", path);
    return count;
}

int main(int argc, char *argv[])
{
    int inputs = 0, failed = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: %s FOLDER [NAME…]\n", argv[0]);
        return 2;
    }
    for (int i = 2; i < argc; i++)
        failed += fuzz_find(argv[i]) == NULL;
    for (size_t i = 0; i < fuzz_target_count; i++) {
        bool wanted = argc == 2;
        for (int j = 2; j < argc; j++)
            wanted |= strcmp(argv[j], fuzz_targets[i].name) == 0;
        const int count = wanted ? run_folder(&fuzz_targets[i], argv[1]) : 0;
        failed += wanted && count <= 0;
        inputs += count > 0 ? count : 0;
    }
    printf("%d inputs, %d targets failed\n", inputs, failed);
    return failed > 0;
}
