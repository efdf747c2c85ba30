/* Counts the calls that were open when the recording was read as calls that end then. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "output/profile/edge_time.h"
#include "output/profile/load.h"

/* An open frame, outermost first. start FMT_START_AHEAD: its call is about to begin and has taken no time. */
struct open_frame {
  uint32_t edge;
  bool untimed; /* the clock was not read when it began */
  bool counted; /* so it was counted then, with what is imputed */
  uint64_t start;
  uint64_t duration; /* once it is known */
};

/* What is active on one machine stack while its frames are walked from the outermost to the innermost. */
struct activations {
  const struct out_profile *profile;
  struct base_vector keys; /* struct activation */
  struct out_idset set;
};

struct activation {
  uint32_t group; /* enum fmt_group */
  uint32_t from, to, stage;
};

static bool equal_activation(const void *owner, uint32_t number, const void *key)
{
  const struct activations *active = owner;
  return memcmp(base_vector_at(&active->keys, number), key, sizeof(struct activation)) == 0;
}

/* 1 when nothing of the group was active yet (it is from now on), 0, or -ENOMEM. */
static int activate(struct activations *active, struct activation key)
{
  uint64_t hash = out_hash_mix(out_hash_mix(out_hash_mix(key.group, key.stage), key.from), key.to);
  if (out_idset_find(&active->set, hash, active, &key, equal_activation) != UINT32_MAX)
    return 0;
  struct activation *added = base_vector_add(&active->keys, 1);
  if (!added)
    return -ENOMEM;
  *added = key;
  int result = out_idset_add(&active->set, hash, active->keys.count - 1);
  return result < 0 ? result : 1;
}

static int keep_frame(struct base_vector *frames, uint64_t edge, uint64_t start, uint32_t slept_ms)
{
  struct out_loaded_frame *added = base_vector_add(frames, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct out_loaded_frame){.edge = edge, .start = start, .slept_ms = slept_ms};
  return 0;
}

/* The open frames of one segment, which are those before the first without an edge. Frame 0 is a link and no call. */
static int read_segment(struct out_loader *loader, uint64_t address, uint64_t capacity, struct base_vector *frames)
{
  struct out_recording *recording = loader->recording;
  for (uint64_t i = 1; i < capacity && out_recording_spend(recording, sizeof(struct fmt_rec_frame)); i++) {
    const struct fmt_rec_frame *frame = out_recording_bytes(
        recording, address + offsetof(struct fmt_rec_stack, frames) + i * sizeof *frame, sizeof *frame);
    if (!frame || !frame->edge)
      return 0;
    int result = keep_frame(frames, frame->edge, frame->start_ticks, 0);
    if (result < 0)
      return result;
  }
  return 0;
}

/* The segments of one machine stack, from the outermost inwards. */
static int read_stack(struct out_loader *loader, uint64_t address, uint64_t *next_stack, struct base_vector *frames)
{
  bool outermost = true;
  while (address) {
    uint32_t number;
    struct out_record record;
    int found = out_recording_number(loader->recording, &loader->stacks, address, FMT_TAG_STACK,
                                     sizeof(struct fmt_rec_stack), &number, &record);
    if (found != OUT_RECORD_NEW)
      return found < 0 ? found : 0;
    struct fmt_rec_stack stack;
    memcpy(&stack, record.data, sizeof stack);
    if (outermost)
      *next_stack = stack.next_stack;
    uint64_t room = (record.size - sizeof stack) / sizeof(struct fmt_rec_frame);
    int result = outermost ? keep_frame(frames, 0, stack.suspended, stack.slept_ms) : 0;
    if (result == 0)
      result = read_segment(loader, address, stack.capacity < room ? stack.capacity : room, frames);
    if (result < 0)
      return result;
    outermost = false;
    address = stack.inner;
  }
  return 0;
}

int out_load_stacks(struct out_loader *loader, uint64_t first_stack, struct base_vector *frames)
{
  int result = 0;
  for (uint64_t address = first_stack, next; address && result == 0; address = next) {
    next = 0;
    result = read_stack(loader, address, &next, frames);
  }
  return result;
}

