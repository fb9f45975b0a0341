#include "server/tls.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHAIN_MAX = 16 };

/* A certificate with what vouches for it, and its key. */
struct pair {
    struct pair *older; /* replaced by this one, owned */
    gnutls_pcert_st chain[CHAIN_MAX];
    unsigned count;
    gnutls_privkey_t key;
};

static struct {
    pthread_mutex_t lock; /* of the newest */
    struct pair *newest;
    char *certificate_path, *key_path;
} tls = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void free_pair(struct pair *pair)
{
    for (unsigned i = 0; i < pair->count; i++)
        gnutls_pcert_deinit(&pair->chain[i]);
    if (pair->key != NULL)
        gnutls_privkey_deinit(pair->key);
    free(pair);
}

static bool say(char fault[TLS_FAULT_MAX], const char *flag, const char *path, int code)
{
    snprintf(fault, TLS_FAULT_MAX, "%s: %.100s: %s", flag, path, gnutls_strerror(code));
    return false;
}

/* Whether the key is the certificate's: both have the same public part. */
static bool is_fitting(const struct pair *pair)
{
    unsigned char own[64], certified[64];
    size_t own_bytes = sizeof(own), certified_bytes = sizeof(certified);
    gnutls_pubkey_t public_key = NULL;

    bool fits =
        gnutls_pubkey_init(&public_key) == 0 &&
        gnutls_pubkey_import_privkey(public_key, pair->key, 0, 0) == 0 &&
        gnutls_pubkey_get_key_id(public_key, GNUTLS_KEYID_USE_SHA256, own, &own_bytes) == 0 &&
        gnutls_pubkey_get_key_id(pair->chain[0].pubkey, GNUTLS_KEYID_USE_SHA256, certified,
                                 &certified_bytes) == 0;
    fits = fits && own_bytes == certified_bytes && memcmp(own, certified, own_bytes) == 0;
    if (public_key != NULL)
        gnutls_pubkey_deinit(public_key);
    return fits;
}

/* The key alone. */
static bool load_key(struct pair *pair, const char *path, char fault[TLS_FAULT_MAX])
{
    gnutls_datum_t file = {NULL, 0};
    int code = gnutls_load_file(path, &file);
    if (code == 0)
        code = gnutls_privkey_init(&pair->key);
    if (code == 0)
        code = gnutls_privkey_import_x509_raw(pair->key, &file, GNUTLS_X509_FMT_PEM, NULL, 0);
    if (file.data != NULL)
        gnutls_memset(file.data, 0, file.size);
    gnutls_free(file.data);
    return code == 0 || say(fault, "--tls-key", path, code);
}

/* A pair from two files; NULL: `fault` says why. */
static struct pair *load(const char *certificate_path, const char *key_path,
                         char fault[TLS_FAULT_MAX])
{
    struct pair *pair = calloc(1, sizeof(*pair));
    snprintf(fault, TLS_FAULT_MAX, "out of memory");
    if (pair == NULL)
        return NULL;
    unsigned count = CHAIN_MAX;
    const int code = gnutls_pcert_list_import_x509_file(pair->chain, &count, certificate_path,
                                                        GNUTLS_X509_FMT_PEM, NULL, NULL, 0);
    bool fine = code == 0 || say(fault, "--tls-cert", certificate_path, code);
    pair->count = fine ? count : 0;
    fine = fine && load_key(pair, key_path, fault);
    if (fine && !is_fitting(pair)) {
        snprintf(fault, TLS_FAULT_MAX, "--tls-key: %.100s is not the key of %.100s", key_path,
                 certificate_path);
        fine = false;
    }
    if (fine)
        return pair;
    free_pair(pair);
    return NULL;
}

bool tls_open(const char *certificate_path, const char *key_path, char fault[TLS_FAULT_MAX])
{
    assert(tls.newest == NULL);
    tls.newest = load(certificate_path, key_path, fault);
    tls.certificate_path = strdup(certificate_path);
    tls.key_path = strdup(key_path);
    if (tls.newest != NULL && tls.certificate_path != NULL && tls.key_path != NULL)
        return true;
    tls_close();
    return false;
}

bool tls_reload(char fault[TLS_FAULT_MAX])
{
    struct pair *pair = load(tls.certificate_path, tls.key_path, fault);
    if (pair == NULL)
        return false;
    pthread_mutex_lock(&tls.lock);
    pair->older = tls.newest;
    tls.newest = pair;
    pthread_mutex_unlock(&tls.lock);
    return true;
}

void tls_close(void)
{
    while (tls.newest != NULL) {
        struct pair *pair = tls.newest;
        tls.newest = pair->older;
        free_pair(pair);
    }
    free(tls.certificate_path);
    free(tls.key_path);
    tls.certificate_path = tls.key_path = NULL;
}

int tls_retrieve(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
                 gnutls_pcert_st **certificates, unsigned *count, gnutls_ocsp_data_st **ocsp,
                 unsigned *ocsp_count, gnutls_privkey_t *key, unsigned *flags)
{
    (void)session, (void)info;
    pthread_mutex_lock(&tls.lock);
    struct pair *pair = tls.newest;
    pthread_mutex_unlock(&tls.lock);
    *certificates = pair->chain;
    *count = pair->count;
    *ocsp = NULL;
    *ocsp_count = 0;
    *key = pair->key;
    // the pair stays ours
    *flags = 0;
    return 0;
}
