/* Looks at the newest spans of a recording again and again, for those that a trigger is of. */
#include "cli/run/trigger_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/run/trigger_silence.h"
#include "cli/run/trigger_sources.h"
#include "output/merge/span_match.h"
#include "output/recording/clock.h"
#include "output/text/text.h"

#define LOOK_NS     UINT64_C(5000000) /* from one look to the next */
#define FIND_LOOKS  20u               /* from one time that children are looked for to the next */
#define AT_ONCE     16u               /* children that each look is at; of more, each has its turn */
#define NANOSECONDS UINT64_C(1000000000)

struct fired {
  uint64_t start, duration;
};

/* A span that may be of a trigger. */
struct candidate {
  struct fmt_rec_span span;
  uint32_t asked, matched; /* triggers: those that it took long enough for, and those that it is of */
  char *what;              /* which call it is; NULL: not known. Owned */
  bool is_gone;            /* it was overwritten meanwhile */
};

struct cli_trigger_watch {
  const struct cli_triggers *triggers;
  const struct cli_recording_place *place;
  struct cli_trigger_sources sources;
  struct cli_trigger_source *source; /* that is looked at */
  struct base_vector fired;          /* struct fired */
  struct base_vector candidates;     /* struct candidate, of this look */
  uint32_t broken, matched;          /* triggers that cannot be asked; those that were of a call: one bit each */
  uint32_t pid;                      /* of the source */
  uint64_t missed;                   /* spans that were gone before they were looked at */
  uint64_t looks;
  double tick;  /* seconds, of the source */
  bool is_full; /* as many snapshots were written as may be */
  bool is_last; /* the program has ended */
  pthread_t thread;
  pthread_mutex_t looking; /* one looks at a time */
  pthread_mutex_t lock;
  pthread_cond_t ending;
  bool is_ending;
};

/* ------------------------------------------------------------------------------------------------------------------ */

static const struct cli_trigger *trigger_at(const struct cli_trigger_watch *watch, uint32_t number)
{
  return base_vector_at(&watch->triggers->list, number);
}

static unsigned limit_of(const struct cli_trigger_watch *watch)
{
  return watch->triggers->limit != 0 ? watch->triggers->limit : CLI_TRIGGERS_SNAPSHOT;
}

static bool has_fired(const struct cli_trigger_watch *watch, const struct fmt_rec_span *span)
{
  for (uint32_t i = 0; i < watch->fired.count; i++) {
    const struct fired *fired = base_vector_at(&watch->fired, i);
    if (fired->start == span->start && fired->duration == span->duration)
      return true;
  }
  return false;
}

/* Writes the snapshot for a call, which `what` tells of. */
static void fire(struct cli_trigger_watch *watch, const struct cli_trigger *trigger, struct callsig_stats *stats,
                 const struct fmt_rec_span *span, const char *what)
{
  char path[PATH_MAX + 32], process[32] = "";
  char *note = NULL;
  struct fired *fired = base_vector_add(&watch->fired, 1);
  if (fired != NULL)
    *fired = (struct fired){span->start, span->duration};
  snprintf(path, sizeof path, "%s.trigger.%u", watch->place->path, watch->fired.count);
  if (watch->source->path != NULL)
    snprintf(process, sizeof process, " in process %" PRIu32, watch->pid);
  if (fired == NULL ||
      asprintf(&note, "a snapshot, written while the program ran: %s%s (--trigger '%s')", what, process,
               trigger->text) < 0 ||
      out_stats_set_trigger(stats, path, note) < 0)
    cli_error("run: out of memory");
  else if (callsig_stats_dump(stats, path) == 0)
    cli_error("trigger '%s': %s%s: %s", trigger->text, what, process, path);
  free(note);
  watch->is_full = watch->fired.count >= limit_of(watch);
  if (watch->is_full)
    cli_error("%u snapshot%s written for triggers, and no more are (--trigger-limit)", limit_of(watch),
              limit_of(watch) == 1 ? " was" : "s were");
}

