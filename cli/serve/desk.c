/* Makes bodies for those that wait for them. */
#include "cli/serve/desk.h"

#include <stdlib.h>
#include <time.h>

#define MILLISECOND UINT64_C(1000000)
#define SECOND      UINT64_C(1000000000)

enum { REST_FACTOR = 3 };
#define LONGEST_REST (2 * SECOND)

static const char at_the_end[] = "the server ends\n";

static uint64_t now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

void cli_desk_init(struct cli_desk *desk, struct cli_source *source, void (*wake)(struct cli_exchange *exchange),
                   enum cli_presence (*presence_of)(const struct cli_exchange *exchange))
{
  *desk = (struct cli_desk){.source = source, .wake = wake, .presence_of = presence_of};
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&desk->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  pthread_mutex_init(&desk->lock, NULL);
}

void cli_desk_free(struct cli_desk *desk)
{
  for (int i = 0; i < CLI_SHARED_COUNT; i++)
    cli_body_release(desk->shared[i].body);
  pthread_cond_destroy(&desk->changed);
  pthread_mutex_destroy(&desk->lock);
}

/* Those whose askers are there, of one user among them. */
struct places {
  int all, own;
};

static struct places taken_places(const struct cli_desk *desk, uint32_t user)
{
  struct places places = {0};
  for (const struct cli_exchange *at = desk->deltas; at; at = at->next) {
    if (desk->presence_of(at) == CLI_IS_THERE) {
      places.all++;
      places.own += at->user == user;
    }
  }
  return places;
}

/* Why a delta is not begun; NULL: it may be, by which others may have to leave. */
static struct cli_body *refuse_delta(const struct cli_desk *desk, uint32_t user)
{
  const struct places taken = taken_places(desk, user);
  if (taken.all >= CLI_DESK_MOST_DELTAS)
    return cli_body_text(503, "%d profiles are being taken: ask again when one has ended\n", CLI_DESK_MOST_DELTAS);
  return taken.own < CLI_DESK_MOST_OF_ONE
             ? NULL
             : cli_body_text(503,
                             "%d profiles are being taken for this user, and others may ask for one: ask again when "
                             "one has ended\n",
                             taken.own);
}

/* The last body of a kind, where it is new enough: that takes less while another one waits for a new one already. */
static struct cli_body *last_body(const struct cli_desk *desk, enum cli_shared what)
{
  struct cli_body *body = desk->shared[what].body;
  const uint64_t good_ms = desk->shared[what].waiting ? CLI_DESK_OLD_MS : CLI_DESK_FRESH_MS;
  return body && now_ns() - desk->shared[what].made_ns < good_ms * MILLISECOND ? cli_body_hold(body) : NULL;
}

struct cli_body *cli_desk_ask(struct cli_desk *desk, const struct cli_exchange *exchange)
{
  struct cli_body *body = NULL;
  pthread_mutex_lock(&desk->lock);
  if (desk->is_closed)
    body = cli_body_text(503, "%s", at_the_end);
  else if (exchange->is_delta)
    body = refuse_delta(desk, exchange->user);
  else
    body = last_body(desk, exchange->what);
  pthread_mutex_unlock(&desk->lock);
  return body;
}

/* Hands a body over: the exchange is the asker's again. */
static void hand_over(struct cli_desk *desk, struct cli_exchange *exchange, struct cli_body *body)
{
  exchange->body = body;
  desk->wake(exchange);
}

static void add(struct cli_desk *desk, struct cli_exchange *exchange)
{
  struct cli_exchange **list = exchange->is_delta ? &desk->deltas : &desk->shared[exchange->what].waiting;
  exchange->next = *list;
  *list = exchange;
  desk->delta_count += exchange->is_delta;
  desk->was_asked = true;
  pthread_cond_signal(&desk->changed);
}

void cli_desk_wait(struct cli_desk *desk, struct cli_exchange *exchange)
{
  pthread_mutex_lock(&desk->lock);
  if (desk->is_closed)
    hand_over(desk, exchange, cli_body_text(503, "%s", at_the_end));
  else
    add(desk, exchange);
  pthread_mutex_unlock(&desk->lock);
}

static void rest(struct cli_desk *desk, uint64_t begin)
{
  const uint64_t end = now_ns(), wanted = (end - begin) * REST_FACTOR;
  desk->rest_until_ns = end + (wanted < LONGEST_REST ? wanted : LONGEST_REST);
}

static void make_shared(struct cli_desk *desk, enum cli_shared what)
{
  const uint64_t begin = now_ns();
  pthread_mutex_unlock(&desk->lock);
  struct cli_body *body = cli_source_make(desk->source, what);
  pthread_mutex_lock(&desk->lock);
  rest(desk, begin);
  struct cli_exchange *waiting = desk->shared[what].waiting;
  desk->shared[what].waiting = NULL;
  while (waiting) {
    struct cli_exchange *next = waiting->next;
    hand_over(desk, waiting, body ? cli_body_hold(body) : NULL);
    waiting = next;
  }
  cli_body_release(desk->shared[what].body);
  desk->shared[what].body = body;
  desk->shared[what].made_ns = now_ns();
}

