/*
 * Who waits for which body, and the one thread that makes them: it knows no network.
 *
 * All that ask for the same at about the same time get one body; while one waits for the next, others get the last one
 * if it is not old. Between bodies the thread rests for three times as long as the last one took, so that however often
 * it is asked, it uses a quarter of a processor.
 */
#ifndef CALLSIG_CLI_SERVE_DESK_H
#define CALLSIG_CLI_SERVE_DESK_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

#include "cli/serve/body.h"

enum {
  CLI_DESK_MOST_DELTAS = 4, /* at a time: each holds a loaded recording */
  CLI_DESK_MOST_OF_ONE = 3, /* of them for one user, so that another may have one */
  CLI_DESK_FRESH_MS = 250,  /* for so long a body is good for others that ask */
  CLI_DESK_OLD_MS = 1000,   /* for so long it is while a new one is waited for */
  CLI_DESK_LOOK_MS = 200,   /* between looks whether the work is to end */
};

/* Is one that waits still there? */
enum cli_presence {
  CLI_IS_THERE,
  CLI_MAY_BE_GONE, /* it will send nothing more, and may still take its body */
  CLI_IS_GONE,
};

/* One that asks. The desk's, from cli_desk_wait() until `wake` was called for it. */
struct cli_exchange {
  bool is_delta;
  enum cli_shared what;  /* else this */
  unsigned seconds;      /* of a delta */
  uint32_t user;         /* who asks for a delta: cli_peer_user() */
  void *owner;           /* the asker's own */
  struct cli_body *body; /* once it is there; the asker's. NULL: memory was short */

  struct cli_exchange *next;
  struct callsig_delta *delta; /* once it has begun */
  uint64_t due_ns;
};

struct cli_desk {
  struct cli_source *source;                   /* borrowed; the worker's */
  void (*wake)(struct cli_exchange *exchange); /* its body is there; the worker calls it, with the lock held */
  enum cli_presence (*presence_of)(const struct cli_exchange *exchange); /* with the lock held, too */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct {
    struct cli_body *body; /* the last one */
    uint64_t made_ns;
    struct cli_exchange *waiting;
  } shared[CLI_SHARED_COUNT];
  struct cli_exchange *deltas;
  unsigned delta_count;
  uint64_t rest_until_ns;
  bool was_asked; /* since the worker looked for work */
  bool is_closed; /* nothing is made any more */
};

void cli_desk_init(struct cli_desk *desk, struct cli_source *source, void (*wake)(struct cli_exchange *exchange),
                   enum cli_presence (*presence_of)(const struct cli_exchange *exchange));
void cli_desk_free(struct cli_desk *desk);

/* The body, when there is one that is new enough, or the reason why there will be none; NULL: it has to be waited for.
 * The caller releases it. */
struct cli_body *cli_desk_ask(struct cli_desk *desk, const struct cli_exchange *exchange);

/* Has the exchange wait until `wake` is called for it. */
void cli_desk_wait(struct cli_desk *desk, struct cli_exchange *exchange);

/* Makes bodies until *stop is not 0, and calls `look` between them, CLI_DESK_LOOK_MS apart or more. Then whoever waits
 * gets a body that says that there will be none. */
void cli_desk_work(struct cli_desk *desk, const volatile sig_atomic_t *stop, void (*look)(void *data), void *data);

#endif
