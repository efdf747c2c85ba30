/* Follows which stage bounds a pipeline from one part of its time to the next. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "output/pipeline/busy_slots.h"

#define SHORTEST  0.10 /* of the time: a part that counts */
#define APART     0.15 /* by so much another stage has to be busier */
#define WARM_TIME 0.05 /* of the time: a first task that is told */
#define WARM_UP   10.0 /* times the median: a first task that warms up */

/* A slot of the time, in seconds since the pipeline's first task, or several. */
struct part {
  double from, until;
  const struct out_stage_view *view; /* that is busiest, and enough; NULL: none */
  unsigned first, end;               /* slots */
};

struct course {
  const struct callsig_pipeline *pipeline;
  struct out_busy_slots slots; /* the window, and what is in it */
  struct part parts[FMT_TASK_SLOTS];
  unsigned count;
};

/* The share of the time of a part in which a view's stage does something itself. */
static double active_in(const struct course *course, uint32_t view, const struct part *part)
{
  return out_busy_slots_share(&course->slots, view, part->first, part->end) *
         (1 - course->slots.bottleneck->views[view].condition);
}

static void find_busiest(const struct course *course, struct part *part)
{
  double most = OUT_BUSY_ENOUGH;
  part->view = NULL;
  for (uint32_t i = 0; i < course->slots.bottleneck->count; i++) {
    double busy = active_in(course, i, part);
    if (busy >= most) {
      most = busy;
      part->view = &course->slots.bottleneck->views[i];
    }
  }
}

static double busy_of(const struct course *course, const struct out_stage_view *view, const struct part *part)
{
  return view ? active_in(course, (uint32_t)(view - course->slots.bottleneck->views), part) : 0;
}

/* Seconds from the beginning of the recording to that of a stage's first task. */
static double first_begin(const struct callsig_pipeline *pipeline, const struct out_stage *stage)
{
  return stage->first_ticks > pipeline->start_ticks
             ? (double)(stage->first_ticks - pipeline->start_ticks) * pipeline->tick
             : 0;
}

/* The same share of what is left of the part when its first item has come to the stage: that items take some time to
 * come through the stages before says nothing of which is slow. Where it takes longer than that the stage was late. */
static double busy_once_begun(const struct course *course, const struct out_stage_view *view, const struct part *part)
{
  const double length = part->until - part->from;
  const double before = view ? first_begin(course->pipeline, view->stage) - (course->slots.begin + part->from) : 0;
  const double busy = busy_of(course, view, part);
  return before > 0 && before < length && before < SHORTEST * course->slots.length
             ? fmin(1, busy * length / (length - before))
             : busy;
}

/* Joins a part with the next one. */
static void join(struct course *course, unsigned at)
{
  struct part *part = &course->parts[at];
  part->until = part[1].until;
  part->end = part[1].end;
  course->count--;
  for (unsigned i = at + 1; i < course->count; i++)
    course->parts[i] = course->parts[i + 1];
  find_busiest(course, part);
}

/* Is what bounds in `one` as busy as what bounds in `other` there, so that it may be chance? Where nothing does, is
 * what bounds in `one` less busy there? */
static bool as_busy(const struct course *course, const struct part *one, const struct part *other)
{
  if (!other->view)
    return busy_of(course, one->view, one) - busy_of(course, one->view, other) < APART;
  return busy_of(course, other->view, other) - busy_once_begun(course, one->view, other) < APART;
}

/* Would what bounds in `one` not be busier there than what bounds in `other`, had it not waited for a processor? When
 * it did is not known: it may all have been there. */
static bool waits_for_processor(const struct course *course, const struct part *one, const struct part *other)
{
  if (!one->view || !other->view || !one->view->shares.known)
    return false;
  const double lead = busy_of(course, one->view, one) - busy_of(course, other->view, one);
  const double waited = one->view->shares.ready * one->view->stage->work.own;
  return lead * (one->until - one->from) * one->view->replicas <= waited;
}

static bool alike(const struct course *course, const struct part *one, const struct part *other)
{
  return one->view == other->view || as_busy(course, one, other) || as_busy(course, other, one) ||
         waits_for_processor(course, one, other) || waits_for_processor(course, other, one);
}

static void cut_slots(struct course *course)
{
  for (unsigned i = 0; i < FMT_TASK_SLOTS; i++) {
    double from, until;
    if (out_busy_slots_span(&course->slots, i, &from, &until) < course->slots.slot / 4)
      continue;
    struct part *part = &course->parts[course->count++];
    *part = (struct part){
        .from = from - course->slots.begin, .until = until - course->slots.begin, .first = i, .end = i + 1};
    find_busiest(course, part);
  }
}

