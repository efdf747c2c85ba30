#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "load.h"

/* An open frame, outermost first. start UINT64_MAX: its call is about to begin and has taken no time. */
struct open_frame {
  uint32_t edge;
  uint64_t start;
};

/* What is active on one machine stack while its frames are walked from the outermost to the innermost. */
struct activations {
  const struct cs_profile *profile;
  struct cs_vector keys; /* struct activation */
  struct cs_idset set;
};

struct activation {
  uint32_t group; /* enum cs_group */
  uint32_t from, to, stage;
};

static bool equal_activation(const void *owner, uint32_t number, const void *key)
{
  const struct activations *active = owner;
  return memcmp(cs_vector_at(&active->keys, number), key, sizeof(struct activation)) == 0;
}

/* 1 when nothing of the group was active yet (it is from now on), 0, or -ENOMEM. */
static int activate(struct activations *active, struct activation key)
{
  uint64_t hash = cs_hash_mix(cs_hash_mix(cs_hash_mix(key.group, key.stage), key.from), key.to);
  if (cs_idset_find(&active->set, hash, active, &key, equal_activation) != UINT32_MAX)
    return 0;
  struct activation *added = cs_vector_add(&active->keys, 1);
  if (!added)
    return -ENOMEM;
  *added = key;
  int result = cs_idset_add(&active->set, hash, active->keys.count - 1);
  return result < 0 ? result : 1;
}

static int keep_frame(struct cs_vector *frames, uint64_t edge, uint64_t start)
{
  struct cs_loaded_frame *added = cs_vector_add(frames, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct cs_loaded_frame){.edge = edge, .start = start};
  return 0;
}

/* The open frames of one segment, which are those before the first without an edge. Frame 0 is a link and no call. */
static int read_segment(struct cs_loader *loader, uint64_t address, uint64_t capacity, struct cs_vector *frames)
{
  struct cs_recording *recording = loader->recording;
  for (uint64_t i = 1; i < capacity && cs_recording_spend(recording, sizeof(struct cs_rec_frame)); i++) {
    const struct cs_rec_frame *frame = cs_recording_bytes(
        recording, address + offsetof(struct cs_rec_stack, frames) + i * sizeof *frame, sizeof *frame);
    if (!frame || !frame->edge)
      return 0;
    int result = keep_frame(frames, frame->edge, frame->start_ticks);
    if (result < 0)
      return result;
  }
  return 0;
}

/* The segments of one machine stack, from the outermost inwards. */
static int read_stack(struct cs_loader *loader, uint64_t address, uint64_t *next_stack, struct cs_vector *frames)
{
  bool outermost = true;
  while (address) {
    uint32_t number;
    struct cs_record record;
    int found = cs_recording_number(loader->recording, &loader->stacks, address, CS_TAG_STACK,
                                    sizeof(struct cs_rec_stack), &number, &record);
    if (found != CS_RECORD_NEW)
      return found < 0 ? found : 0;
    struct cs_rec_stack stack;
    memcpy(&stack, record.data, sizeof stack);
    if (outermost)
      *next_stack = stack.next_stack;
    uint64_t room = (record.size - sizeof stack) / sizeof(struct cs_rec_frame);
    int result = outermost ? keep_frame(frames, 0, stack.suspended) : 0;
    if (result == 0)
      result = read_segment(loader, address, stack.capacity < room ? stack.capacity : room, frames);
    if (result < 0)
      return result;
    outermost = false;
    address = stack.inner;
  }
  return 0;
}

int cs_load_stacks(struct cs_loader *loader, uint64_t first_stack, struct cs_vector *frames)
{
  int result = 0;
  for (uint64_t address = first_stack, next; address && result == 0; address = next) {
    next = 0;
    result = read_stack(loader, address, &next, frames);
  }
  return result;
}

/* The frames of one machine stack by their edges' numbers. */
static int find_edges(struct cs_loader *loader, const struct cs_loaded_frame *from, uint32_t count,
                      struct cs_vector *frames)
{
  for (uint32_t i = 0; i < count; i++) {
    uint32_t edge = cs_recording_known(loader->recording, &loader->edges, from[i].edge);
    if (edge == CS_NONE || cs_profile_edge(loader->profile, loader->first_edge + edge)->to == CS_NONE) {
      loader->recording->damaged++;
      continue;
    }
    struct open_frame *added = cs_vector_add(frames, 1);
    if (!added)
      return -ENOMEM;
    *added = (struct open_frame){.edge = loader->first_edge + edge, .start = from[i].start};
  }
  return 0;
}

/* When the open calls end: at the clock's last reading, but not before the newest of them began, nor before their own
 * finished callees were over. */
static uint64_t end_of(const struct cs_loader *loader, const struct cs_vector *frames, uint64_t end_ticks)
{
  uint64_t end = end_ticks;
  for (uint32_t i = 0; i < frames->count; i++) {
    const struct open_frame *frame = cs_vector_at(frames, i);
    if (frame->start == UINT64_MAX)
      continue;
    const struct cs_edge *edge = cs_profile_edge(loader->profile, frame->edge);
    uint64_t inside = edge->calls == 0 && edge->recursion == CS_NONE ? edge->children : 0;
    if (frame->start <= UINT64_MAX - inside && frame->start + inside > end)
      end = frame->start + inside;
  }
  return end;
}

