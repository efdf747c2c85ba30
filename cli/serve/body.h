/*
 * Bodies of answers: what they are made of, and who holds them.
 */
#ifndef CALLSIG_CLI_SERVE_BODY_H
#define CALLSIG_CLI_SERVE_BODY_H

#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "callsig/live.h"

/* An answer, shared by all that get it. */
struct cli_body {
  atomic_uint references;
  unsigned status;    /* of HTTP */
  const char *type;   /* of the content; a literal */
  const char *method; /* methods that are allowed, where another was used; else NULL */
  char *data;
  size_t size;
  void *response; /* what the server made of it to send, the same for all that get it; NULL: nothing yet */
  void (*release_response)(void *response);
};

/* What is the same for all that ask at about the same time. */
enum cli_shared { CLI_SHARED_METRICS, CLI_SHARED_PAGE, CLI_SHARED_WHOLE, CLI_SHARED_COUNT };

/* What bodies are made of. One thread uses it. */
struct cli_source {
  const char *recording;
  struct callsig_metrics *metrics;
  char message[512]; /* the last one of the library */
  uint64_t told_ns;  /* when it was told on stderr */
};

/* Takes the library's messages: it tells each on stderr, one that repeats itself at most once a minute. -ENOMEM. */
int cli_source_open(struct cli_source *source, const char *recording, size_t functions);
void cli_source_close(struct cli_source *source);

/* Makes a body; of what cannot be made one that says why. NULL when memory is short. */
struct cli_body *cli_source_make(struct cli_source *source, enum cli_shared what);
/* Begins a delta; NULL: *refusal says why, as above. */
struct callsig_delta *cli_source_begin(struct cli_source *source, struct cli_body **refusal);
/* Ends and frees it. */
struct cli_body *cli_source_end(struct cli_source *source, struct callsig_delta *delta);

/* A line of text as a body. NULL when memory is short. */
struct cli_body *cli_body_text(unsigned status, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct cli_body *cli_body_hold(struct cli_body *body);
/* NULL is allowed. */
void cli_body_release(void *body);

#endif
