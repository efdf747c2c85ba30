/*
 * callsig: what the headers of libcallsig-stats share: how its functions are marked, and where its messages go. A
 * program gets this with callsig/stats.h or callsig/pipeline.h.
 */
#ifndef CALLSIG_API_H
#define CALLSIG_API_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CALLSIG_STATS_API __attribute__((visibility("default")))
#else
#define CALLSIG_STATS_API
#endif

/* Receives one line without the newline. Default: stderr, after "callsig: ". */
typedef void (*callsig_stats_message_fn)(const char *line, void *data);
CALLSIG_STATS_API void callsig_stats_set_message(callsig_stats_message_fn message, void *data);

#ifdef __cplusplus
}
#endif

#endif
