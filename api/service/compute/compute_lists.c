/* Runners over one list: scan, compaction and its kin, split, bins, histogram. */
#include "device/try.h"
#include "primitives/bin_values.h"
#include "primitives/compact.h"
#include "primitives/histogram.h"
#include "primitives/scan.h"
#include "service/compute/compute_run.h"

#include <math.h>

/* ---- scan ---- */

enum prm_status compute_scan(struct compute_run *run, bool *done)
{
    static const enum prm_scan_method METHODS[] = {
        [COMPUTE_SCAN_AUTO] = PRM_SCAN_AUTO,
        [COMPUTE_SCAN_BLELLOCH] = PRM_SCAN_BLELLOCH,
        [COMPUTE_SCAN_HILLIS_STEELE] = PRM_SCAN_HILLIS_STEELE,
    };
    const struct compute_request *request = run->request;
    const struct compute_array *values = &request->values;
    const enum prm_scan_method method = METHODS[request->scan_method];
    const bool is_signed = values->kind == COMPUTE_I32;
    const size_t n = values->rows;
    enum prm_status status = PRM_OK;
    struct prm_buffer in, out;
    uint64_t total;
    (void)done;

    TRY(compute_upload(run, &in, values));
    TRY(compute_take(run, &out, n + 1));
    if (request->segment_size > 0 && request->exclusive)
        TRY(prm_scan_segments(run->arena, out, in, n, request->segment_size, method));
    else if (request->segment_size > 0)
        TRY(prm_scan_segments_inclusive(run->arena, out, in, n, request->segment_size, method));
    else if (request->exclusive)
        TRY(prm_scan_exclusive(run->arena, out, in, n, method));
    else
        TRY(prm_scan_inclusive(run->arena, out, in, n, method));
    TRY(prm_scan_total(run->arena, &total, in, n, is_signed));
    TRY(compute_list(run, "values", values->kind, out, n, NULL));
    TRY(compute_number(run, "total", is_signed ? COMPUTE_I64 : COMPUTE_U64, total));
cleanup:
    return status;
}

/* ---- compaction ---- */

/* Each segment by itself: its survivors, packed behind those of the segment before, and how many
 * there are of each. */
static enum prm_status compact_segments(struct compute_run *run, struct prm_buffer values,
                                        struct prm_buffer flags, uint32_t survivors)
{
    const struct compute_request *request = run->request;
    const size_t n = request->values.rows, size = request->segment_size, segments = n / size;
    enum prm_status status = PRM_OK;
    struct prm_buffer out, offsets;
    void *counts;

    TRY(compute_take(run, &out, n));
    TRY(compute_take(run, &offsets, segments + 1));
    TRY(prm_compact_segments_packed(run->arena, out, offsets, values, flags, n, size));
    TRY(compute_list(run, "values", request->values.kind, out, survivors, NULL));
    TRY(compute_own(run, &counts, (segments + 1) * sizeof(uint32_t)));
    TRY(prm_buffer_read(run->context, offsets, 0, counts, (segments + 1) * sizeof(uint32_t)));

    // where each begins, to how many each has
    uint32_t *count = counts;
    for (size_t s = 0; s < segments; s++)
        count[s] = count[s + 1] - count[s];
    compute_reply_list(&run->reply, "count", COMPUTE_U32, counts, segments);
cleanup:
    return status;
}

enum prm_status compute_compact(struct compute_run *run, bool *done)
{
    const struct compute_request *request = run->request;
    const size_t n = request->values.rows;
    enum prm_status status = PRM_OK;
    struct prm_buffer values, flags, out, indices, survivors;
    uint32_t count;
    (void)done;

