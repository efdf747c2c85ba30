/* The processes of a recording: one, which the header is about, or those that a merged recording lists. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/profile/load.h"
#include "output/profile/process.h"
#include "output/recording/clock.h"
#include "output/recording/live.h"
#include "output/recording/pauses.h"
#include "output/text/text.h"

static struct fmt_rec_process of_header(const struct fmt_rec_header *header)
{
  struct fmt_rec_process process = {
      .pid = header->pid,
      .ppid = header->ppid,
      .clock = header->clock,
      .flags = header->flags & ~(uint32_t)FMT_REC_MERGED,
      .injected_hz = header->injected_hz,
      .start_realtime_ns = header->period_realtime_ns ? header->period_realtime_ns : header->start_realtime_ns,
      .start = header->start,
      .last = header->last,
      .exit_status = header->exit_status,
      .hook_inner = header->hook_inner,
      .hook_outer = header->hook_outer,
      .program = header->program,
      .command = header->command,
      .rank_source = header->rank_source,
      .rank = header->rank,
      .overhead = header->overhead < UINT32_MAX ? (uint32_t)header->overhead : UINT32_MAX,
      .sample_price = header->sample_price,
      .drawn_from = header->drawn_from,
      .hook_hidden = header->hook_hidden,
      .hook_floor = header->hook_floor,
      .counter_khz = header->counter_khz,
      .timeline_min = header->timeline_min,
      .steps = header->steps,
      .active_steps = header->active_steps,
      .pauses = header->pauses,
  };
  memcpy(process.loss, header->loss, sizeof process.loss);
  return process;
}

/* As out_load_name(), but that a process without a name is no damage. */
static int intern(struct out_loader *loader, uint64_t address, const char *missing, uint32_t *string)
{
  size_t length = 0;
  const char *name = out_recording_name(loader->recording, address, &length);
  return out_load_text(loader, name ? name : missing, name ? length : strlen(missing), string);
}

/* Ends a forked child's title with one NUL, for which there is room, and returns its size. As many follow as the one
 * that noted it found: those of a longer command line before, or none where the title ends in what was filled up with
 * spaces. */
static size_t end_title(char *title, size_t size)
{
  while (size > 0 && title[size - 1] == '\0')
    size--;
  title[size] = '\0';
  return size + 1;
}

static int copy_command(struct out_loader *loader, uint64_t address, struct out_recording_info *info)
{
  size_t length = 0;
  const char *command = out_recording_name(loader->recording, address, &length);
  if (!command)
    return 0;
  info->command = malloc(length + 1);
  if (!info->command)
    return -ENOMEM;
  memcpy(info->command, command, length);
  info->command_size = info->flags & FMT_REC_CHILD && length > 0 ? end_title(info->command, length) : length;
  return 0;
}

/* A forked child that runs may have given itself a title since; at its end it notes that by itself. */
static void take_title(struct out_recording_info *info)
{
  size_t size = 0;
  char *title = info->is_running && info->flags & FMT_REC_CHILD ? out_recording_command_line(info->pid, &size) : NULL;
  if (!title)
    return;
  free(info->command);
  info->command = title;
  info->command_size = size;
}

/* One that cannot be read is damage. */
static int copy_pauses(struct out_loader *loader, uint64_t address, struct out_recording_info *info)
{
  struct fmt_rec_pauses record;
  if (!out_pauses_record(loader->recording, address, &record))
    return 0;
  info->pauses = malloc(sizeof record);
  if (!info->pauses)
    return -ENOMEM;
  *info->pauses = record;
  return 0;
}

static int add_process(struct out_loader *loader, const struct fmt_rec_process *process)
{
  struct out_recording_info *info = base_vector_add(&loader->profile->recordings, 1);
  if (!info)
    return -ENOMEM;
  *info = (struct out_recording_info){.pid = process->pid,
                                      .clock = process->clock,
                                      .flags = process->flags,
                                      .exit_status = process->exit_status,
                                      .is_running = loader->now != NULL,
                                      .hook_inner = process->hook_inner,
                                      .hook_outer = process->hook_outer,
                                      .damaged = process->damaged,
                                      .innermost = FMT_NONE,
                                      .sampled = FMT_NONE,
                                      .process = *process};
  memcpy(info->loss, process->loss, sizeof info->loss);
  info->tick = out_clock_tick(process->clock, (struct out_clock_rate){process->injected_hz, process->counter_khz},
                              &process->start, &process->last, &info->uncalibrated);
  int result = intern(loader, process->program, "", &info->program);
  if (result == 0)
    result = out_process_label_rank(loader->profile, process, &info->rank_label);
  if (result == 0)
    result = copy_command(loader, process->command, info);
  if (result == 0)
    take_title(info);
  if (result == 0)
    result = copy_pauses(loader, process->pauses, info);
  if (result == 0)
    result = out_process_label(loader->profile, info);
  if (result == 0 && process->rank_source)
    result = intern(loader, process->rank_source, "?", &info->rank_source);
  if (result == 0 && process->trigger)
    result = intern(loader, process->trigger, "?", &info->trigger);
  if (result == 0 && process->source)
    return intern(loader, process->source, "?", &info->path);
  return result < 0 ? result
                    : out_load_text(loader, loader->recording->path, strlen(loader->recording->path), &info->path);
}

