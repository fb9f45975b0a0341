/* Snapshots: a roadmap and what a world allows of it as bytes, and back.
 *
 * A roadmap that comes back answers byte for byte as before, on the same device: milestones, edges
 * and lengths are kept as they are, what follows from them (the neighbour index, the orders of
 * edges, components, weights) is made again as the build makes it. Landmarks are not kept: they
 * change no answer, and are made again when there is time.
 *
 * The work is cut where threads differ. Bytes are encoded and decoded by host code alone, which any
 * thread may run: there every number is checked, none is trusted, and no more memory is taken than
 * the bytes account for. The device's part is copies in bounded steps and, of a roadmap that comes
 * back, its index and a few kernels.
 *
 *     device thread                 any thread                      device thread
 *     prm_snapshot_writer_create
 *     prm_snapshot_writer_step …    prm_snapshot_writer_finish → bytes
 *                                   bytes → prm_snapshot_decode     prm_snapshot_reader_create
 *                                                                   prm_snapshot_reader_step …
 *                                                                   prm_snapshot_reader_finish
 *
 * Format, all little-endian: a head (magic, byte order, format version, size, counts, frame,
 * digest, the table of sections), sections (facts, states, edges by their lower end, lengths, one
 * bit an edge, pairs that may touch), the SHA-256 of all that. About 4 bytes a coordinate and 8 an
 * edge: 0.6 MB for 10 000 milestones of k = 10 in the plane.
 *
 * Cost: of 10 000 milestones in the plane 0.8 ms to encode, 4 ms to decode and 5 ms of the device;
 * decoding is mostly the walks that bound paths (weight_scale.h), a microsecond an edge where the
 * graph is larger than the caches. The device copies at memory speed, makes the neighbour index and
 * does what revisions do without their checks.
 */
#ifndef PRM_ROADMAP_SNAPSHOT_H
#define PRM_ROADMAP_SNAPSHOT_H

#include "roadmap/roadmap.h"

/* The version that is written, and the only one that is read. */
enum { PRM_SNAPSHOT_FORMAT = 1 };

/* What the head of a snapshot says. */
struct prm_snapshot_info {
    uint32_t format;
    uint32_t dof, milestone_count, edge_count;
    uint64_t bytes;   /* of the whole snapshot */
    double center[3]; /* of the local frame: what the world that it is read into must be made with
                         (prm_world_spec.center) */
    char digest[65];  /* of the roadmap, as claimed: decoding compares it with the content */
};

/* Looks at the head alone. bytes: the beginning of a snapshot, of any length: the content may be
 * missing. PRM_UNSUPPORTED: a snapshot, but of another version or byte order (info->format says
 * which where it is known, else 0); PRM_INVALID_ARGUMENT: none at all, or a damaged head. */
enum prm_status prm_snapshot_peek(struct prm_snapshot_info *info, const void *bytes, size_t size);

/* ---- writing ---- */

struct prm_snapshot_writer;

/* Begins a snapshot of a roadmap and one of its validities; both must outlive the writer. */
enum prm_status prm_snapshot_writer_create(struct prm_snapshot_writer **writer,
                                           const struct prm_roadmap *roadmap,
                                           const struct prm_validity *validity);

/* Runs one bounded step of copying from the device, on the context's thread. */
enum prm_status prm_snapshot_writer_step(struct prm_snapshot_writer *writer, bool *done);

/* After the last step, on any thread: hands out the bytes, malloc'ed, which the caller frees. Once.
 * PRM_HOST_MEMORY. */
enum prm_status prm_snapshot_writer_finish(struct prm_snapshot_writer *writer,
                                           unsigned char **bytes, size_t *size);

/* Frees a writer at any point, on any thread; NULL is accepted. */
void prm_snapshot_writer_destroy(struct prm_snapshot_writer *writer);

/* ---- reading ---- */

/* A decoded snapshot in host memory: checked as far as that is possible without robot and world. */
struct prm_snapshot;

/* Decodes and checks, on any thread; `bytes` may be freed afterwards. The digest is made again from
 * the content. PRM_INVALID_ARGUMENT: damaged, and the fault says where; PRM_UNSUPPORTED as of
 * prm_snapshot_peek(); PRM_LIMIT_EXCEEDED: more milestones than an index takes; PRM_HOST_MEMORY. */
enum prm_status prm_snapshot_decode(struct prm_snapshot **snapshot, const void *bytes, size_t size);

/* NULL is accepted; any thread. */
void prm_snapshot_destroy(struct prm_snapshot *snapshot);

/* What its head says; valid as long as the snapshot. */
const struct prm_snapshot_info *prm_snapshot_info_of(const struct prm_snapshot *snapshot);

/* Whether it is of these parameters, as told beside bytes from strangers; of anchors their number
 * alone is compared. Any thread. PRM_INVALID_ARGUMENT: another, and the fault says which;
 * PRM_LIMIT_EXCEEDED: a lattice of more milestones than params->milestones_max. */
enum prm_status prm_snapshot_check_params(const struct prm_snapshot *snapshot,
                                          const struct prm_roadmap_params *params);

struct prm_snapshot_reader;

/* Begins to make a decoded snapshot resident, as the roadmap of `robot` in `world`, whose local
 * frame is made about info.center. The snapshot must outlive the reader, and is spent by it.
 * PRM_INVALID_ARGUMENT: it is of another robot, other bounds or another frame;
 * PRM_DEVICE_MEMORY (up front, with bytes needed and the limit); PRM_HOST_MEMORY.
 *
 * Which edges are valid is taken from the snapshot. That is what the world allows only if it is the
 * world of the validity that was saved: of any other, and of bytes from strangers, the caller makes
 * a revision afterwards. */
enum prm_status prm_snapshot_reader_create(struct prm_context *context,
                                           struct prm_snapshot_reader **reader,
                                           struct prm_snapshot *snapshot,
                                           const struct prm_robot_spec *robot,
                                           const struct prm_world *world);

/* Runs one bounded step, on the context's thread. */
enum prm_status prm_snapshot_reader_step(struct prm_snapshot_reader *reader, bool *done);

/* After the last step: hands out the roadmap and its validity, which the caller destroys. */
enum prm_status prm_snapshot_reader_finish(struct prm_snapshot_reader *reader,
                                           struct prm_roadmap **roadmap,
                                           struct prm_validity **validity);

/* Frees a reader at any point, on the context's thread; NULL is accepted. */
void prm_snapshot_reader_destroy(struct prm_snapshot_reader *reader);

#endif
