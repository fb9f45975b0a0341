/* Status codes and the fault record.
 *
 * Every function of the engine that can fail returns an `enum prm_status`. The detail (which value,
 * which limit, which device error) is written once, where the fault is found, into the calling
 * thread's fault record; everyone above only propagates the status. A planning outcome ("no path")
 * is data, never a status.
 *
 * Threads: the record is per thread; a request that moves to another thread copies it first.
 */
#ifndef PRM_DEVICE_STATUS_H
#define PRM_DEVICE_STATUS_H

#include <stdint.h>

/* The closed set of statuses: X(constant, text). */
#define PRM_STATUSES(X)                                                                            \
    X(PRM_OK, "ok")                                                                                \
    X(PRM_INVALID_ARGUMENT, "invalid argument")                                                    \
    X(PRM_LIMIT_EXCEEDED, "limit exceeded")                                                        \
    X(PRM_UNSUPPORTED, "unsupported")                                                              \
    X(PRM_NO_FREE_SPACE, "no free space")                                                          \
    X(PRM_CANCELLED, "cancelled")                                                                  \
    X(PRM_HOST_MEMORY, "out of host memory")                                                       \
    X(PRM_DEVICE_MEMORY, "out of device memory")                                                   \
    X(PRM_DEVICE_FAILED, "device failed")                                                          \
    X(PRM_NO_DEVICE, "no OpenCL device")

enum prm_status {
#define X(constant, text) constant,
    PRM_STATUSES(X)
#undef X
};

/* What went wrong, for people. `detail` is a complete sentence without a final full stop. Where it
 * is about one parameter, `parameter` is the path of its name ("samples/spacing"), else NULL, and
 * where it is about one element of that array, `element` is its index, else PRM_NO_ELEMENT; where a
 * limit was passed, `limit` is its value, else 0, and `limit_name` says which one where it can be
 * set, else NULL. The names are constants. */
struct prm_fault {
    enum prm_status status;
    char detail[1024];
    const char *parameter, *limit_name;
    uint64_t element;
    double limit;
};

#define PRM_NO_ELEMENT UINT64_MAX

/* The text of a status, for logs. Never NULL. */
const char *prm_status_text(enum prm_status status);

/* Writes the calling thread's fault record and yields `status`, so that the origin of a fault reads
 * `return prm_fault_set(PRM_INVALID_ARGUMENT, "k is %u, not 1 to %u", k, K_MAX);`. A macro, so that
 * compilers and analysers see that a fault is not PRM_OK; `status` is evaluated twice. */
#define prm_fault_set(status, ...)                                                                 \
    (prm_fault_write((status), __VA_ARGS__), prm_fault_status(status))

/* The same, with what the fault is about. */
#define prm_fault_set_at(status, parameter, limit_name, limit, ...)                                \
    (prm_fault_write((status), __VA_ARGS__), prm_fault_refer((parameter), (limit_name), (limit)),  \
     prm_fault_status(status))

/* The same, with the element of an array that it is about. */
#define prm_fault_set_element(status, parameter, element, ...)                                     \
    (prm_fault_write((status), __VA_ARGS__), prm_fault_point((parameter), (element)),              \
     prm_fault_status(status))

void prm_fault_write(enum prm_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds to the calling thread's fault what it is about; the names are constants. */
void prm_fault_refer(const char *parameter, const char *limit_name, double limit);
void prm_fault_point(const char *parameter, uint64_t element);

/* A value that may be left unused, unlike a bare constant. */
static inline enum prm_status prm_fault_status(enum prm_status status)
{
    return status;
}

/* The calling thread's latest fault; valid until its next fault. */
const struct prm_fault *prm_fault_last(void);

#endif
