/* Media types of bodies, as Content-Type says them (RFC 9110, 8.3). */
#ifndef SCHEMA_MEDIA_TYPE_H
#define SCHEMA_MEDIA_TYPE_H

#include <stdbool.h>

/* Whether a Content-Type (NULL: none was sent) is `media`, "type/subtype", parameters and case
 * aside. */
bool media_type_is(const char *content_type, const char *media);

#endif
