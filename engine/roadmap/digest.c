/* SHA-256 by OpenSSL's EVP. */
#include "roadmap/digest.h"

#include "device/try.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words put into bytes at a time. */
enum { BLOCK_WORDS = 1024 };

/* Hashes `count` 32-bit words from `words`, little-endian whatever the host is. */
static int hash_words(EVP_MD_CTX *hash, const void *words, size_t count)
{
    unsigned char bytes[4 * BLOCK_WORDS];
    const unsigned char *at = words;

    for (size_t done = 0; done < count;) {
        const size_t block = count - done < BLOCK_WORDS ? count - done : BLOCK_WORDS;
        for (size_t i = 0; i < block; i++) {
            uint32_t word;
            memcpy(&word, at + 4 * (done + i), sizeof(word));
            for (size_t b = 0; b < 4; b++)
                bytes[4 * i + b] = (unsigned char)(word >> (8 * b));
        }
        if (EVP_DigestUpdate(hash, bytes, 4 * block) != 1)
            return 0;
        done += block;
    }
    return 1;
}

/* The whole content; 0 where OpenSSL fails. */
static int hash_content(EVP_MD_CTX *hash, const struct prm_digested *content)
{
    const struct prm_space *space = content->space;
    const uint32_t counts[3] = {space->dof, content->milestone_count, content->edge_count};
    int good = hash_words(hash, counts, 3);

    for (uint32_t c = 0; good && c < space->dof; c++) {
        uint64_t bits;
        memcpy(&bits, &space->coordinates[c].origin, sizeof(bits));
        const uint32_t halves[2] = {(uint32_t)bits, (uint32_t)(bits >> 32)};
        good = hash_words(hash, halves, 2);
    }
    for (uint32_t i = 0; good && i < content->milestone_count; i++)
        good = hash_words(hash, content->states + (size_t)i * space->row, space->dof);
    return good && hash_words(hash, content->edges, 2 * (size_t)content->edge_count) &&
           hash_words(hash, content->lengths, content->edge_count);
}

enum prm_status prm_digest_make(char *digest, const struct prm_digested *content)
{
    enum prm_status status = PRM_OK;
    unsigned char bytes[EVP_MAX_MD_SIZE];
    EVP_MD_CTX *hash = EVP_MD_CTX_new();

    if (hash == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a digest");
    if (EVP_DigestInit_ex(hash, EVP_sha256(), NULL) != 1 || !hash_content(hash, content) ||
        EVP_DigestFinal_ex(hash, bytes, NULL) != 1)
        status = prm_fault_set(PRM_UNSUPPORTED, "SHA-256 is not available");
    for (size_t i = 0; status == PRM_OK && i < 32; i++)
        snprintf(digest + 2 * i, 3, "%02x", bytes[i]);
    EVP_MD_CTX_free(hash);
    return status;
}

enum prm_status prm_roadmap_digest(struct prm_roadmap *roadmap)
{
    const size_t bytes = 2 * (size_t)roadmap->edge_count * sizeof(uint32_t);
    enum prm_status status = PRM_OK;
    uint32_t *edges = malloc(bytes + 1);
    const struct prm_digested content = {
        &roadmap->space, roadmap->milestone_count, roadmap->edge_count, roadmap->host_states,
        edges,           roadmap->host_lengths};

    if (edges == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a digest of %u edges",
                             roadmap->edge_count);
    TRY(prm_buffer_read(roadmap->context, roadmap->edges, 0, edges, bytes));
    TRY(prm_digest_make(roadmap->digest, &content));
cleanup:
    free(edges);
    return status;
}
