/*
 * How code that finds something to tell the user hands it to its caller, who decides where it goes.
 */
#ifndef CALLSIG_BASE_MESSAGE_H
#define CALLSIG_BASE_MESSAGE_H

/* Is given one line, without a newline at its end, that is valid during the call. `data` is what the caller gave with
 * the function. Called by the thread that called the library. */
typedef void (*base_message_fn)(const char *line, void *data);

#endif
