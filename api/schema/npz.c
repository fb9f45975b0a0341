#include "schema/npz.h"

#include "schema/zip_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char suffix[] = ".npy";
enum { SUFFIX_BYTES = sizeof suffix - 1 };

_Static_assert((int)NPZ_MEMBERS_MAX <= (int)ZIP_FILES_MAX &&
                   (int)NPZ_NAME_BYTES_MAX + (int)SUFFIX_BYTES == (int)ZIP_NAME_BYTES_MAX,
               "an archive of arrays is one of files");

/* Reads the arrays of an archive, whose data are taken over. */
static bool read_arrays(struct npz *npz, struct zip_files *files, struct problem *problem)
{
    for (unsigned i = 0; i < files->count; i++) {
        struct zip_member *from = &files->members[i];
        struct npz_member *member = &npz->members[npz->count++];
        *member = (struct npz_member){.file = from->data};
        memcpy(member->name, from->name, strlen(from->name) - SUFFIX_BYTES);
        from->data = NULL;
        if (!npy_read(&member->array, member->file, from->bytes, member->name, problem))
            return false;
    }
    return true;
}

bool npz_read(struct npz *npz, const char *body, size_t bytes, const struct limits *limits,
              struct problem *problem)
{
    static const struct zip_rules RULES = {suffix, "is no array NAME.npy"};
    struct zip_files files;
    *npz = (struct npz){0};
    if (!zip_files_read(&files, body, bytes, &RULES, limits, problem))
        return false;
    const bool good = read_arrays(npz, &files, problem);
    zip_files_deinit(&files);
    if (!good)
        npz_deinit(npz);
    return good;
}

void npz_deinit(struct npz *npz)
{
    for (unsigned i = 0; i < npz->count; i++)
        free(npz->members[i].file);
    *npz = (struct npz){0};
}

struct npz_member *npz_find(struct npz *npz, const char *name)
{
    for (unsigned i = 0; i < npz->count; i++)
        if (strcmp(npz->members[i].name, name) == 0)
            return &npz->members[i];
    return NULL;
}

void npz_write(const struct npz_item *items, unsigned count, struct text *out)
{
    struct text headers[NPZ_MEMBERS_MAX] = {{0}};
    char names[NPZ_MEMBERS_MAX][ZIP_NAME_BYTES_MAX + 1];
    struct zip_item files[NPZ_MEMBERS_MAX] = {{0}};
    bool good = count <= NPZ_MEMBERS_MAX;
    for (unsigned i = 0; good && i < count; i++) {
        const struct npy_array *array = &items[i].array;
        npy_write_header(array, &headers[i]);
        snprintf(names[i], sizeof names[i], "%s%s", items[i].name, suffix);
        files[i] = (struct zip_item){names[i],
                                     {{headers[i].data, headers[i].length},
                                      {array->data, array->item_bytes * array->count}}};
        good = !headers[i].failed;
    }
    if (good)
        zip_files_write(files, count, out);
    else
        out->failed = true;
    for (unsigned i = 0; i < count && i < NPZ_MEMBERS_MAX; i++)
        text_deinit(&headers[i]);
}
