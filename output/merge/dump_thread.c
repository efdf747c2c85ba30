/* The threads, and the processes that they belong to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge/dump.h"

/* Everything but where the next one is. The files that a family was made of are gone: its processes are known by their
 * names. */
static struct fmt_rec_process describe(struct out_dump *dump, const struct out_recording_info *info,
                                       struct out_dump_process parts)
{
  struct fmt_rec_process record = info->process;
  record.tag = (struct fmt_rec_tag)OUT_DUMP_TAG(FMT_TAG_PROCESS, record);
  record.program = out_dump_string(dump, info->program);
  record.command = parts.command;
  record.pauses = parts.pauses;
  record.source = out_dump_string(dump, dump->files ? info->label : info->path);
  record.rank_source = info->process.rank_source ? out_dump_string(dump, info->rank_source) : 0;
  record.trigger = info->process.trigger ? out_dump_string(dump, info->trigger) : 0;
  record.open_frames = info->open_frames;
  record.innermost = out_dump_variant(dump, info->open_frames ? info->innermost : FMT_NONE);
  record.damaged = info->damaged;
  record.rank_rows = dump->rank_rows ? dump->rank_rows[info - out_profile_recording(dump->profile, 0)] : 0;
  return record;
}

static void put_processes(struct out_dump *dump)
{
  uint32_t count = dump->profile->recordings.count;
  for (uint32_t i = 0; i < count; i++) {
    struct fmt_rec_process record = describe(dump, out_profile_recording(dump->profile, i), dump->process_parts[i]);
    record.next = out_dump_following(dump, i, count, sizeof record);
    out_dump_put(dump, &record, sizeof record);
  }
}

int out_dump_processes(struct out_dump *dump)
{
  uint32_t count = dump->profile->recordings.count;
  dump->process_parts = calloc(count + 1u, sizeof *dump->process_parts);
  if (!dump->process_parts)
    return -ENOMEM;
  /* Strings that are new must not come between the records. */
  for (uint32_t i = 0; i < count; i++) {
    const struct out_recording_info *info = out_profile_recording(dump->profile, i);
    if (info->command)
      dump->process_parts[i].command = out_dump_bytes(dump, info->command, info->command_size);
    if (info->pauses)
      dump->process_parts[i].pauses = out_dump_put(dump, info->pauses, sizeof *info->pauses);
    describe(dump, info, dump->process_parts[i]);
  }
  dump->processes = dump->header.first_process = dump->next;
  put_processes(dump);
  return 0;
}

int out_dump_innermost(struct out_dump *dump)
{
  out_dump_again(dump, dump->processes);
  put_processes(dump);
  return 0;
}

/* The edge that leads to the thread's root: every recording has it. */
static uint64_t put_root_edge(struct out_dump *dump, const struct out_known_thread *thread)
{
  if (thread->root == FMT_NONE)
    return 0;
  const bool asks = thread->asked.calls > 0;
  struct fmt_rec_edge record = {.tag = OUT_DUMP_TAG(FMT_TAG_EDGE, record),
                                .to = out_dump_variant(dump, thread->root),
                                .min = UINT64_MAX,
                                .flags = asks ? (uint32_t)FMT_EDGE_ASKS : 0u};
  if (asks)
    out_dump_asked_list(dump, out_dump_asked(dump, &thread->asked));
  return out_dump_put(dump, &record, sizeof record);
}

int out_dump_threads(struct out_dump *dump)
{
  const struct out_profile *profile = dump->profile;
  uint64_t next = 0;
  /* From the last to the first, so that the list has the profile's order. */
  for (uint32_t i = profile->threads.count; i-- > 0;) {
    const struct out_known_thread *thread = out_profile_thread(profile, i);
    struct fmt_rec_thread record = {
        .tag = OUT_DUMP_TAG(FMT_TAG_THREAD, record),
        .next = next,
        .tid = thread->tid,
        .state = thread->state,
        .start_ticks = thread->start_ticks,
        .end_ticks = thread->end_ticks,
        .threads = thread->threads,
        .root = out_dump_variant(dump, thread->root),
        .first_edge = dump->first_edges[i],
        .first_function = i == 0 ? dump->last_function : 0,
        .first_tasks = dump->first_tasks[i],
        .first_queue_use = dump->first_uses[i],
        .first_counter_use = dump->first_counter_uses[i],
        .ring = dump->rings[i],
        .root_edge = put_root_edge(dump, thread),
        .process = dump->processes + thread->recording * sizeof(struct fmt_rec_process),
    };
    memcpy(record.name, thread->raw_name, sizeof record.name);
    next = out_dump_put(dump, &record, sizeof record);
  }
  dump->header.first_thread = next;
  return 0;
}
