#include "service/persistence/data_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes every folder on the way to and including `path`. */
static bool make_folders(const char *path)
{
    char part[PATH_MAX];
    const size_t length = strlen(path);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        snprintf(part, sizeof(part), "%.*s", (int)i, path);
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            return false;
    }
    return true;
}

bool data_dir_open(struct data_dir *dir, const char *path, struct problem *problem)
{
    char lock_path[PATH_MAX];
    *dir = (struct data_dir){0};
    if (snprintf(lock_path, sizeof(lock_path), "%s/lock", path) >= (int)sizeof(lock_path)) {
        problem_add(problem, PROBLEM_INVALID_ARGUMENT, "the data folder's path is too long");
        return false;
    }
    if (!make_folders(path)) {
        problem_add(problem, PROBLEM_INTERNAL, "the data folder %s cannot be made: %s", path,
                    strerror(errno));
        return false;
    }

    const int lock = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0) {
        problem_add(problem, PROBLEM_INTERNAL, "%s cannot be opened: %s", lock_path,
                    strerror(errno));
        return false;
    }
    if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        problem_add(problem, PROBLEM_IN_USE,
                    "the data folder %s is in use by another daemon; give each its own --data-dir",
                    path);
        close(lock);
        return false;
    }
    dir->lock = lock;
    return true;
}

void data_dir_close(struct data_dir *dir)
{
    if (dir->lock > 0)
        close(dir->lock);
    *dir = (struct data_dir){0};
}
