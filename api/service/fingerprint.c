#include "service/fingerprint.h"

#include <openssl/evp.h>
#include <string.h>

bool fingerprint_of(char *fingerprint, const void *data, size_t bytes)
{
    static const char HEX[] = "0123456789abcdef";
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    fingerprint[0] = '\0';
    if (EVP_Digest(data, bytes, digest, &length, EVP_sha256(), NULL) != 1)
        return false;
    for (size_t i = 0; i < length; i++) {
        fingerprint[2 * i] = HEX[digest[i] >> 4];
        fingerprint[2 * i + 1] = HEX[digest[i] & 15];
    }
    fingerprint[2 * (size_t)length] = '\0';
    return true;
}
