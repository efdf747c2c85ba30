/*
 * Who is at the other end of a connection: the user whose process holds it.
 */
#ifndef CALLSIG_CLI_SERVE_PEER_H
#define CALLSIG_CLI_SERVE_PEER_H

#include <stdint.h>

#define CLI_PEER_UNKNOWN UINT32_MAX /* on another machine, or gone */

/* The user, of a UNIX socket or of a connection within this machine. */
uint32_t cli_peer_user(int fd);

#endif
