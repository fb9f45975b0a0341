/* The folder that a daemon keeps its data in: made when missing, and locked, so that two daemons
 * never write to one. */
#ifndef SERVICE_DATA_DIR_H
#define SERVICE_DATA_DIR_H

#include "schema/problem.h"

/* Zeroes are "none"; lock 0 is never a lock file, since it is opened behind standard input. */
struct data_dir {
    int lock; /* descriptor of the lock file */
};

/* Makes `path` and its parents where missing (mode 0700) and locks it. false: `problem` says why in
 * words for an operator. */
bool data_dir_open(struct data_dir *dir, const char *path, struct problem *problem);

/* Gives the lock back; "none" is accepted. */
void data_dir_close(struct data_dir *dir);

#endif
