// nftw() is of X/Open
#define _XOPEN_SOURCE 700
#include "folders.h"

#include <dirent.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

void folder_make(char path[FOLDER_PATH_BYTES])
{
    // in memory where that is possible: what is tested is the order of things, not a disk
    static const char MEMORY[] = "/dev/shm";
    const char *base = getenv("TMPDIR");
    if (!base || !*base)
        base = access(MEMORY, W_OK) == 0 ? MEMORY : "/tmp";
    snprintf(path, FOLDER_PATH_BYTES, "%s/prmd-test-XXXXXX", base);
    assert_non_null(mkdtemp(path));
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

void folder_remove(const char *path)
{
    enum { DESCRIPTORS = 16 };
    assert_int_equal(nftw(path, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS), 0);
}

/* Calls `visit` with each entry of a folder that is not hidden. */
static void each_entry(const char *folder,
                       void (*visit)(const char *name, const char *from, const char *to),
                       const char *from, const char *to)
{
    DIR *stream = opendir(folder);
    assert_non_null(stream);
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (entry->d_name[0] != '.')
            visit(entry->d_name, from, to);
    closedir(stream);
}

static void copy_file(const char *name, const char *from, const char *to)
{
    char source[FOLDER_PATH_BYTES], target[FOLDER_PATH_BYTES];
    size_t bytes = 0;
    folder_path(source, from, ".", name);
    folder_path(target, to, ".", name);
    unsigned char *data = file_read(source, &bytes);
    if (data)
        file_write(target, data, bytes);
    free(data);
}

static void copy_part(const char *name, const char *from, const char *to)
{
    char source[FOLDER_PATH_BYTES], target[FOLDER_PATH_BYTES];
    folder_path(source, from, ".", name);
    folder_path(target, to, ".", name);
    assert_int_equal(mkdir(target, 0700), 0);
    each_entry(source, copy_file, source, target);
}

void folder_copy(const char *to, const char *from)
{
    each_entry(from, copy_part, from, to);
}

void folder_path(char path[FOLDER_PATH_BYTES], const char *folder, const char *part,
                 const char *name)
{
    assert_true(snprintf(path, FOLDER_PATH_BYTES, "%s/%s/%s", folder, part, name) <
                FOLDER_PATH_BYTES);
}

unsigned folder_count(const char *folder, const char *part)
{
    char path[FOLDER_PATH_BYTES];
    unsigned count = 0;
    folder_path(path, folder, part, "");
    DIR *stream = opendir(path);
    assert_non_null(stream);
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(stream);
    return count;
}

unsigned char *file_read(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    unsigned char *data = malloc(*bytes + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *bytes, file), *bytes);
    fclose(file);
    return data;
}

void file_write(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wbe");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}
