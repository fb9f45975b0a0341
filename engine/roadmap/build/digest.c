/* SHA-256 by OpenSSL's EVP. */
#include "roadmap/build/digest.h"

#include "device/try.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words put into bytes at a time, and hashed in a step: about two milliseconds' work. */
enum { BLOCK_WORDS = 1024, STEP_WORDS = 1 << 18 };

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

/* What comes one after the other. */
enum part { HEAD, STATES, EDGES, LENGTHS, END };

struct prm_digesting {
    struct prm_digested content;
    const struct prm_roadmap *roadmap; /* whose edges are read back; NULL: they are in content */
    EVP_MD_CTX *hash;
    uint32_t *edges; /* u32[STEP_WORDS], of the roadmap's */
    enum part part;
    size_t at; /* word of the part, or row of states */
};

static enum prm_status no_sha(void)
{
    return prm_fault_set(PRM_UNSUPPORTED, "SHA-256 is not available");
}

static int hash_head(struct prm_digesting *digesting)
{
    const struct prm_digested *content = &digesting->content;
    const struct prm_space *space = content->space;
    const uint32_t counts[3] = {space->dof, content->milestone_count, content->edge_count};
    int good = hash_words(digesting->hash, counts, 3);

    for (uint32_t c = 0; good && c < space->dof; c++) {
        uint64_t bits;
        memcpy(&bits, &space->coordinates[c].origin, sizeof(bits));
        const uint32_t halves[2] = {(uint32_t)bits, (uint32_t)(bits >> 32)};
        good = hash_words(digesting->hash, halves, 2);
    }
    return good;
}

/* The next piece of `count` words, or rows, in all; the part ends with the last. */
static size_t next_piece(struct prm_digesting *digesting, size_t count, size_t most)
{
    const size_t left = count - digesting->at, piece = left < most ? left : most;
    digesting->at += piece;
    if (piece == left) {
        digesting->at = 0;
        digesting->part++;
    }
    return piece;
}

static int hash_states(struct prm_digesting *digesting)
{
    const struct prm_digested *content = &digesting->content;
    const struct prm_space *space = content->space;
    const size_t first = digesting->at;
    const size_t rows = next_piece(digesting, content->milestone_count, STEP_WORDS / space->dof);
    int good = 1;
    for (size_t i = first; good && i < first + rows; i++)
        good = hash_words(digesting->hash, content->states + i * space->row, space->dof);
    return good;
}

static enum prm_status hash_edges(struct prm_digesting *digesting)
{
    const struct prm_roadmap *roadmap = digesting->roadmap;
    const size_t first = digesting->at;
    const size_t words =
        next_piece(digesting, 2 * (size_t)digesting->content.edge_count, STEP_WORDS);
    const uint32_t *edges = roadmap == NULL ? digesting->content.edges + first : digesting->edges;
    enum prm_status status = PRM_OK;

    if (roadmap != NULL && words > 0)
        TRY(prm_buffer_read(roadmap->context, roadmap->edges, first * sizeof(uint32_t),
                            digesting->edges, words * sizeof(uint32_t)));
    if (!hash_words(digesting->hash, edges, words))
        status = no_sha();
cleanup:
    return status;
}

static int hash_lengths(struct prm_digesting *digesting)
{
    const size_t first = digesting->at;
    const size_t words = next_piece(digesting, digesting->content.edge_count, STEP_WORDS);
    return hash_words(digesting->hash, digesting->content.lengths + first, words);
}

static int finish(struct prm_digesting *digesting, char *digest)
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    if (EVP_DigestFinal_ex(digesting->hash, bytes, NULL) != 1)
        return 0;
    for (size_t i = 0; i < 32; i++)
        snprintf(digest + 2 * i, 3, "%02x", bytes[i]);
    return 1;
}

/* Hashes the next piece; *done: the digest is written. */
static enum prm_status step(struct prm_digesting *digesting, char *digest, bool *done)
{
    int good = 1;
    *done = digesting->part == END;
    switch (digesting->part) {
    case HEAD:
        good = hash_head(digesting);
        digesting->part++;
        break;
    case STATES:
        good = hash_states(digesting);
        break;
    case EDGES:
        return hash_edges(digesting);
    case LENGTHS:
        good = hash_lengths(digesting);
        break;
    case END:
        good = finish(digesting, digest);
        break;
    }
    return good ? PRM_OK : no_sha();
}

static enum prm_status begin(struct prm_digesting **digesting, const struct prm_digested *content,
                             const struct prm_roadmap *roadmap)
{
    struct prm_digesting *made = calloc(1, sizeof(*made));
    *digesting = made;
    if (made != NULL) {
        made->content = *content;
        made->roadmap = roadmap;
        made->hash = EVP_MD_CTX_new();
        made->edges = roadmap != NULL ? malloc(prm_words(STEP_WORDS)) : NULL;
    }
    if (made == NULL || made->hash == NULL || (roadmap != NULL && made->edges == NULL))
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a digest");
    return EVP_DigestInit_ex(made->hash, EVP_sha256(), NULL) == 1 ? PRM_OK : no_sha();
}

void prm_digesting_destroy(struct prm_digesting *digesting)
{
    if (digesting == NULL)
        return;
    EVP_MD_CTX_free(digesting->hash);
    free(digesting->edges);
    free(digesting);
}

enum prm_status prm_digest_make(char *digest, const struct prm_digested *content)
{
    enum prm_status status = PRM_OK;
    struct prm_digesting *digesting;
    bool done = false;

    TRY(begin(&digesting, content, NULL));
    while (!done)
        TRY(step(digesting, digest, &done));
cleanup:
    prm_digesting_destroy(digesting);
    return status;
}

enum prm_status prm_roadmap_digest(struct prm_digesting **digesting, struct prm_roadmap *roadmap,
                                   bool *done)
{
    const struct prm_digested content = {.space = &roadmap->space,
                                         .milestone_count = roadmap->milestone_count,
                                         .edge_count = roadmap->edge_count,
                                         .states = roadmap->host_states,
                                         .lengths = roadmap->host_lengths};
    *done = false;
    if (*digesting == NULL)
        return begin(digesting, &content, roadmap);
    return step(*digesting, roadmap->digest, done);
}
