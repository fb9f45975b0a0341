/* No C++ compiler. */
#include "standard.h"

const struct standard standard = {0};