static struct cli_known_edge *find_edge(const struct cli_trigger_watch *watch, uint64_t edge)
{
  for (uint32_t i = watch->source->known.count; i-- > 0;) {
    struct cli_known_edge *known = base_vector_at(&watch->source->known, i);
    if (known->edge == edge)
      return known;
  }
  return NULL;
}

/* Which of the candidates that are still asked for are selected by the trigger's filter: their bit stays, or goes. */
static bool ask_one(struct cli_trigger_watch *watch, uint32_t number, bool any_arguments, struct callsig_stats *stats)
{
  const struct callsig_stats_filter filter = cli_trigger_filter(trigger_at(watch, number), any_arguments);
  const uint32_t bit = 1u << number;
  int result = cli_trigger_select(stats, &filter);
  bool is_any = false;
  if (result == -ENOMEM)
    watch->broken |= bit;
  for (uint32_t i = 0; i < watch->candidates.count; i++) {
    struct candidate *candidate = base_vector_at(&watch->candidates, i);
    if (!(candidate->matched & bit))
      continue;
    struct out_text what = {0};
    const int found =
        result < 0 ? result : out_span_match(stats, candidate->span.start, candidate->span.duration, &what);
    if (found == OUT_SPAN_SELECTED && candidate->what == NULL)
      candidate->what = strdup(out_text_string(&what));
    if (found != OUT_SPAN_SELECTED)
      candidate->matched &= ~bit;
    candidate->is_gone |= found == OUT_SPAN_GONE;
    is_any |= found == OUT_SPAN_SELECTED;
    out_text_free(&what);
  }
  return is_any;
}

static int compare_ends(const void *left, const void *right)
{
  const struct fmt_rec_span *a = &((const struct candidate *)left)->span, *b = &((const struct candidate *)right)->span;
  const uint64_t first = a->start + a->duration, second = b->start + b->duration;
  return (first > second) - (first < second);
}

/* Notes what is known of the call's edge from now on. */
static void learn(struct cli_trigger_watch *watch, const struct candidate *candidate)
{
  struct cli_known_edge *known = find_edge(watch, candidate->span.what);
  if (known == NULL && (known = base_vector_add(&watch->source->known, 1)) != NULL)
    *known = (struct cli_known_edge){.edge = candidate->span.what, .triggers = UINT32_MAX};
  if (known != NULL)
    known->triggers = (known->triggers & ~candidate->asked) | candidate->matched;
  watch->matched |= candidate->matched;
}