    TRY(compute_upload(run, &values, &request->values));
    TRY(compute_upload(run, &flags, &request->flags));
    TRY(compute_take(run, &out, n));
    TRY(compute_take(run, &indices, n));
    TRY(compute_take(run, &survivors, 1));
    TRY(prm_compact_values(run->arena, out, indices, survivors, values, flags, n));
    TRY(compute_read_u32(run, survivors, &count));
    if (request->segment_size > 0) {
        TRY(compact_segments(run, values, flags, count));
    } else {
        TRY(compute_list(run, "values", request->values.kind, out, count, NULL));
        TRY(compute_number(run, "count", COMPUTE_U32, count));
    }
    TRY(compute_list(run, "indices", COMPUTE_U32, indices, count, NULL));
cleanup:
    return status;
}

enum prm_status compute_repeats(struct compute_run *run, bool *done)
{
    const struct compute_array *values = &run->request->values;
    enum prm_status status = PRM_OK;
    struct prm_buffer in, indices, survivors;
    uint32_t count;
    (void)done;

    TRY(compute_upload(run, &in, values));
    TRY(compute_take(run, &indices, values->rows));
    TRY(compute_take(run, &survivors, 1));
    TRY(prm_find_repeats(run->arena, indices, survivors, in, values->rows));
    TRY(compute_read_u32(run, survivors, &count));
    TRY(compute_list(run, "indices", COMPUTE_U32, indices, count, NULL));
cleanup:
    return status;
}

enum prm_status compute_unique(struct compute_run *run, bool *done)
{
    const struct compute_array *values = &run->request->values;
    enum prm_status status = PRM_OK;
    struct prm_buffer in, unique, start, length, runs;
    uint32_t count;
    (void)done;

    TRY(compute_upload(run, &in, values));
    TRY(compute_take(run, &unique, values->rows));
    TRY(compute_take(run, &start, values->rows));
    TRY(compute_take(run, &length, values->rows));
    TRY(compute_take(run, &runs, 1));
    TRY(prm_unique_sorted(run->arena, unique, start, length, runs, in, values->rows));
    TRY(compute_read_u32(run, runs, &count));
    TRY(compute_list(run, "values", values->kind, unique, count, NULL));
    TRY(compute_list(run, "start", COMPUTE_U32, start, count, NULL));
    TRY(compute_list(run, "count", COMPUTE_U32, length, count, NULL));
cleanup:
    return status;
}

enum prm_status compute_split(struct compute_run *run, bool *done)
{
    const struct compute_array *values = &run->request->values;
    const size_t n = values->rows;
    enum prm_status status = PRM_OK;
    struct prm_buffer in, out, permutation, zeros;
    uint32_t count;
    (void)done;

    TRY(compute_upload(run, &in, values));
    TRY(compute_take(run, &out, n));
    TRY(compute_take(run, &permutation, n));
    TRY(compute_take(run, &zeros, 1));
    TRY(prm_split_by_bit(run->arena, out, permutation, zeros, in, n, run->request->bit));
    TRY(compute_read_u32(run, zeros, &count));
    TRY(compute_list(run, "values", values->kind, out, n, NULL));
    TRY(compute_list(run, "permutation", COMPUTE_U32, permutation, n, NULL));
    TRY(compute_number(run, "zeros", COMPUTE_U32, count));
cleanup:
    return status;
}

/* ---- bins ---- */

enum prm_status compute_bin(struct compute_run *run, bool *done)
{
    const struct compute_request *request = run->request;
    const enum prm_key_type type = compute_key_type(request->kind);
    const size_t n = request->values.rows;
    const size_t bins = request->edges.present ? request->edges.rows - 1 : request->intervals.rows;
    const size_t members_max = (size_t)run->limits->compute_elements;
    enum prm_status status = PRM_OK;
    struct prm_buffer values, bounds, offsets, members = PRM_NO_BUFFER;
    uint32_t total;
    (void)done;

