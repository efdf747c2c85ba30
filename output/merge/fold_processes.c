/* callsig_stats_fold() and callsig_stats_fold_processes(): threads of one name, and processes of one command, become
 * one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/beside/in_place.h"
#include "output/merge/clock_base.h"
#include "output/merge/fold_counters.h"
#include "output/merge/fold_processes.h"
#include "output/merge/fold_samples.h"
#include "output/merge/merge_threads.h"
#include "output/merge/rescale.h"
#include "output/profile/process.h"
#include "output/recording/clock.h"
#include "output/text/message.h"

/* Command lines that are told apart. */
enum { MOST_COMMANDS = 200 };

/* What stands for the words of a command line beyond those. */
#define OTHER_WORDS "..."

struct folding {
  struct out_profile *profile;
  enum out_fold which;
  struct out_merge_processes processes;
  uint32_t count;          /* of processes after */
  bool *stays;             /* by process before: it is not made one with another */
  bool *told;              /* by process before: what its ranks spent is told already */
  bool *has_threads;       /* by process before; of the first of several, of any of them so far */
  uint64_t *calls;         /* by process before; of the first of several, of all of them so far */
  uint32_t *first_modules; /* by module: the first that is the same */
  struct out_idset by_command;
  struct out_idset by_rank; /* of OUT_FOLD_RANKS: all that become one with others of their program */
  uint32_t apart;           /* processes that cannot, since theirs is the lowest rank of another, too */
};

static bool allocate(struct folding *folding)
{
  const size_t count = folding->profile->recordings.count + 1u;
  folding->processes.process_of = calloc(count, sizeof *folding->processes.process_of);
  folding->processes.first_of = calloc(count, sizeof *folding->processes.first_of);
  folding->processes.joins = calloc(count, sizeof *folding->processes.joins);
  folding->stays = calloc(count, sizeof *folding->stays);
  folding->told = calloc(count, sizeof *folding->told);
  folding->has_threads = calloc(count, sizeof *folding->has_threads);
  folding->calls = calloc(count, sizeof *folding->calls);
  return folding->processes.process_of && folding->processes.first_of && folding->processes.joins && folding->stays &&
         folding->told && folding->has_threads && folding->calls;
}

static void release(struct folding *folding)
{
  free(folding->processes.process_of);
  free(folding->processes.first_of);
  free(folding->processes.joins);
  free(folding->stays);
  free(folding->told);
  free(folding->has_threads);
  free(folding->calls);
  free(folding->first_modules);
  out_idset_free(&folding->by_command);
  out_idset_free(&folding->by_rank);
}

int callsig_stats_fold(struct callsig_stats *stats)
{
  struct folding folding = {.profile = &stats->profile};
  int result = allocate(&folding) ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < stats->profile.recordings.count && result == 0; i++) {
    folding.processes.process_of[i] = folding.processes.first_of[i] = i;
    folding.processes.joins[i] = true;
  }
  if (result == 0)
    result = out_merge_threads(stats, &folding.processes);
  release(&folding);
  return result < 0 ? out_stats_no_memory() : 0;
}

/* What has stages, queues, events or a timeline of its own is not made one with another: what these tell is of one
 * process. So are counters and samples but of ranks. */
void out_fold_find_staying(const struct out_profile *profile, bool *stays)
{
  const struct out_stage_records *kept = &profile->stage_records;
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, i);
    stays[i] = info->process.timeline_min != UINT64_MAX ||
               (info->sampled != FMT_NONE && (!out_process_has_rank(profile, i) || !out_in_place_run(profile, info)));
  }
  for (uint32_t i = 0; i < kept->stages.count; i++)
    stays[((struct out_stage_record *)base_vector_at(&kept->stages, i))->recording] = true;
  for (uint32_t i = 0; i < kept->queues.count; i++)
    stays[((struct out_queue_record *)base_vector_at(&kept->queues, i))->recording] = true;
  for (uint32_t i = 0; i < kept->events.count; i++)
    stays[((struct out_event_record *)base_vector_at(&kept->events, i))->recording] = true;
  for (uint32_t i = 0; i < kept->counters.count; i++) {
    const uint32_t recording = ((struct out_counter_record *)base_vector_at(&kept->counters, i))->recording;
    stays[recording] |= !out_process_has_rank(profile, recording);
  }
}