/* Asks the triggers of all candidates that a look has found, by one reading of the recording, and fires. */
static void ask(struct cli_trigger_watch *watch)
{
  struct callsig_stats *stats =
      watch->candidates.count > 0 ? cli_trigger_source_load(&watch->sources, watch->source) : NULL;
  for (uint32_t i = 0; stats != NULL && i < watch->triggers->list.count; i++)
    /* The condition is asked of what has such arguments at all. */
    if (ask_one(watch, i, true, stats) && trigger_at(watch, i)->signature != NULL)
      ask_one(watch, i, false, stats);
  if (stats != NULL)
    qsort(watch->candidates.data, watch->candidates.count, sizeof(struct candidate), compare_ends);
  for (uint32_t i = 0; i < watch->candidates.count; i++) {
    struct candidate *candidate = base_vector_at(&watch->candidates, i);
    watch->missed += stats != NULL && candidate->is_gone;
    if (stats != NULL && !candidate->is_gone)
      learn(watch, candidate);
    if (stats != NULL && candidate->matched != 0 && candidate->what != NULL && !watch->is_full &&
        !has_fired(watch, &candidate->span))
      fire(watch, trigger_at(watch, (uint32_t)__builtin_ctz(candidate->matched)), stats, &candidate->span,
           candidate->what);
    free(candidate->what);
  }
  watch->candidates.count = 0;
  callsig_stats_free(stats);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* The triggers whose time the call took. */
static uint32_t long_enough(const struct cli_trigger_watch *watch, const struct fmt_rec_span *span)
{
  const double took = (double)span->duration * watch->tick;
  uint32_t wanted = 0;
  for (uint32_t i = 0; i < watch->triggers->list.count; i++) {
    const struct cli_trigger *trigger = trigger_at(watch, i);
    const double least = (double)trigger->ns * 1e-9;
    const uint32_t kind = trigger->stage != NULL ? FMT_SPAN_TASK : FMT_SPAN_CALL;
    if (span->kind == kind && (took > least || (trigger->includes && took >= least)))
      wanted |= 1u << i;
  }
  return wanted & ~watch->broken;
}

/* Keeps a span that may be of a trigger. What is known to be of none is not asked again. */
static bool consider(const struct fmt_rec_span *span, void *data)
{
  struct cli_trigger_watch *watch = data;
  const uint32_t wanted = long_enough(watch, span);
  const struct cli_known_edge *known = wanted != 0 ? find_edge(watch, span->what) : NULL;
  const uint32_t asked = known != NULL ? wanted & known->triggers : wanted;
  struct candidate *candidate = asked != 0 && !has_fired(watch, span) ? base_vector_add(&watch->candidates, 1) : NULL;
  if (candidate != NULL)
    *candidate = (struct candidate){.span = *span, .asked = asked, .matched = asked};
  return true;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void look_at(struct cli_trigger_watch *watch, struct cli_trigger_source *source)
{
  struct fmt_rec_header header;
  struct fmt_rec_clock_point now;
  bool is_uncalibrated;
  const bool is_last = watch->is_last || source->has_ended;
  const uint64_t missed = source->rings.missed;
  if (!cli_trigger_source_header(&watch->sources, source, &header))
    return;
  if (is_last || !out_clock_now(header.clock, &now))
    now = header.last;
  watch->source = source;
  watch->pid = header.pid;
  watch->tick = out_clock_tick(header.clock, (struct out_clock_rate){header.injected_hz, header.counter_khz},
                               &header.start, &now, &is_uncalibrated);
  /* An edge may lie where another one did. */
  if (header.folds != source->folds)
    source->known.count = 0;
  source->folds = header.folds;
  cli_span_rings_look(&source->rings, &header, is_last, consider, watch);
  watch->missed += source->rings.missed - missed;
  ask(watch);
}

/* Looks at the run's own recording, and at those of other processes as far as it is their turn. */
static void look(struct cli_trigger_watch *watch, bool is_every)
{
  pthread_mutex_lock(&watch->looking);
  const bool finds = !watch->is_full && (is_every || watch->looks % FIND_LOOKS == 0);
  if (finds)
    cli_trigger_sources_find(&watch->sources);
  const uint32_t turns = is_every ? 1 : 1 + watch->sources.list.count / AT_ONCE;
  for (uint32_t i = 0; i < watch->sources.list.count && !watch->is_full; i++) {
    struct cli_trigger_source *source = cli_trigger_source_at(&watch->sources, i);
    if (source->is_done || (i > 0 && !source->has_ended && (watch->looks + i) % turns != 0))
      continue;
    look_at(watch, source);
    source->is_done = source->has_ended;
  }
  if (finds)
    cli_trigger_sources_drop(&watch->sources);
  watch->looks++;
  pthread_mutex_unlock(&watch->looking);
}

void cli_trigger_watch_settle(struct cli_trigger_watch *watch)
{
  if (watch != NULL)
    look(watch, true);
}

/* Waits a moment. False: the program has ended. */
static bool pause_once(struct cli_trigger_watch *watch)
{
  struct timespec until;
  int result = 0;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const uint64_t ns = (uint64_t)until.tv_nsec + LOOK_NS;
  until.tv_sec += (time_t)(ns / NANOSECONDS);
  until.tv_nsec = (long)(ns % NANOSECONDS);
  pthread_mutex_lock(&watch->lock);
  while (!watch->is_ending && result != ETIMEDOUT)
    result = pthread_cond_timedwait(&watch->ending, &watch->lock, &until);
  const bool goes_on = !watch->is_ending;
  pthread_mutex_unlock(&watch->lock);
  return goes_on;
}

static void *run(void *data)
{
  struct cli_trigger_watch *watch = data;
  while (!watch->is_full && pause_once(watch))
    look(watch, false);
  return NULL;
}

/* The thread takes no signals: those are handed on by who waits for the program. */
static int start(struct cli_trigger_watch *watch)
{
  pthread_condattr_t monotonic;
  sigset_t all, mask;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&watch->ending, &monotonic);
  pthread_condattr_destroy(&monotonic);
  pthread_mutex_init(&watch->lock, NULL);
  pthread_mutex_init(&watch->looking, NULL);
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &mask);
  int error = pthread_create(&watch->thread, NULL, run, watch);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  return -error;
}

