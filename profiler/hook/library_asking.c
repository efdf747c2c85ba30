/*
 * Calls of the allocator's functions: what the calling function asks for, and what is given back, by whoever has it.
 *
 * A block is known by its address from when it was given until it is given back, so it is taken out of the map before
 * the function that frees it is called: from then on another thread may be given its address. A block whose address is
 * given again, although nothing was seen to free it, was freed by code whose calls are not counted.
 */
#include "profiler/base/address_map.h"
#include "profiler/base/clock.h"
#include "profiler/base/counter.h"
#include "profiler/base/process.h"
#include "profiler/hook/library_hooks.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "profiler/stack/waiting.h"
#include "profiler/tree/asked.h"
#include "profiler/tree/fast_compare.h"

/* System V's first three argument registers, as struct prof_registers has them. */
enum { FIRST = 5, SECOND = 4, THIRD = 1, STUB_CALL = 11 };

/* The values of an address are a block's size and the record that it was counted in. Of the process. A forked child has
 * its parent's tables, and finds them empty. */
static struct prof_address_map blocks;

static struct fmt_rec_asked *asker_of(const struct prof_address_values *values)
{
  return (struct fmt_rec_asked *)(uintptr_t)values->second;
}

static void count_freed(const struct prof_address_values *values)
{
  struct fmt_rec_asked *asker = asker_of(values);
  prof_add_saturated(&asker->freed_bytes, values->first);
  __atomic_add_fetch(&asker->freed_calls, 1, __ATOMIC_RELEASE);
}

/* Keeps where a block was counted. Without room for it, nobody will know whether it was given back. */
static void keep_block(uintptr_t block, const struct prof_address_values *values)
{
  if (prof_address_map_put(&blocks, block, *values))
    return;
  struct fmt_rec_asked *asker = asker_of(values);
  prof_add_saturated(&asker->lost_bytes, values->first);
  __atomic_add_fetch(&asker->lost_calls, 1, __ATOMIC_RELEASE);
}

/* Is the recording still the one that it was when the call began? */
static bool is_same_recording(const struct prof_asking *asking)
{
  return prof_process.header && asking->epoch == prof_process.epoch && !prof_fork_happened();
}

/* Finds the frame of the call, which was opened last, at `cfa`. False: the call was not recorded. */
static bool find_frame(const struct prof_thread *t, const struct prof_asking *asking, uintptr_t cfa,
                       struct prof_place *place)
{
  if (!t || t->self != t || t->warming || !prof_place_now(t, place))
    return false;
  const struct fmt_rec_edge *edge = prof_frame_edge(place->top);
  return edge && place->top->cfa == cfa && prof_edge_is_at(edge, asking->call->slot);
}

/* The edge of the function that made the call, whose frame is the innermost one there. */
static const struct fmt_rec_edge *edge_of_caller(const struct prof_thread *t, struct prof_place place)
{
  const struct fmt_rec_edge *edge = prof_frame_edge(place.top);
  if (edge->from == (uintptr_t)t->tree.root)
    return t->tree.root_edge;
  place.top--; /* it may be a link now, to the frame that the segment continues */
  return prof_place_caller(place);
}

/* Where what the calling function asks for counts. `place` is that of the call's frame. */
static void find_asker(struct prof_asking *asking, struct prof_place place)
{
  struct prof_thread *t = asking->thread;
  const struct fmt_rec_edge *edge = edge_of_caller(t, place);
  const struct fmt_rec_asked_list *list = edge ? prof_edge_asked(edge) : NULL;
  if (!list)
    return;
  asking->asker = prof_asked_open(list);
  if (asking->asker || !prof_slow_enter(t))
    return;
  if (prof_asked_record(edge))
    asking->asker = prof_asked_open(list);
  prof_slow_leave(t);
}