/* The frames of one machine stack by their edges' numbers. */
static int find_edges(struct out_loader *loader, const struct out_loaded_frame *from, uint32_t count,
                      struct base_vector *frames)
{
  for (uint32_t i = 0; i < count; i++) {
    uint32_t edge = out_recording_known(loader->recording, &loader->edges, from[i].edge);
    if (edge == FMT_NONE || out_profile_edge(loader->profile, loader->first_edge + edge)->to == FMT_NONE) {
      loader->recording->damaged++;
      continue;
    }
    struct open_frame *added = base_vector_add(frames, 1);
    if (!added)
      return -ENOMEM;
    const uint64_t start = from[i].start;
    const bool is_sampled = out_profile_edge(loader->profile, loader->first_edge + edge)->sampling != FMT_NONE;
    const bool counted = is_sampled && start >= FMT_START_COUNTED && start != FMT_START_AHEAD;
    *added = (struct open_frame){.edge = loader->first_edge + edge,
                                 .untimed = counted || (is_sampled && start == FMT_START_UNKNOWN),
                                 .counted = counted,
                                 .start = counted ? FMT_START_UNKNOWN : start};
  }
  return 0;
}

/* Was the clock read when the process ended, or just now? Otherwise it may have run on since the last reading. */
static bool is_end_known(const struct out_loader *loader)
{
  const struct fmt_rec_header *header = &loader->recording->header;
  return loader->now || header->flags & FMT_REC_FINISHED || header->exit_status != -1;
}

/* What a call counts with that was not timed. */
static uint64_t imputed_to(const struct out_profile *profile, const struct open_frame *frame)
{
  return out_profile_sampling(profile, out_profile_edge(profile, frame->edge)->sampling)->imputed;
}

/* When the open calls end: at the clock's last reading, but not before the newest of them began, nor before their own
 * finished callees were over. (But where these count with times that are estimates, a reading at the end knows better.)
 */
static uint64_t end_of(const struct out_loader *loader, const struct base_vector *frames, uint64_t end_ticks)
{
  uint64_t end = end_ticks;
  const bool is_sampled = loader->recording->header.flags & FMT_REC_SAMPLED && is_end_known(loader);
  for (uint32_t i = 0; i < frames->count; i++) {
    const struct open_frame *frame = base_vector_at(frames, i);
    if (frame->start == FMT_START_AHEAD)
      continue;
    const struct out_edge *edge = out_profile_edge(loader->profile, frame->edge);
    const bool is_first = edge->calls == 0 && edge->inherited == 0 && edge->recursion == FMT_NONE;
    uint64_t inside = is_first && !is_sampled ? edge->children : 0;
    const struct open_frame *callee = i + 1 < frames->count ? base_vector_at(frames, i + 1) : NULL;
    uint64_t counted = callee && callee->counted ? imputed_to(loader->profile, callee) : 0;
    inside -= counted < inside ? counted : inside;
    if (frame->start <= UINT64_MAX - inside && frame->start + inside > end)
      end = frame->start + inside;
  }
  return end;
}

static int count_groups(struct activations *active, const struct out_edge *edge, uint64_t calls, uint64_t duration,
                        struct out_recursion *recursion)
{
  const struct out_profile *profile = active->profile;
  const struct out_variant *to = out_profile_variant(profile, edge->to);
  const struct out_context *context = out_profile_context(profile, to->context);
  const struct out_callable *callable = out_profile_callable(profile, context->callable);
  uint32_t from_function = FMT_NONE, from_signature = FMT_NONE;
  if (edge->from != FMT_NONE) {
    const struct out_variant *from = out_profile_variant(profile, edge->from);
    from_function = out_profile_callable(profile, out_profile_context(profile, from->context)->callable)->function;
    from_signature = from->signature;
  }
  const uint32_t stage = context->stage, label = out_profile_label(profile, callable->module);
  const struct activation keys[FMT_GROUP_COUNT] = {
      {FMT_GROUP_FUNCTION, FMT_NONE, callable->function, FMT_NONE},
      {FMT_GROUP_SIGNATURE, FMT_NONE, to->signature, FMT_NONE},
      {FMT_GROUP_FUNCTION_PAIR, from_function, callable->function, FMT_NONE},
      {FMT_GROUP_SIGNATURE_PAIR, from_signature, to->signature, FMT_NONE},
      {FMT_GROUP_MODULE, FMT_NONE, label, FMT_NONE},
      {FMT_GROUP_FUNCTION_STAGE, FMT_NONE, callable->function, stage},
      {FMT_GROUP_SIGNATURE_STAGE, FMT_NONE, to->signature, stage},
      {FMT_GROUP_MODULE_STAGE, FMT_NONE, label, stage},
  };
  for (uint32_t group = 0; group < FMT_GROUP_COUNT; group++) {
    int outermost = activate(active, keys[group]);
    if (outermost < 0)
      return outermost;
    if (outermost) {
      recursion->primitive[group] += calls;
      recursion->cumulative[group] += duration;
    }
  }
  return 0;
}