/* Is `path` a snapshot, or any other recording? */
static bool is_recording(const char *path)
{
  char magic[sizeof FMT_RECORDING_MAGIC];
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  const bool is_one = file >= 0 && read(file, magic, sizeof magic) == (ssize_t)sizeof magic &&
                      memcmp(magic, FMT_RECORDING_MAGIC, sizeof magic) == 0;
  if (file >= 0)
    close(file);
  return is_one;
}

/* What an earlier run left must not pass for a snapshot of this one. */
static void remove_older(const char *path)
{
  char name[PATH_MAX + 32];
  for (unsigned number = 1;; number++) {
    snprintf(name, sizeof name, "%s.trigger.%u", path, number);
    if (!is_recording(name) || unlink(name) != 0)
      return;
  }
}

static void watch_free(struct cli_trigger_watch *watch)
{
  cli_trigger_sources_close(&watch->sources);
  base_vector_free(&watch->fired);
  base_vector_free(&watch->candidates);
  free(watch);
}

int cli_trigger_watch_begin(const struct cli_triggers *triggers, const struct cli_recording_place *place,
                            struct cli_trigger_watch **watch)
{
  *watch = NULL;
  if (triggers->list.count == 0)
    return 0;
  remove_older(place->path);
  struct cli_trigger_watch *made = calloc(1, sizeof *made);
  if (made != NULL)
    *made = (struct cli_trigger_watch){.triggers = triggers,
                                       .place = place,
                                       .fired = BASE_VECTOR_OF(struct fired),
                                       .candidates = BASE_VECTOR_OF(struct candidate)};
  int error = made != NULL ? cli_trigger_sources_open(&made->sources, place) : -ENOMEM;
  if (error == 0)
    error = start(made);
  if (error < 0) {
    cli_error("run: triggers cannot be watched for: %s", strerror(-error));
    if (made != NULL)
      watch_free(made);
  } else
    *watch = made;
  return error;
}

void cli_trigger_watch_end(struct cli_trigger_watch *watch)
{
  if (watch == NULL)
    return;
  pthread_mutex_lock(&watch->lock);
  watch->is_ending = true;
  pthread_cond_signal(&watch->ending);
  pthread_mutex_unlock(&watch->lock);
  pthread_join(watch->thread, NULL);
  watch->is_last = true;
  look(watch, true);
  if (watch->missed > 0)
    cli_error("run: %" PRIu64 " calls were gone before triggers looked at them: keep more with CALLSIG_TIMELINE_SPANS",
              watch->missed);
}

void cli_trigger_watch_tell(struct cli_trigger_watch *watch, char *const files[], unsigned count)
{
  if (watch == NULL)
    return;
  if (count > 0)
    cli_triggers_tell_silent(watch->triggers, ~(watch->matched | watch->broken), watch->is_full, files, count);
  pthread_cond_destroy(&watch->ending);
  pthread_mutex_destroy(&watch->lock);
  pthread_mutex_destroy(&watch->looking);
  watch_free(watch);
}