/* A product as the allocator would refuse it where it is too large: then nothing is given. */
static uint64_t product(uint64_t a, uint64_t b)
{
  uint64_t result;
  return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

static uint64_t size_asked_for(enum fmt_asking asking, const uint64_t *registers)
{
  switch (asking) {
  case FMT_ASKING_FIRST:
    return registers[FIRST];
  case FMT_ASKING_SECOND:
  case FMT_ASKING_RESIZE:
    return registers[SECOND];
  case FMT_ASKING_THIRD:
    return registers[THIRD];
  case FMT_ASKING_PRODUCT:
    return product(registers[FIRST], registers[SECOND]);
  case FMT_ASKING_RESIZE_PRODUCT:
    return product(registers[SECOND], registers[THIRD]);
  case FMT_ASKING_NOTHING:
  case FMT_ASKING_TEXT:
  case FMT_ASKING_FREE:
    break;
  }
  return 0;
}

static bool gives_back(enum fmt_asking asking)
{
  return asking == FMT_ASKING_FREE || asking == FMT_ASKING_RESIZE || asking == FMT_ASKING_RESIZE_PRODUCT;
}

static bool is_measured(void)
{
  return prof_process.settings.clock == FMT_CLOCK_TSC;
}

/* What was done since `began` for the call is the runtime's: it counts as what its hooks took of the caller. */
static void charge(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t began, uint64_t now)
{
  const uint64_t waited = prof_waiting_is_due(t) ? prof_waiting_within(t, began, now) : 0;
  if (is_measured())
    prof_add(&edge->overhead, now - began - waited);
}

/* The function begins now: what was done since its frame was opened, or `began`, is none of its time. */
static void begin_now(const struct prof_asking *asking, struct fmt_rec_frame *frame, uint64_t began)
{
  const bool is_timed = prof_frame_is_timed(frame);
  if (!is_timed && !began)
    return;
  const uint64_t now = prof_clock_now();
  charge(asking->thread, asking->edge, is_timed ? frame->start_ticks : began, now);
  if (is_timed)
    __atomic_store_n(&frame->start_ticks, now, __ATOMIC_RELEASE);
}

void prof_library_asking(const struct prof_registers *registers)
{
  const uintptr_t sp = registers->general[PROF_SP];
  struct prof_asking *asking = (struct prof_asking *)sp - 1;
  *asking = (struct prof_asking){.call = (const struct prof_library_call *)registers->general[STUB_CALL]};
  const enum fmt_asking kind = asking->call->asking;
  asking->size = size_asked_for(kind, registers->general);
  if (kind == FMT_ASKING_THIRD || gives_back(kind))
    asking->address = registers->general[FIRST];
  prof_library_entered(registers);
  const uint64_t began = is_measured() ? prof_clock_now() : 0;
  /* Now that a forked child whose first hook this is has a recording of its own. */
  asking->epoch = prof_process.epoch;
  struct prof_place place;
  struct fmt_rec_frame *frame = NULL;
  if (find_frame(prof_self, asking, sp + sizeof sp, &place)) {
    frame = place.top;
    asking->thread = prof_self;
    asking->edge = prof_frame_edge(place.top);
    if (kind != FMT_ASKING_FREE)
      find_asker(asking, place);
  }
  struct prof_address_values values;
  if (gives_back(kind) && asking->address && prof_address_map_take(&blocks, asking->address, &values)) {
    asking->taken_size = values.first;
    asking->taken_where = values.second;
    if (kind == FMT_ASKING_FREE && is_same_recording(asking))
      count_freed(&values);
  }
  if (frame)
    begin_now(asking, frame, began);
}

/* Was the block that is to be given back kept, since another could not be given? Asked for no bytes, none is given. */
static bool was_kept(const struct prof_asking *asking, uint64_t result)
{
  return !result && asking->size;
}

static uint64_t text_size(uint64_t text)
{
  uint64_t size = 1;
  for (const char *next = (const char *)(uintptr_t)text; *next; next++)
    size++;
  return size;
}

/* The block that was given; 0: none. */
static uintptr_t block_given(const struct prof_asking *asking, uint64_t result)
{
  switch (asking->call->asking) {
  case FMT_ASKING_FREE:
    return 0;
  case FMT_ASKING_THIRD:
    return (uint32_t)result == 0 ? *(const uintptr_t *)asking->address : 0;
  default:
    return result;
  }
}

/* Was the call to be in the recording? */
static bool is_recorded(void)
{
  const struct prof_thread *t = prof_self;
  return !t || (t->state != PROF_HOOKS_OFF && !(t->self == t && t->warming));
}

static void count_given(const struct prof_asking *asking, uintptr_t block, uint64_t size)
{
  struct prof_address_values values;
  if (prof_address_map_take(&blocks, block, &values))
    count_freed(&values);
  if (!asking->asker) {
    if (is_recorded())
      prof_count_loss(FMT_LOSS_ASKED, 1);
    return;
  }
  prof_add_saturated(&asking->asker->bytes, size);
  prof_add(&asking->asker->calls, 1);
  values = (struct prof_address_values){size, (uintptr_t)asking->asker};
  keep_block(block, &values);
}

void prof_library_answered(struct prof_asking *asking, uint64_t result)
{
  const uint64_t ended = is_measured() ? prof_clock_now() : 0;
  const enum fmt_asking kind = asking->call->asking;
  const struct prof_address_values taken = {asking->taken_size, asking->taken_where};
  if (kind != FMT_ASKING_FREE && is_same_recording(asking)) {
    if (taken.second && was_kept(asking, result))
      keep_block(asking->address, &taken);
    else if (taken.second)
      count_freed(&taken);
    const uintptr_t block = block_given(asking, result);
    if (block)
      count_given(asking, block, kind == FMT_ASKING_TEXT ? text_size(result) : asking->size);
    if (asking->asker)
      prof_asked_close(asking->asker);
  }
  prof_library_ended(asking->call, (uintptr_t)(asking + 1), result, ended);
  /* Where every call is timed the exit has done so itself. */
  if (ended && asking->edge && asking->thread == prof_self && prof_process.settings.sample_times &&
      is_same_recording(asking))
    charge(asking->thread, asking->edge, ended, prof_clock_now());
}