/* Every process that a merged recording lists, in the list's order. */
static int add_listed(struct out_loader *loader)
{
  struct fmt_rec_process process = {0};
  uint64_t address = loader->recording->header.first_process;
  int result;
  while ((result = out_recording_next(loader->recording, &loader->processes, address, FMT_TAG_PROCESS, &process,
                                      FMT_REC_PROCESS_LEAST)) > 0) {
    const struct fmt_rec_process *whole =
        out_recording_record(loader->recording, address, FMT_TAG_PROCESS, FMT_REC_PROCESS_DRAWN);
    process.drawn_from = whole ? whole->drawn_from : 0;
    process.processes = whole ? whole->processes : 0;
    whole = out_recording_record(loader->recording, address, FMT_TAG_PROCESS, FMT_REC_PROCESS_TRIGGER);
    process.trigger = whole ? whole->trigger : 0;
    whole = out_recording_record(loader->recording, address, FMT_TAG_PROCESS, FMT_REC_PROCESS_RANKS);
    process.pauses = whole ? whole->pauses : 0;
    process.rank_rows = whole ? whole->rank_rows : 0;
    process.ranks = whole && process.rank_source ? whole->ranks : 0;
    whole = out_recording_record(loader->recording, address, FMT_TAG_PROCESS, FMT_REC_PROCESS_FLOOR);
    process.hook_hidden = whole ? whole->hook_hidden : 0;
    process.hook_floor = whole ? whole->hook_floor : 0;
    process.counter_khz = whole ? whole->counter_khz : 0;
    whole = out_recording_record(loader->recording, address, FMT_TAG_PROCESS, sizeof process);
    process.lowest_module = whole ? whole->lowest_module : 0;
    result = add_process(loader, &process);
    if (result < 0)
      break;
    address = process.next;
  }
  return result;
}

int out_load_processes(struct out_loader *loader)
{
  struct fmt_rec_header *header = &loader->recording->header;
  if (loader->now)
    header->last = *loader->now;
  loader->number = loader->first_process;
  if (header->flags & FMT_REC_MERGED) {
    int result = add_listed(loader);
    if (result < 0 || loader->processes.count > 0)
      return result;
    loader->recording->damaged++;
  }
  struct fmt_rec_process process = of_header(header);
  return add_process(loader, &process);
}

void out_load_choose_process(struct out_loader *loader, uint64_t address)
{
  loader->number = loader->first_process;
  if (!address)
    return;
  uint32_t number = out_recording_known(loader->recording, &loader->processes, address);
  if (number == FMT_NONE)
    loader->recording->damaged++;
  else
    loader->number += number;
}

/* Calls that were open when the process was merged count already; which was the innermost is told by its variant. */
static void take_open(struct out_loader *loader, struct out_recording_info *info)
{
  uint32_t number = out_recording_known(loader->recording, &loader->variants, info->process.innermost);
  uint32_t variant = number == FMT_NONE ? FMT_NONE : loader->first_variant + number;
  if (variant == FMT_NONE || !out_profile_is_call(loader->profile, variant)) {
    loader->recording->damaged++;
    return;
  }
  info->open_frames += info->process.open_frames;
  info->innermost = variant;
}

void out_load_finish_processes(struct out_loader *loader)
{
  for (uint32_t i = 0; i < loader->processes.count; i++) {
    struct out_recording_info *info = out_profile_recording(loader->profile, loader->first_process + i);
    if (info->process.open_frames > 0)
      take_open(loader, info);
  }
  out_profile_recording(loader->profile, loader->first_process)->damaged += out_recording_lost(loader->recording);
}