/* Takes a delta out of the list, and hands its body over. */
static void finish_delta(struct cli_desk *desk, struct cli_exchange *exchange, struct cli_body *body)
{
  struct cli_exchange **link = &desk->deltas;
  while (*link != exchange)
    link = &(*link)->next;
  *link = exchange->next;
  desk->delta_count--;
  hand_over(desk, exchange, body);
}

static void begin_delta(struct cli_desk *desk, struct cli_exchange *exchange)
{
  const uint64_t begin = now_ns();
  struct cli_body *refusal = NULL;
  pthread_mutex_unlock(&desk->lock);
  struct callsig_delta *delta = cli_source_begin(desk->source, &refusal);
  pthread_mutex_lock(&desk->lock);
  rest(desk, begin);
  exchange->delta = delta;
  exchange->due_ns = begin + exchange->seconds * SECOND;
  if (!delta)
    finish_delta(desk, exchange, refusal);
}

static void end_delta(struct cli_desk *desk, struct cli_exchange *exchange)
{
  const uint64_t begin = now_ns();
  pthread_mutex_unlock(&desk->lock);
  struct cli_body *body = cli_source_end(desk->source, exchange->delta);
  pthread_mutex_lock(&desk->lock);
  rest(desk, begin);
  finish_delta(desk, exchange, body);
}

/* Has the exchange's user, or have all together, more than there is room for? */
static bool is_crowded(const struct cli_desk *desk, const struct cli_exchange *exchange)
{
  int own = 0;
  for (const struct cli_exchange *at = desk->deltas; at; at = at->next)
    own += at->user == exchange->user;
  return desk->delta_count > CLI_DESK_MOST_DELTAS || own > CLI_DESK_MOST_OF_ONE;
}

/* A profile that nobody waits for any more, or perhaps nobody while others want its place, makes room for another one.
 * False: there is none. */
static bool drop_delta(struct cli_desk *desk)
{
  struct cli_exchange *oldest = NULL;
  for (struct cli_exchange *at = desk->deltas; at; at = at->next) {
    const enum cli_presence presence = desk->presence_of(at);
    if (presence == CLI_IS_GONE || (presence == CLI_MAY_BE_GONE && is_crowded(desk, at)))
      oldest = at;
  }
  if (!oldest)
    return false;
  callsig_delta_free(oldest->delta);
  finish_delta(desk, oldest, NULL);
  return true;
}

/* Does what is to be done by now. False: there is nothing, and *next_ns is when there may be. */
static bool work_once(struct cli_desk *desk, uint64_t *next_ns)
{
  const uint64_t now = now_ns();
  *next_ns = now + CLI_DESK_LOOK_MS * MILLISECOND;
  if (drop_delta(desk))
    return true;
  for (struct cli_exchange *at = desk->deltas; at; at = at->next) {
    if (at->delta && at->due_ns <= now) {
      end_delta(desk, at);
      return true;
    }
    if (at->delta && at->due_ns < *next_ns)
      *next_ns = at->due_ns;
  }
  if (desk->rest_until_ns > now) {
    if (desk->rest_until_ns < *next_ns)
      *next_ns = desk->rest_until_ns;
    return false;
  }
  for (struct cli_exchange *at = desk->deltas; at; at = at->next) {
    if (!at->delta) {
      begin_delta(desk, at);
      return true;
    }
  }
  for (int i = 0; i < CLI_SHARED_COUNT; i++) {
    if (desk->shared[i].waiting) {
      make_shared(desk, (enum cli_shared)i);
      return true;
    }
  }
  return false;
}

static void send_away(struct cli_desk *desk)
{
  desk->is_closed = true;
  for (int i = 0; i < CLI_SHARED_COUNT; i++) {
    struct cli_exchange *waiting = desk->shared[i].waiting;
    desk->shared[i].waiting = NULL;
    while (waiting) {
      struct cli_exchange *next = waiting->next;
      hand_over(desk, waiting, cli_body_text(503, "%s", at_the_end));
      waiting = next;
    }
  }
  while (desk->deltas) {
    callsig_delta_free(desk->deltas->delta);
    finish_delta(desk, desk->deltas, cli_body_text(503, "%s", at_the_end));
  }
}

void cli_desk_work(struct cli_desk *desk, const volatile sig_atomic_t *stop, void (*look)(void *data), void *data)
{
  uint64_t next_ns;
  pthread_mutex_lock(&desk->lock);
  while (!*stop) {
    desk->was_asked = false;
    const bool worked = work_once(desk, &next_ns);
    pthread_mutex_unlock(&desk->lock);
    look(data);
    pthread_mutex_lock(&desk->lock);
    if (!worked && !desk->was_asked && !*stop) {
      const struct timespec until = {.tv_sec = (time_t)(next_ns / SECOND), .tv_nsec = (long)(next_ns % SECOND)};
      pthread_cond_timedwait(&desk->changed, &desk->lock, &until);
    }
  }
  send_away(desk);
  pthread_mutex_unlock(&desk->lock);
}
