/* The fault record: one per thread, written at the origin of a fault. */
#include "device/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct prm_fault last_fault;

const char *prm_status_text(enum prm_status status)
{
    static const char *const TEXTS[] = {
#define X(constant, text) [constant] = text,
        PRM_STATUSES(X)
#undef X
    };
    const size_t index = (size_t)status;

    return index < sizeof(TEXTS) / sizeof(TEXTS[0]) ? TEXTS[index] : "unknown status";
}

void prm_fault_write(enum prm_status status, const char *format, ...)
{
    // formatted apart, so that the last fault's detail may be an argument
    char detail[sizeof(last_fault.detail)];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(detail, sizeof(detail), format, arguments);
    va_end(arguments);

    // a cut is seen as one
    static const char CUT[] = "...";
    if (length < 0)
        detail[0] = '\0';
    else if ((size_t)length >= sizeof(detail))
        memcpy(detail + sizeof(detail) - sizeof(CUT), CUT, sizeof(CUT));

    last_fault = (struct prm_fault){.status = status, .element = PRM_NO_ELEMENT};
    memcpy(last_fault.detail, detail, sizeof(detail));
}

void prm_fault_refer(const char *parameter, const char *limit_name, double limit)
{
    last_fault.parameter = parameter;
    last_fault.limit_name = limit_name;
    last_fault.limit = limit;
}

void prm_fault_point(const char *parameter, uint64_t element)
{
    last_fault.parameter = parameter;
    last_fault.element = element;
}

const struct prm_fault *prm_fault_last(void)
{
    return &last_fault;
}