/* Counts one open frame as a call that took its duration, less what was counted; one that a fork has opened as no call.
 * `caller` is the edge of the frame around it, or NULL. */
static int count_frame(struct out_loader *loader, struct activations *active, const struct open_frame *frame,
                       struct out_edge *caller)
{
  struct out_profile *profile = loader->profile;
  struct out_edge *edge = out_profile_edge(profile, frame->edge);
  const uint64_t calls = frame->counted || edge->is_inherited ? 0 : 1;
  const uint64_t duration = frame->duration - (frame->counted ? imputed_to(profile, frame) : 0);
  if (edge->recursion == FMT_NONE) {
    if (!base_vector_add(&profile->recursions, 1))
      return -ENOMEM;
    edge->recursion = profile->recursions.count - 1;
  }
  struct out_recursion *recursion = out_profile_recursion(profile, edge->recursion);
  recursion->calls += calls;
  recursion->total += duration;
  if (caller)
    caller->children += duration;
  if (edge->is_inherited) {
    edge->inherited += edge->inherited < UINT32_MAX;
  } else if (!frame->untimed) {
    recursion->open++;
    edge->min = duration < edge->min ? duration : edge->min;
    edge->max = duration > edge->max ? duration : edge->max;
  }
  return count_groups(active, edge, calls, duration, recursion);
}

/* How long each call has been open. One that is not timed counts with what calls of its edge take, but lasts no less
 * than the calls inside it. */
static void measure(const struct out_profile *profile, const struct base_vector *frames, uint64_t end)
{
  uint64_t inside = 0;
  for (uint32_t i = frames->count; i-- > 0;) {
    struct open_frame *frame = base_vector_at(frames, i);
    if (frame->untimed) {
      uint64_t imputed = imputed_to(profile, frame);
      frame->duration = imputed > inside ? imputed : inside;
    } else {
      frame->duration = end > frame->start ? end - frame->start : 0;
    }
    inside = frame->duration;
  }
}

static int count_frames(struct out_loader *loader, const struct base_vector *frames, uint64_t end)
{
  struct activations active = {.profile = loader->profile, .keys = BASE_VECTOR_OF(struct activation)};
  struct out_edge *caller = NULL;
  int result = 0;
  measure(loader->profile, frames, end);
  for (uint32_t i = 0; i < frames->count && result == 0; i++) {
    const struct open_frame *frame = base_vector_at(frames, i);
    result = count_frame(loader, &active, frame, caller);
    if (result == 0 && loader->profile->keeps_timeline && frame->start != FMT_START_AHEAD && !frame->untimed)
      result = out_load_open_span(loader, frame->edge, frame->start, frame->duration);
    caller = out_profile_edge(loader->profile, frame->edge);
  }
  base_vector_free(&active.keys);
  out_idset_free(&active.set);
  return result;
}

static uint32_t calls_among(const struct out_profile *profile, const struct base_vector *frames)
{
  uint32_t calls = 0;
  for (uint32_t i = 0; i < frames->count; i++) {
    const struct open_frame *frame = base_vector_at(frames, i);
    calls += !out_profile_edge(profile, frame->edge)->is_inherited;
  }
  return calls;
}

