/* The processes of a recording: one, which the header is about, or those that a merged recording lists. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "load.h"
#include "text.h"

static struct cs_rec_process of_header(const struct cs_rec_header *header)
{
  struct cs_rec_process process = {
      .pid = header->pid,
      .ppid = header->ppid,
      .clock = header->clock,
      .flags = header->flags & ~(uint32_t)CS_REC_MERGED,
      .injected_hz = header->injected_hz,
      .start_realtime_ns = header->start_realtime_ns,
      .start = header->start,
      .last = header->last,
      .exit_status = header->exit_status,
      .hook_inner = header->hook_inner,
      .hook_outer = header->hook_outer,
      .program = header->program,
      .command = header->command,
      .rank_source = header->rank_source,
      .rank = header->rank,
      .timeline_min = header->timeline_min,
      .steps = header->steps,
      .active_steps = header->active_steps,
  };
  memcpy(process.loss, header->loss, sizeof process.loss);
  return process;
}

/* The text of the name at `address` as it may be printed; `missing` when there is none. */
static int intern(struct cs_loader *loader, uint64_t address, const char *missing, uint32_t *string)
{
  size_t length = 0;
  const char *name = cs_recording_name(loader->recording, address, &length);
  struct cs_text text = {0};
  cs_text_printable(&text, name ? name : missing, name ? length : strlen(missing));
  int result = text.failed ? -ENOMEM : cs_strings_add(loader->profile->strings, cs_text_string(&text), string);
  cs_text_free(&text);
  return result;
}

static int intern_text(struct cs_loader *loader, struct cs_text *text, uint32_t *string)
{
  int result = text->failed ? -ENOMEM : cs_strings_add(loader->profile->strings, cs_text_string(text), string);
  cs_text_free(text);
  return result;
}

/* "lua5.4 (1234)", and "3". */
static int label(struct cs_loader *loader, const struct cs_rec_process *process, struct cs_recording_info *info)
{
  struct cs_text text = {0};
  const char *program = cs_profile_string(loader->profile, info->program), *slash = strrchr(program, '/');
  cs_text_printf(&text, "%s (%u)", *program ? (slash ? slash + 1 : program) : "?", process->pid);
  int result = intern_text(loader, &text, &info->label);
  if (process->rank_source)
    cs_text_printf(&text, "%lld", (long long)process->rank);
  else
    cs_text_putc(&text, '-');
  int other = intern_text(loader, &text, &info->rank_label);
  return result < 0 ? result : other;
}

static int copy_command(struct cs_loader *loader, uint64_t address, struct cs_recording_info *info)
{
  size_t length = 0;
  const char *command = cs_recording_name(loader->recording, address, &length);
  if (!command)
    return 0;
  info->command = malloc(length + 1);
  if (!info->command)
    return -ENOMEM;
  memcpy(info->command, command, length);
  info->command_size = length;
  return 0;
}

static int add_process(struct cs_loader *loader, const struct cs_rec_process *process)
{
  struct cs_recording_info *info = cs_vector_add(&loader->profile->recordings, 1);
  if (!info)
    return -ENOMEM;
  *info = (struct cs_recording_info){.pid = process->pid,
                                     .clock = process->clock,
                                     .flags = process->flags,
                                     .exit_status = process->exit_status,
                                     .hook_inner = process->hook_inner,
                                     .hook_outer = process->hook_outer,
                                     .damaged = process->damaged,
                                     .innermost = CS_NONE,
                                     .process = *process};
  memcpy(info->loss, process->loss, sizeof info->loss);
  info->tick =
      cs_clock_tick(process->clock, process->injected_hz, &process->start, &process->last, &info->uncalibrated);
  int result = intern(loader, process->program, "", &info->program);
  if (result == 0)
    result = label(loader, process, info);
  if (result == 0)
    result = copy_command(loader, process->command, info);
  if (result == 0 && process->rank_source)
    result = intern(loader, process->rank_source, "?", &info->rank_source);
  if (result == 0 && process->source)
    return intern(loader, process->source, "?", &info->path);
  return result < 0 ? result : cs_strings_add(loader->profile->strings, loader->recording->path, &info->path);
}

/* Every process that a merged recording lists, in the list's order. */
static int add_listed(struct cs_loader *loader)
{
  struct cs_rec_process process;
  uint64_t address = loader->recording->header.first_process;
  int result;
  while ((result = cs_recording_next(loader->recording, &loader->processes, address, CS_TAG_PROCESS, &process,
                                     sizeof process)) > 0) {
    result = add_process(loader, &process);
    if (result < 0)
      break;
    address = process.next;
  }
  return result;
}

int cs_load_processes(struct cs_loader *loader)
{
  struct cs_rec_header *header = &loader->recording->header;
  if (loader->now)
    header->last = *loader->now;
  loader->number = loader->first_process;
  if (header->flags & CS_REC_MERGED) {
    int result = add_listed(loader);
    if (result < 0 || loader->processes.count > 0)
      return result;
    loader->recording->damaged++;
  }
  struct cs_rec_process process = of_header(header);
  return add_process(loader, &process);
}

void cs_load_choose_process(struct cs_loader *loader, uint64_t address)
{
  loader->number = loader->first_process;
  if (!address)
    return;
  uint32_t number = cs_recording_known(loader->recording, &loader->processes, address);
  if (number == CS_NONE)
    loader->recording->damaged++;
  else
    loader->number += number;
}

/* Calls that were open when the process was merged count already; which was the innermost is told by its variant. */
static void take_open(struct cs_loader *loader, struct cs_recording_info *info)
{
  uint32_t number = cs_recording_known(loader->recording, &loader->variants, info->process.innermost);
  uint32_t variant = number == CS_NONE ? CS_NONE : loader->first_variant + number;
  if (variant == CS_NONE || !cs_load_is_call(loader->profile, variant)) {
    loader->recording->damaged++;
    return;
  }
  info->open_frames += info->process.open_frames;
  info->innermost = variant;
}

void cs_load_finish_processes(struct cs_loader *loader)
{
  for (uint32_t i = 0; i < loader->processes.count; i++) {
    struct cs_recording_info *info = cs_profile_recording(loader->profile, loader->first_process + i);
    if (info->process.open_frames > 0)
      take_open(loader, info);
  }
  cs_profile_recording(loader->profile, loader->first_process)->damaged += loader->recording->damaged;
}