static void count_calls(struct folding *folding)
{
  const struct out_profile *profile = folding->profile;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE)
      continue;
    uint64_t *calls = &folding->calls[out_profile_thread(profile, edge->thread)->recording];
    *calls += edge->calls;
    if (edge->recursion != FMT_NONE)
      *calls += out_profile_recursion(profile, edge->recursion)->calls;
  }
}

static void find_threads(struct folding *folding)
{
  const struct out_profile *profile = folding->profile;
  for (uint32_t i = 0; i < profile->threads.count; i++)
    folding->has_threads[out_profile_thread(profile, i)->recording] = true;
}

/* How a process was recorded, which has to be the same for its calls to add up to one. How thin its sample became is
 * not of this: it says nothing of how what was timed adds up. */
static bool same_recording(const struct out_profile *profile, const struct out_recording_info *left,
                           const struct out_recording_info *right)
{
  const uint32_t flags = FMT_REC_SIGNATURES | FMT_REC_SCHEDULE | FMT_REC_SAMPLED;
  const struct fmt_rec_process *a = &left->process, *b = &right->process;
  return left->program == right->program && a->clock == b->clock && a->injected_hz == b->injected_hz &&
         (a->flags & flags) == (b->flags & flags) && a->overhead == b->overhead &&
         (a->rank_source == 0) == (b->rank_source == 0) && out_fold_same_samples(profile, left, right);
}

static bool equal_program(const void *owner, uint32_t number, const void *key)
{
  return same_recording(owner, out_profile_recording(owner, number), key);
}

static bool equal_rank(const void *owner, uint32_t number, const void *key)
{
  const struct out_recording_info *there = out_profile_recording(owner, number), *wanted = key;
  return same_recording(owner, there, wanted) && there->process.rank == wanted->process.rank;
}

/* A forked child is not made one with its parent, whose command line it has until it writes a title of its own: what a
 * server and its workers do is told apart, whether or not the kernel took samples of the one. */
static bool equal_command(const void *owner, uint32_t number, const void *key)
{
  const struct out_recording_info *there = out_profile_recording(owner, number), *wanted = key;
  return equal_rank(owner, number, key) && ((there->flags ^ wanted->flags) & FMT_REC_CHILD) == 0 &&
         there->command_size == wanted->command_size &&
         (wanted->command_size == 0 || memcmp(there->command, wanted->command, wanted->command_size) == 0);
}

static uint64_t hash_command(const struct out_recording_info *info)
{
  uint64_t hash = out_hash_mix(info->program, info->command_size);
  for (size_t i = 0; i < info->command_size; i++)
    hash = out_hash_mix(hash, (unsigned char)info->command[i]);
  return hash;
}

/* The command line's first word alone, and what stands for the others. The title of a forked child is one text, which
 * may name what the child alone has to do with (`postgres: alice shop 10.0.0.7(41522) idle`). */
static int forget_words(struct out_recording_info *info)
{
  size_t first = info->command ? strnlen(info->command, info->command_size) : 0;
  const char *space = info->flags & FMT_REC_CHILD && first > 0 ? memchr(info->command, ' ', first) : NULL;
  first = space ? (size_t)(space - info->command) : first;
  if (first == 0)
    return 0;
  char *command = malloc(first + 1 + sizeof OTHER_WORDS);
  if (!command)
    return -ENOMEM;
  memcpy(command, info->command, first);
  command[first] = '\0';
  memcpy(command + first + 1, OTHER_WORDS, sizeof OTHER_WORDS);
  free(info->command);
  info->command = command;
  info->command_size = first + 1 + sizeof OTHER_WORDS;
  return 0;
}

/* The process that one of a command line becomes a part of; FMT_NONE: it is the first. */
static int find_command(struct folding *folding, struct out_recording_info *info, uint32_t *same)
{
  *same = out_idset_find(&folding->by_command, hash_command(info), folding->profile, info, equal_command);
  if (*same != FMT_NONE || folding->count < MOST_COMMANDS)
    return 0;
  if (forget_words(info) < 0)
    return -ENOMEM;
  *same = out_idset_find(&folding->by_command, hash_command(info), folding->profile, info, equal_command);
  return 0;
}

