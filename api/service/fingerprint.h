/* Fingerprints: SHA-256 (FIPS 180-4) in hexadecimal. */
#ifndef SERVICE_FINGERPRINT_H
#define SERVICE_FINGERPRINT_H

#include "service/store.h"

/* Of one piece of data. false: no memory. fingerprint: char[FINGERPRINT_BYTES] */
bool fingerprint_of(char *fingerprint, const void *data, size_t bytes);

#endif
