/* Snapshots of roadmaps: as they come, with their sum put right, and with their digest believed, so
 * that what follows these is reached. */
#include "fuzz.h"
#include "roadmap/build/digest.h"
#include "roadmap/snapshot/snapshot.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

enum { SUM_BYTES = 32 };

/* What a digest is said to be; empty: it is made. The linker puts the functions below in each
 * other's places. */
static char believed[65];

enum prm_status __real_prm_digest_make(char *digest, const struct prm_digested *content);
enum prm_status __wrap_prm_digest_make(char *digest, const struct prm_digested *content);

enum prm_status __wrap_prm_digest_make(char *digest, const struct prm_digested *content)
{
    const enum prm_status status = __real_prm_digest_make(digest, content);
    if (*believed != '\0')
        memcpy(digest, believed, sizeof(believed));
    return status;
}

/* Decodes; what is taken has the head that it says it has. */
static void decode(const unsigned char *bytes, size_t size)
{
    struct prm_snapshot_info info;
    struct prm_snapshot *snapshot = NULL;
    const enum prm_status head = prm_snapshot_peek(&info, bytes, size);
    const enum prm_status status = prm_snapshot_decode(&snapshot, bytes, size);

    fuzz_must(status == PRM_OK || status == PRM_INVALID_ARGUMENT || status == PRM_UNSUPPORTED ||
              status == PRM_LIMIT_EXCEEDED);
    fuzz_must(head == PRM_OK || head == status);
    fuzz_must((snapshot != NULL) == (status == PRM_OK));
    if (snapshot != NULL) {
        const struct prm_snapshot_info *taken = prm_snapshot_info_of(snapshot);
        fuzz_must(info.bytes == size && taken->edge_count == info.edge_count);
        fuzz_must(strcmp(taken->digest, info.digest) == 0);
    }
    prm_snapshot_destroy(snapshot);
}

void fuzz_snapshot(const char *data, size_t bytes)
{
    decode((const unsigned char *)data, bytes);
    if (bytes < SUM_BYTES)
        return;
    unsigned char *summed = malloc(bytes);
    fuzz_must(summed != NULL);
    memcpy(summed, data, bytes);
    fuzz_must(EVP_Digest(summed, bytes - SUM_BYTES, summed + bytes - SUM_BYTES, NULL, EVP_sha256(),
                         NULL) == 1);
    decode(summed, bytes);

    struct prm_snapshot_info info;
    if (prm_snapshot_peek(&info, summed, bytes) == PRM_OK) {
        memcpy(believed, info.digest, sizeof(believed));
        decode(summed, bytes);
        *believed = '\0';
    }
    free(summed);
}
