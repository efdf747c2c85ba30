/*
 * Messages of libcallsig-stats: one clear line each, to the callback of callsig_stats_set_message() or to stderr.
 */
#ifndef CALLSIG_OUTPUT_TEXT_MESSAGE_H
#define CALLSIG_OUTPUT_TEXT_MESSAGE_H

/* Formats one line and hands it over, without a newline. Any thread. */
void out_stats_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, and returns `error` (a negative errno): `return out_stats_fail(-EINVAL, "...")`. */
int out_stats_fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends what the calling thread has to say to `text`, a line each, in place of telling it, until it is called with
 * NULL. `text` stays the caller's. */
struct out_text;
void out_stats_messages_into(struct out_text *text);

/* -ENOMEM, after saying so. */
int out_stats_no_memory(void);

#endif
