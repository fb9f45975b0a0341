#include "service/persistence/blob_file.h"

#include "device/assert.h"
#include "service/fingerprint.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(struct blob_file_head) == 120, "no padding in a file");

static const char MAGIC[BLOB_MAGIC_BYTES] = {'p', 'r', 'm', 'd', 'b', 'l', 'o', 'b'};
enum { BYTE_ORDER_MARK = 0x01020304 };

/* Copies the beginning of a SHA-256. false: no memory. */
static bool digest_of(char *digest, size_t digest_bytes, const void *data, size_t bytes)
{
    char whole[FINGERPRINT_BYTES];
    if (!fingerprint_of(whole, data, bytes))
        return false;
    memcpy(digest, whole, digest_bytes);
    return true;
}

static bool check_of(char *check, const struct blob_file_head *head)
{
    return digest_of(check, BLOB_CHECK_BYTES, head, offsetof(struct blob_file_head, check));
}

bool blob_file_head_init(struct blob_file_head *head, const char *kind, const void *data,
                         size_t bytes)
{
    const size_t kind_bytes = strlen(kind);
    PRM_ASSERT(kind_bytes < BLOB_KIND_BYTES);
    memset(head, 0, sizeof(*head));
    memcpy(head->magic, MAGIC, sizeof(MAGIC));
    head->byte_order = BYTE_ORDER_MARK;
    head->version = BLOB_FILE_VERSION;
    memcpy(head->kind, kind, kind_bytes);
    head->bytes = bytes;
    return digest_of(head->digest, sizeof(head->digest), data, bytes) &&
           check_of(head->check, head);
}

enum blob_outcome blob_file_head_check(const struct blob_file_head *head, const char *kind)
{
    char check[BLOB_CHECK_BYTES];
    if (memcmp(head->magic, MAGIC, sizeof(MAGIC)) != 0)
        return BLOB_DAMAGED;
    if (!check_of(check, head))
        return BLOB_NO_MEMORY;
    if (memcmp(check, head->check, sizeof(check)) != 0)
        return BLOB_DAMAGED;
    if (head->byte_order != BYTE_ORDER_MARK || head->version != BLOB_FILE_VERSION)
        return BLOB_INCOMPATIBLE;
    if (head->kind[BLOB_KIND_BYTES - 1] != '\0' || strcmp(head->kind, kind) != 0)
        return BLOB_DAMAGED;
    return BLOB_OK;
}

enum blob_outcome blob_file_check(const struct blob_file_head *head, const void *data, size_t bytes)
{
    char digest[BLOB_DIGEST_BYTES];
    if (bytes != head->bytes)
        return BLOB_DAMAGED;
    if (!digest_of(digest, sizeof(digest), data, bytes))
        return BLOB_NO_MEMORY;
    return memcmp(digest, head->digest, sizeof(digest)) == 0 ? BLOB_OK : BLOB_DAMAGED;
}
