/* The certificate and key that HTTPS is served with, renewed without a break.
 *
 * GnuTLS asks for them at each handshake; it knows no context, so there is one pair a process. A
 * pair that was replaced stays until the end, since a handshake may still hold it: renewals are
 * rare. The only user of GnuTLS.
 *
 * Threads: tls_open, tls_reload and tls_close from one; handshakes on any.
 */
#ifndef SERVER_TLS_H
#define SERVER_TLS_H

#include <gnutls/abstract.h>
#include <stdbool.h>

enum { TLS_FAULT_MAX = 256 };

/* Takes the pair from two PEM files: the chain with the server's own certificate first, and its
 * key, which must fit. False: `fault` says why. */
bool tls_open(const char *certificate_path, const char *key_path, char fault[TLS_FAULT_MAX]);

/* Takes it from the same files again; false: `fault` says why, and it stays as it was. */
bool tls_reload(char fault[TLS_FAULT_MAX]);

/* After the last handshake; does nothing where none is open. */
void tls_close(void);

/* What GnuTLS asks (gnutls_certificate_retrieve_function3). */
int tls_retrieve(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
                 gnutls_pcert_st **certificates, unsigned *count, gnutls_ocsp_data_st **ocsp,
                 unsigned *ocsp_count, gnutls_privkey_t *key, unsigned *flags);

#endif