    TRY(compute_upload(run, &values, &request->values));
    TRY(compute_take(run, &offsets, bins + 1));
    if (request->edges.present) {
        TRY(compute_upload(run, &bounds, &request->edges));
        TRY(prm_bin_edges(run->arena, offsets, &members, values, n, bounds, bins + 1, type));
    } else {
        TRY(compute_upload(run, &bounds, &request->intervals));
        TRY(prm_bin_ranges(run->arena, offsets, &members, members_max, values, n, bounds, bins,
                           type));
    }
    TRY(compute_list(run, "offsets", COMPUTE_U32, offsets, bins + 1, NULL));
    total = ((const uint32_t *)run->owned[run->owned_count - 1])[bins];
    TRY(compute_list(run, "members", COMPUTE_U32, members, total, NULL));
cleanup:
    prm_buffer_destroy(run->context, &members);
    return status;
}

/* The whole numbers at which bins of a histogram begin, and the first above them all; those that
 * the kind has not, at the end, are left out. edges: 32-bit[bins + 1]. Returns how many there are.
 */
static size_t whole_edges(const struct compute_request *request, uint32_t *edges)
{
    const bool is_signed = request->kind == COMPUTE_I32;
    const double least = is_signed ? (double)INT32_MIN : 0;
    const double most = is_signed ? (double)INT32_MAX : (double)UINT32_MAX;
    const double width = (request->max - request->min) / request->bins;
    for (uint32_t b = 0; b <= request->bins; b++) {
        // a value is not below a bound where it is not below the next whole number
        const double edge =
            b < request->bins ? ceil(request->min + b * width) : floor(request->max) + 1;
        if (edge > most)
            return b;
        edges[b] = is_signed ? (uint32_t)(int32_t)fmax(edge, least) : (uint32_t)fmax(edge, least);
    }
    return (size_t)request->bins + 1;
}

/* Whole numbers by exact comparison with the bins' bounds. counts: u32[2 + bins]: below, the bins,
 * above. */
static enum prm_status count_whole(struct compute_run *run, struct prm_buffer counts,
                                   struct prm_buffer values)
{
    const struct compute_request *request = run->request;
    const size_t n = request->values.rows;
    enum prm_status status = PRM_OK;
    struct prm_buffer edges, places;
    void *bounds;

    TRY(compute_own(run, &bounds, ((size_t)request->bins + 1) * sizeof(uint32_t)));
    const size_t count = whole_edges(request, bounds);
    TRY(compute_take(run, &edges, count));
    TRY(compute_take(run, &places, n));
    TRY(prm_buffer_write(run->context, edges, 0, bounds, count * sizeof(uint32_t)));
    TRY(prm_bin_places(run->arena, places, values, n, edges, count,
                       compute_key_type(request->kind)));
    TRY(prm_histogram_u32(run->arena, counts, places, n, request->bins + 2));
cleanup:
    return status;
}

enum prm_status compute_histogram(struct compute_run *run, bool *done)
{
    const struct compute_request *request = run->request;
    const size_t bins = request->bins;
    const bool is_real = request->kind == COMPUTE_F32;
    enum prm_status status = PRM_OK;
    struct prm_buffer values, counts;
    void *data;
    (void)done;

    TRY(compute_upload(run, &values, &request->values));
    TRY(compute_take(run, &counts, bins + 2));
    if (is_real)
        TRY(prm_histogram_f32(run->arena, counts, values, request->values.rows, (float)request->min,
                              (float)request->max, request->bins));
    else
        TRY(count_whole(run, counts, values));
    TRY(compute_own(run, &data, (bins + 2) * sizeof(uint32_t)));
    TRY(prm_buffer_read(run->context, counts, 0, data, (bins + 2) * sizeof(uint32_t)));

    // of reals the outside is counted behind the bins
    const uint32_t *all = data;
    compute_reply_list(&run->reply, "counts", COMPUTE_U32, is_real ? all : all + 1, bins);
    compute_reply_number(&run->reply, "below", COMPUTE_U32, is_real ? all + bins : all);
    compute_reply_number(&run->reply, "above", COMPUTE_U32, all + bins + 1);
cleanup:
    return status;
}
