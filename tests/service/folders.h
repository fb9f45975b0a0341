/* Temporary folders of tests, and what lies in them. */
#ifndef TESTS_SERVICE_FOLDERS_H
#define TESTS_SERVICE_FOLDERS_H

#include <stddef.h>

enum { FOLDER_PATH_BYTES = 256 };

/* Makes an empty folder. */
void folder_make(char path[FOLDER_PATH_BYTES]);

/* Removes a folder and all in it. */
void folder_remove(const char *path);

/* Copies the files of a folder's parts into another, as they are at the moment; files that go
 * meanwhile are left out. */
void folder_copy(const char *to, const char *from);

/* The path of what lies in a folder's part. */
void folder_path(char path[FOLDER_PATH_BYTES], const char *folder, const char *part,
                 const char *name);

/* How many files lie in a part of a folder. */
unsigned folder_count(const char *folder, const char *part);

/* A file's bytes, malloc'ed, and their number; NULL: there is none. */
unsigned char *file_read(const char *path, size_t *bytes);
void file_write(const char *path, const void *data, size_t bytes);

#endif