static int count_groups(struct activations *active, const struct cs_edge *edge, uint64_t duration,
                        struct cs_recursion *recursion)
{
  const struct cs_profile *profile = active->profile;
  const struct cs_variant *to = cs_profile_variant(profile, edge->to);
  const struct cs_context *context = cs_profile_context(profile, to->context);
  const struct cs_code *code = cs_profile_code(profile, context->code);
  uint32_t from_function = CS_NONE, from_signature = CS_NONE;
  if (edge->from != CS_NONE) {
    const struct cs_variant *from = cs_profile_variant(profile, edge->from);
    from_function = cs_profile_code(profile, cs_profile_context(profile, from->context)->code)->function;
    from_signature = from->signature;
  }
  const uint32_t stage = context->stage, label = cs_profile_label(profile, code->module);
  const struct activation keys[CS_GROUP_COUNT] = {
      {CS_GROUP_FUNCTION, CS_NONE, code->function, CS_NONE},
      {CS_GROUP_SIGNATURE, CS_NONE, to->signature, CS_NONE},
      {CS_GROUP_FUNCTION_PAIR, from_function, code->function, CS_NONE},
      {CS_GROUP_SIGNATURE_PAIR, from_signature, to->signature, CS_NONE},
      {CS_GROUP_MODULE, CS_NONE, label, CS_NONE},
      {CS_GROUP_FUNCTION_STAGE, CS_NONE, code->function, stage},
      {CS_GROUP_SIGNATURE_STAGE, CS_NONE, to->signature, stage},
      {CS_GROUP_MODULE_STAGE, CS_NONE, label, stage},
  };
  for (uint32_t group = 0; group < CS_GROUP_COUNT; group++) {
    int outermost = activate(active, keys[group]);
    if (outermost < 0)
      return outermost;
    if (outermost) {
      recursion->primitive[group]++;
      recursion->cumulative[group] += duration;
    }
  }
  return 0;
}

/* Counts one open frame as a call that took `duration`. `caller` is the edge of the frame around it, or NULL. */
static int count_frame(struct cs_loader *loader, struct activations *active, uint32_t number, struct cs_edge *caller,
                       uint64_t duration)
{
  struct cs_profile *profile = loader->profile;
  struct cs_edge *edge = cs_profile_edge(profile, number);
  if (edge->recursion == CS_NONE) {
    if (!cs_vector_add(&profile->recursions, 1))
      return -ENOMEM;
    edge->recursion = profile->recursions.count - 1;
  }
  struct cs_recursion *recursion = cs_profile_recursion(profile, edge->recursion);
  recursion->calls++;
  recursion->open++;
  recursion->total += duration;
  if (caller)
    caller->children += duration;
  if (duration < edge->min)
    edge->min = duration;
  if (duration > edge->max)
    edge->max = duration;
  return count_groups(active, edge, duration, recursion);
}

static int count_frames(struct cs_loader *loader, const struct cs_vector *frames, uint64_t end)
{
  struct activations active = {.profile = loader->profile, .keys = CS_VECTOR_OF(struct activation)};
  struct cs_edge *caller = NULL;
  int result = 0;
  for (uint32_t i = 0; i < frames->count && result == 0; i++) {
    const struct open_frame *frame = cs_vector_at(frames, i);
    uint64_t duration = end > frame->start ? end - frame->start : 0;
    result = count_frame(loader, &active, frame->edge, caller, duration);
    if (result == 0 && loader->profile->keeps_timeline && frame->start != UINT64_MAX)
      result = cs_load_open_span(loader, frame->edge, frame->start, duration);
    caller = cs_profile_edge(loader->profile, frame->edge);
  }
  cs_vector_free(&active.keys);
  cs_idset_free(&active.set);
  return result;
}

/* Counts what is open on one machine stack. Its first frame stands for the stack. */
static int load_stack(struct cs_loader *loader, const struct cs_loaded_frame *stack, uint32_t count, uint64_t end_ticks)
{
  struct cs_vector frames = CS_VECTOR_OF(struct open_frame);
  int result = find_edges(loader, stack + 1, count - 1, &frames);
  if (result == 0 && frames.count > 0) {
    struct cs_recording_info *info = cs_profile_recording(loader->profile, loader->number);
    const struct open_frame *innermost = cs_vector_at(&frames, frames.count - 1);
    info->open_frames += frames.count;
    info->innermost = cs_profile_edge(loader->profile, innermost->edge)->to;
    /* A stack that was left stopped its clock then. */
    uint64_t suspended = stack->start, end = suspended ? suspended : end_of(loader, &frames, end_ticks);
    result = count_frames(loader, &frames, end);
  }
  cs_vector_free(&frames);
  return result;
}

int cs_load_open_frames(struct cs_loader *loader, const struct cs_loaded_frame *frames, uint32_t count,
                        uint64_t end_ticks)
{
  const struct cs_rec_header *header = &loader->recording->header;
  /* Readings of a thread's CPU time say nothing of another thread's: the frames' own times must do. */
  if (end_ticks == 0 && header->clock != CS_CLOCK_CPU)
    end_ticks = header->last.ticks;
  int result = 0;
  for (uint32_t i = 0, end; i < count && result == 0; i = end) {
    for (end = i + 1; end < count && frames[end].edge; end++) {
    }
    result = load_stack(loader, frames + i, end - i, end_ticks);
  }
  return result;
}