/* Joins neighbours of one bound, then the shortest part with its longer neighbour until each part counts, then what may
 * differ by chance. */
static void join_parts(struct course *course)
{
  for (unsigned i = 0; i + 1 < course->count;)
    if (course->parts[i].view == course->parts[i + 1].view)
      join(course, i);
    else
      i++;
  for (;;) {
    unsigned shortest = 0;
    for (unsigned i = 1; i < course->count; i++)
      if (course->parts[i].until - course->parts[i].from < course->parts[shortest].until - course->parts[shortest].from)
        shortest = i;
    const struct part *part = &course->parts[shortest];
    if (course->count < 2 || part->until - part->from >= SHORTEST * course->slots.length)
      break;
    const double before = shortest > 0 ? part[-1].until - part[-1].from : 0;
    const double behind = shortest + 1 < course->count ? part[1].until - part[1].from : 0;
    join(course, before > behind ? shortest - 1 : shortest);
  }
  for (unsigned i = 0; i + 1 < course->count;)
    if (alike(course, &course->parts[i], &course->parts[i + 1])) {
      join(course, i);
      i = i > 0 ? i - 1 : 0;
    } else
      i++;
}

/* The slot in which the first task of a view's stage ended; FMT_TASK_SLOTS: none did. */
static unsigned first_end(const struct course *course, uint32_t view)
{
  unsigned first = 0;
  while (first < FMT_TASK_SLOTS && course->slots.works[view].slots[first].tasks == 0)
    first++;
  return first;
}

/* The first task of a stage, when all wait for it and it takes far longer than others: the window begins behind it. */
static void find_warm_up(const struct callsig_pipeline *pipeline, struct course *course,
                         struct out_bottleneck *bottleneck)
{
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    const struct out_stage *stage = bottleneck->views[i].stage;
    const unsigned first = first_end(course, i);
    /* What its first task kept busy, up to the slot in which that ended. */
    const double took = fmin(stage->stats.max_time, first * course->slots.slot - first_begin(pipeline, stage));
    if (first == FMT_TASK_SLOTS || took < WARM_TIME * course->slots.length || took < bottleneck->warm_time ||
        stage->stats.p50_time <= 0 || stage->stats.max_time < WARM_UP * stage->stats.p50_time)
      continue;
    bottleneck->warm = &bottleneck->views[i];
    bottleneck->warm_time = stage->stats.max_time;
  }
  if (!bottleneck->warm)
    return;
  const unsigned first = first_end(course, (uint32_t)(bottleneck->warm - bottleneck->views));
  const double end = course->slots.begin + course->slots.length;
  course->slots.begin = fmin(end, (first + 1) * course->slots.slot);
  course->slots.length = end - course->slots.begin;
  for (uint32_t i = 0; i < bottleneck->count && course->slots.length > 0; i++)
    bottleneck->views[i].busy = out_busy_slots_share(&course->slots, i, first + 1, FMT_TASK_SLOTS);
}

/* Does one stage bound first, and another later? */
static bool moves(const struct course *course)
{
  const struct out_stage_view *first = NULL;
  for (unsigned i = 0; i < course->count; i++) {
    const struct out_stage_view *view = course->parts[i].view;
    if (view && first && view != first)
      return true;
    first = first ? first : view;
  }
  return false;
}

static int add_phases(const struct course *course, double shift, struct out_bottleneck *bottleneck)
{
  if (!moves(course))
    return 0;
  for (unsigned i = 0; i < course->count; i++) {
    const struct part *part = &course->parts[i];
    struct out_phase *phase = base_vector_add(&bottleneck->phases, 1);
    if (!phase)
      return -ENOMEM;
    *phase = (struct out_phase){.from = part->from + shift,
                                .until = part->until + shift,
                                .view = part->view,
                                .busy = busy_of(course, part->view, part)};
  }
  return 0;
}

int out_time_course(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck)
{
  struct course course = {.pipeline = pipeline};
  int result = out_busy_slots_make(pipeline, bottleneck, &course.slots);
  if (result <= 0)
    return result;
  const double before = course.slots.begin;
  find_warm_up(pipeline, &course, bottleneck);
  cut_slots(&course);
  join_parts(&course);
  result = add_phases(&course, course.slots.begin - before, bottleneck);
  out_busy_slots_free(&course.slots);
  return result;
}