/* The same of a rank, with the hash that the first is found by; what stays alone has none like it. */
static int find_rank(struct folding *folding, uint32_t number, uint64_t *hash, uint32_t *same)
{
  const struct out_recording_info *info = out_profile_recording(folding->profile, number);
  const uint64_t of_program = out_hash_mix(info->program, 1),
                 of_rank = out_hash_mix(of_program, (uint64_t)info->process.rank);
  if (folding->which == OUT_FOLD_EACH_RANK) {
    *hash = of_rank;
    *same = out_idset_find(&folding->by_command, of_rank, folding->profile, info, equal_rank);
    return 0;
  }
  *hash = of_program;
  *same = FMT_NONE;
  if (out_idset_find(&folding->by_rank, of_rank, folding->profile, info, equal_rank) != FMT_NONE) {
    folding->stays[number] = true;
    folding->apart++;
    return 0;
  }
  *same = out_idset_find(&folding->by_command, of_program, folding->profile, info, equal_program);
  return out_idset_add(&folding->by_rank, of_rank, number);
}

/* Finds the process that this one becomes a part of, or makes it one of those that are left. */
static int place(struct folding *folding, uint32_t number)
{
  struct out_recording_info *info = out_profile_recording(folding->profile, number);
  struct out_merge_processes *processes = &folding->processes;
  const bool is_rank = folding->which != OUT_FOLD_COMMANDS && info->process.rank_source != 0;
  uint64_t hash = 0;
  uint32_t same = FMT_NONE;
  int result = 0;
  if (folding->told[number] && folding->which != OUT_FOLD_RANKS)
    folding->stays[number] = true;
  if (is_rank && !folding->stays[number]) {
    result = find_rank(folding, number, &hash, &same);
  } else if (!folding->stays[number]) {
    result = find_command(folding, info, &same);
    hash = hash_command(info);
  }
  if (result < 0)
    return result;
  if (same != FMT_NONE) {
    processes->process_of[number] = processes->process_of[same];
    processes->joins[number] = processes->joins[same] = true;
    return 0;
  }
  processes->process_of[number] = folding->count;
  processes->first_of[folding->count++] = number;
  processes->joins[number] = out_process_count(info) > 1;
  return folding->stays[number] ? 0 : out_idset_add(&folding->by_command, hash, number);
}

/* The mean of two, by weights; the first where neither weighs anything. */
static uint64_t mean(uint64_t left, uint64_t left_weight, uint64_t right, uint64_t right_weight)
{
  unsigned __int128 weight = (unsigned __int128)left_weight + right_weight;
  return weight ? (uint64_t)(((unsigned __int128)left * left_weight + (unsigned __int128)right * right_weight) / weight)
                : left;
}

static uint32_t sum_of(uint32_t left, uint32_t right)
{
  return left > UINT32_MAX - right ? UINT32_MAX : left + right;
}

/* Adds what is told of one process to what is told of the first: of others of its rank, or of other ranks. What their
 * hooks cost is the mean, by their calls. */
static void join(enum out_fold which, struct out_recording_info *into, uint64_t into_calls,
                 const struct out_recording_info *from, uint64_t from_calls)
{
  struct fmt_rec_process *sum = &into->process;
  const struct fmt_rec_process *process = &from->process;
  const uint32_t of_all = FMT_REC_FINISHED | FMT_REC_CHILD | FMT_REC_SLEEP;
  if (sum->drawn_from < process->drawn_from)
    sum->drawn_from = process->drawn_from;
  sum->processes = sum_of(out_process_count(into), out_process_count(from));
  if (which == OUT_FOLD_RANKS && sum->rank_source) {
    sum->ranks = sum_of(out_process_rank_count(sum), out_process_rank_count(process));
    sum->rank = sum->rank < process->rank ? sum->rank : process->rank;
  }
  if (process->start_realtime_ns < sum->start_realtime_ns) {
    sum->start_realtime_ns = process->start_realtime_ns;
    sum->pid = into->pid = process->pid;
    sum->ppid = process->ppid;
  }
  if (process->start.monotonic_ns < sum->start.monotonic_ns)
    sum->start = process->start;
  if (process->last.monotonic_ns > sum->last.monotonic_ns)
    sum->last = process->last;
  sum->flags = ((sum->flags | process->flags) & ~of_all) | (sum->flags & process->flags & of_all);
  into->flags = sum->flags;
  if (sum->exit_status != process->exit_status)
    sum->exit_status = into->exit_status = -1;
  sum->hook_inner = into->hook_inner = mean(into->hook_inner, into_calls, from->hook_inner, from_calls);
  sum->hook_outer = into->hook_outer = mean(into->hook_outer, into_calls, from->hook_outer, from_calls);
  sum->sample_price = mean(sum->sample_price, into_calls, process->sample_price, from_calls);
  sum->hook_hidden = (uint32_t)mean(sum->hook_hidden, into_calls, process->hook_hidden, from_calls);
  sum->hook_floor = (uint32_t)mean(sum->hook_floor, into_calls, process->hook_floor, from_calls);
  for (unsigned i = 0; i < FMT_LOSS_COUNT; i++)
    sum->loss[i] = into->loss[i] += from->loss[i];
  out_process_add_module(sum, process->lowest_module);
  sum->steps += process->steps;
  sum->active_steps += process->active_steps;
  into->damaged += from->damaged;
  into->open_frames += from->open_frames;
  into->folded_threads += from->folded_threads;
  if (into->innermost == FMT_NONE)
    into->innermost = from->innermost;
}

