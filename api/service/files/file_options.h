/* What a request with ?format=… says of its file: its parameters, read and checked. */
#ifndef SERVICE_FILE_OPTIONS_H
#define SERVICE_FILE_OPTIONS_H

#include "formats/format.h"
#include "service/call.h"

enum { FILE_POSE_NUMBERS = 7, FILE_POSE_NUMBERS_2D = 3 };

/* Where a file's content goes: x y z and a unit quaternion, or in 2D x y and a yaw. */
struct file_pose {
    bool given;
    double numbers[FILE_POSE_NUMBERS];
};

/* Whether the body is a file: there is a format, and not json. */
bool call_has_file(const struct call *call);

/* Whether a call without a file says nothing of one; else the call's problem names what. */
bool check_no_file(struct call *call);

/* Reads the parameters into `file` and `pose`: each must be known, be one of the format's, and come
 * once. false: the call's problem says which is wrong. */
bool file_options_read(struct format_file *file, struct file_pose *pose, struct call *call,
                       const struct format *format);

#endif
