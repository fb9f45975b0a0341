#include "schema/media_type.h"

#include <string.h>
#include <strings.h>

bool media_type_is(const char *content_type, const char *media)
{
    static const char BLANKS[] = " \t";
    if (!content_type)
        return false;
    content_type += strspn(content_type, BLANKS);
    size_t length = strcspn(content_type, ";");
    while (length > 0 && strchr(BLANKS, content_type[length - 1]))
        length--;
    return length == strlen(media) && strncasecmp(content_type, media, length) == 0;
}