/* Processes that are one paused each for itself: when all of it did is nothing that could be told. */
static void forget_pauses(struct out_recording_info *info)
{
  free(info->pauses);
  info->pauses = NULL;
}

/* A process without threads, which was forked while nothing was recorded or executed another program at once, has no
 * time that could be waiting: of the others it is told all the same. */
static void join_sleep(struct folding *folding, uint32_t first, uint32_t i)
{
  struct fmt_rec_process *sum = &out_profile_recording(folding->profile, first)->process;
  struct fmt_rec_process *process = &out_profile_recording(folding->profile, i)->process;
  if (!folding->has_threads[i])
    process->flags |= sum->flags & FMT_REC_SLEEP;
  else if (!folding->has_threads[first])
    sum->flags |= process->flags & FMT_REC_SLEEP;
  folding->has_threads[first] |= folding->has_threads[i];
}

/* The list of processes as it is after. */
static int join_processes(struct folding *folding)
{
  struct out_profile *profile = folding->profile;
  const uint32_t *first_of = folding->processes.first_of, *process_of = folding->processes.process_of;
  int result = 0;
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    uint32_t first = first_of[process_of[i]];
    struct out_recording_info *from = out_profile_recording(profile, i);
    if (first == i)
      continue;
    join_sleep(folding, first, i);
    join(folding->which, out_profile_recording(profile, first), folding->calls[first], from, folding->calls[i]);
    folding->calls[first] += folding->calls[i];
    free(from->command);
    from->command = NULL;
    forget_pauses(from);
    forget_pauses(out_profile_recording(profile, first));
  }
  for (uint32_t i = 0; i < folding->count; i++)
    *out_profile_recording(profile, i) = *out_profile_recording(profile, first_of[i]);
  profile->recordings.count = folding->count;
  for (uint32_t i = 0; i < folding->count && result == 0; i++) {
    struct out_recording_info *info = out_profile_recording(profile, i);
    const struct fmt_rec_process *process = &info->process;
    info->tick = out_clock_tick(info->clock, (struct out_clock_rate){process->injected_hz, process->counter_khz},
                                &process->start, &process->last, &info->uncalibrated);
    result = out_process_label(profile, info);
    if (result == 0)
      result = out_process_label_rank(profile, &info->process, &info->rank_label);
  }
  return result;
}

/* What has the number of a process beside threads. */
static void renumber(struct folding *folding)
{
  struct out_profile *profile = folding->profile;
  struct out_stage_records *kept = &profile->stage_records;
  const uint32_t *process_of = folding->processes.process_of;
  /* Backwards, so that the process of the first, which comes before, is still that of before. */
  for (uint32_t i = profile->modules.count; i-- > 0;) {
    struct out_known_module *module = out_profile_module(profile, i);
    const uint32_t other = out_profile_module(profile, folding->first_modules[i])->recording;
    module->is_joined |= other != module->recording && process_of[other] == process_of[module->recording];
    module->recording = process_of[module->recording];
  }
  for (uint32_t i = 0; i < kept->stages.count; i++) {
    uint32_t *recording = &((struct out_stage_record *)base_vector_at(&kept->stages, i))->recording;
    *recording = process_of[*recording];
  }
  for (uint32_t i = 0; i < kept->queues.count; i++) {
    uint32_t *recording = &((struct out_queue_record *)base_vector_at(&kept->queues, i))->recording;
    *recording = process_of[*recording];
  }
  for (uint32_t i = 0; i < kept->events.count; i++) {
    uint32_t *recording = &((struct out_event_record *)base_vector_at(&kept->events, i))->recording;
    *recording = process_of[*recording];
  }
  for (uint32_t i = 0; i < kept->counters.count; i++) {
    uint32_t *recording = &((struct out_counter_record *)base_vector_at(&kept->counters, i))->recording;
    *recording = process_of[*recording];
  }
}