/* What the calls of an edge may have slept beyond what is told of them: no more than they took. */
static uint64_t sleep_left(const struct out_profile *profile, const struct out_edge *edge)
{
  const uint64_t own = out_edge_own(profile, edge);
  const uint32_t number = out_profile_sampling(profile, edge->sampling)->sleep;
  if (number == FMT_NONE)
    return own;
  const struct out_sleep *told = out_profile_sleep(profile, number);
  return own - out_at_most(told->ticks, own) + told->unsure;
}

/* What the thread slept in its innermost open call since that was looked at last: told when the process ended. Of one
 * that runs on, what it cannot have been awake, and may have slept. */
static int add_open_sleep(struct out_loader *loader, const struct open_frame *innermost, uint32_t slept_ms,
                          const struct out_open_thread *thread)
{
  struct out_profile *profile = loader->profile;
  const struct fmt_rec_header *header = &loader->recording->header;
  const struct out_edge *edge = out_profile_edge(profile, innermost->edge);
  const bool is_told = header->flags & FMT_REC_FINISHED;
  const uint64_t most = innermost->duration;
  const double tick = out_profile_recording(profile, loader->number)->tick;
  const uint64_t slept = tick > 0 ? out_ticks(slept_ms / tick / 1000) : 0;
  const uint64_t rounded = tick > 0 && slept > 0 ? out_ticks(0.5 / tick / 1000) : 0;
  if (edge->sampling == FMT_NONE || innermost->untimed || !(header->flags & FMT_REC_SLEEP))
    return 0;
  const uint64_t least = most - out_at_most(thread->not_slept, most);
  const uint64_t greatest = out_at_most(out_at_most(thread->slept_most, most), sleep_left(profile, edge));
  const struct out_sleep sleep = {.times = 1,
                                  .ticks = is_told ? out_at_most(slept, most) : least,
                                  .unsure = is_told            ? out_at_most(rounded, most)
                                            : greatest > least ? greatest - least
                                                               : 0};
  return sleep.ticks + sleep.unsure > 0 ? out_load_sleep(profile, out_profile_sampling(profile, edge->sampling), &sleep)
                                        : 0;
}

/* Counts what is open on one machine stack. Its first frame stands for the stack. */
static int load_stack(struct out_loader *loader, const struct out_loaded_frame *stack, uint32_t count,
                      uint64_t end_ticks, const struct out_open_thread *thread)
{
  struct base_vector frames = BASE_VECTOR_OF(struct open_frame);
  int result = find_edges(loader, stack + 1, count - 1, &frames);
  if (result == 0 && frames.count > 0) {
    struct out_recording_info *info = out_profile_recording(loader->profile, loader->number);
    const struct open_frame *innermost = base_vector_at(&frames, frames.count - 1);
    info->open_frames += calls_among(loader->profile, &frames);
    info->innermost = out_profile_edge(loader->profile, innermost->edge)->to;
    /* A stack that was left stopped its clock then. */
    uint64_t suspended = stack->start, end = suspended ? suspended : end_of(loader, &frames, end_ticks);
    result = count_frames(loader, &frames, end);
    if (result == 0 && !suspended)
      result = add_open_sleep(loader, innermost, stack->slept_ms, thread);
  }
  base_vector_free(&frames);
  return result;
}

int out_load_open_frames(struct out_loader *loader, const struct base_vector *loaded,
                         const struct out_open_thread *thread)
{
  uint64_t end_ticks = thread->end_ticks;
  const struct fmt_rec_header *header = &loader->recording->header;
  /* Readings of a thread's CPU time say nothing of another thread's: the frames' own times must do. */
  if (end_ticks == 0 && header->clock != FMT_CLOCK_CPU)
    end_ticks = header->last.ticks;
  int result = 0;
  for (uint32_t i = 0, end; i < thread->count && result == 0; i = end) {
    const struct out_loaded_frame *frames = base_vector_at(loaded, thread->first_frame);
    for (end = i + 1; end < thread->count && frames[end].edge; end++) {
    }
    result = load_stack(loader, frames + i, end - i, end_ticks, thread);
  }
  return result;
}
