/* Worlds and robots of their saved texts. Any thread. */
#ifndef SERVICE_RESTORE_H
#define SERVICE_RESTORE_H

#include "service/persistence/blobs.h"
#include "service/persistence/records.h"

/* The world, or the robot, that a blob is the canonical text of; unnumbered. What is read must have
 * the fingerprint that is its id. BLOB_INCOMPATIBLE: it is nothing that this version takes, or not
 * as the one that wrote it did. */
enum blob_outcome restore_world(struct world_version **world, struct blobs *blobs, const char *id);
enum blob_outcome restore_robot(struct robot_version **robot, struct blobs *blobs, const char *id);

/* The same with what a record says beside. */
enum blob_outcome restore_named_world(struct world_version **world, struct blobs *blobs,
                                      const struct world_record *record);
enum blob_outcome restore_named_robot(struct robot_version **robot, struct blobs *blobs,
                                      const struct robot_record *record);

#endif
