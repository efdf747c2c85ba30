/*
 * Messages to whoever runs the program: one line to its callback or to stderr.
 */
#ifndef CALLSIG_PROFILER_BASE_MESSAGE_H
#define CALLSIG_PROFILER_BASE_MESSAGE_H

/* Notes what stderr is, so that nothing is ever written to a file of the program's that took its number. As early
 * as can be; the first message does it otherwise. */
void prof_message_prepare(void);
/* One line to the program's callback or stderr: %s, %d, %u, %lx, %lu. Anywhere. */
void prof_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