static bool same_module(const struct out_known_module *left, const struct out_known_module *right)
{
  const uint64_t size = left->index.header ? left->index.header->file_size : 0;
  return left->label == right->label && size == (right->index.header ? right->index.header->file_size : 0) &&
         left->build_id_size == right->build_id_size &&
         memcmp(left->build_id, right->build_id, sizeof left->build_id) == 0 &&
         (size == 0 || memcmp(left->index.header, right->index.header, size) == 0);
}

static bool equal_module(const void *owner, uint32_t number, const void *key)
{
  return same_module(out_profile_module(owner, number), key);
}

/* Code is of the first module that is the same, so that functions of several processes are one. */
static int share_modules(struct folding *folding)
{
  struct out_profile *profile = folding->profile;
  struct out_idset set = {0};
  uint32_t *first = folding->first_modules = calloc(profile->modules.count + 1u, sizeof *first);
  int result = first ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < profile->modules.count && result == 0; i++) {
    const struct out_known_module *module = out_profile_module(profile, i);
    uint64_t hash = out_hash_mix(module->label, module->index.header ? module->index.header->checksum : 0);
    first[i] = out_idset_find(&set, hash, profile, module, equal_module);
    if (first[i] == FMT_NONE) {
      first[i] = i;
      result = out_idset_add(&set, hash, i);
    }
  }
  for (uint32_t i = 0; i < profile->callables.count && result == 0; i++) {
    struct out_callable *callable = out_profile_callable(profile, i);
    if (callable->module != FMT_NONE)
      callable->module = first[callable->module];
  }
  out_idset_free(&set);
  return result;
}

/* Of which processes it is told what their ranks spent. */
static void find_told(const struct folding *folding)
{
  const struct out_profile *profile = folding->profile;
  for (uint32_t i = 0; i < profile->recordings.count; i++)
    folding->told[i] = out_profile_recording(profile, i)->process.ranks > 0;
  for (uint32_t i = 0; i < profile->rank_rows.count; i++)
    folding->told[((struct out_rank_row *)base_vector_at(&profile->rank_rows, i))->process] = true;
}

/* Ticks of several machines do not add up: there they become nanoseconds. */
static int share_clock(struct folding *folding)
{
  struct out_profile *profile = folding->profile;
  bool *chosen = calloc(profile->recordings.count + 1u, sizeof *chosen);
  int result = chosen ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < profile->recordings.count && result == 0; i++)
    chosen[i] = !folding->stays[i];
  if (result == 0)
    result = out_clock_bases_differ(profile, chosen);
  if (result == 0)
    result = out_rescale(profile, chosen);
  free(chosen);
  return result;
}

int out_fold_processes(struct callsig_stats *stats, enum out_fold which)
{
  struct folding folding = {.profile = &stats->profile, .which = which};
  const uint32_t before = stats->profile.recordings.count;
  int result = allocate(&folding) ? share_modules(&folding) : -ENOMEM;
  if (result == 0) {
    out_fold_find_staying(folding.profile, folding.stays);
    find_told(&folding);
    count_calls(&folding);
    find_threads(&folding);
    result = share_clock(&folding);
  }
  for (uint32_t i = 0; i < stats->profile.recordings.count && result == 0; i++)
    result = place(&folding, i);
  if (result == 0)
    result = out_merge_threads(stats, &folding.processes);
  if (result == 0)
    result = out_rank_rows_fold(&stats->profile, folding.processes.process_of, before);
  if (result == 0) {
    renumber(&folding);
    result = out_fold_counters(&stats->profile);
  }
  if (result == 0)
    result = out_fold_samples(&stats->profile, folding.processes.process_of, folding.count);
  if (result == 0)
    result = join_processes(&folding);
  release(&folding);
  if (result == 0 && folding.apart > 0)
    out_stats_message(
        "%u process%s not made one with others: the same rank was recorded in another one, and ranks that "
        "became one can no longer be told apart",
        folding.apart, folding.apart == 1 ? " of ranks is" : "es of ranks are");
  return result < 0 ? out_stats_no_memory() : 0;
}

int callsig_stats_fold_processes(struct callsig_stats *stats)
{
  const int result = out_stats_not_empty(stats);
  return result < 0 ? result : out_fold_processes(stats, OUT_FOLD_COMMANDS);
}
