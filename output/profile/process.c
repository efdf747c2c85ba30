/* Orders the processes of a profile, and finds which of them have one rank, or one program. */
#define _GNU_SOURCE
#include "output/profile/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/text/text.h"

static int compare_numbers(uint64_t left, uint64_t right)
{
  return left < right ? -1 : left > right;
}

int out_process_compare(const struct out_profile *profile, uint32_t left, uint32_t right)
{
  const struct out_recording_info *a = out_profile_recording(profile, left), *b = out_profile_recording(profile, right);
  int order = compare_numbers(a->process.start_realtime_ns, b->process.start_realtime_ns);
  if (order == 0)
    order = compare_numbers(a->pid, b->pid);
  if (order == 0)
    order = strcmp(out_profile_string(profile, a->path), out_profile_string(profile, b->path));
  if (order == 0)
    order = strcmp(out_profile_string(profile, a->program), out_profile_string(profile, b->program));
  return order;
}

static int compare_processes(const void *left, const void *right, void *profile)
{
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  int order = out_process_compare(profile, a, b);
  return order ? order : compare_numbers(a, b);
}

uint32_t *out_process_order(const struct out_profile *profile)
{
  uint32_t count = profile->recordings.count;
  uint32_t *order = malloc((count + 1u) * sizeof *order);
  if (!order)
    return NULL;
  for (uint32_t i = 0; i < count; i++)
    order[i] = i;
  qsort_r(order, count, sizeof *order, compare_processes, (void *)profile);
  return order;
}

int out_process_compare_ranks(const struct out_profile *profile, uint32_t left, uint32_t right)
{
  const struct fmt_rec_process *a = &out_profile_recording(profile, left)->process,
                               *b = &out_profile_recording(profile, right)->process;
  int order = compare_numbers(a->rank_source != 0, b->rank_source != 0);
  if (order != 0 || a->rank_source == 0)
    return order;
  return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static bool equal_rank(const void *owner, uint32_t number, const void *key)
{
  return out_process_compare_ranks(owner, number, *(const uint32_t *)key) == 0;
}

uint32_t *out_process_ranks(const struct out_profile *profile)
{
  uint32_t count = profile->recordings.count;
  uint32_t *ranks = malloc((count + 1u) * sizeof *ranks);
  struct out_idset set = {0};
  int result = ranks ? 0 : -1;
  for (uint32_t i = 0; i < count && result == 0; i++) {
    bool has_rank = out_process_has_rank(profile, i);
    uint64_t hash = out_hash_mix(has_rank, has_rank ? (uint64_t)out_profile_recording(profile, i)->process.rank : 0);
    ranks[i] = out_idset_find(&set, hash, profile, &i, equal_rank);
    if (ranks[i] == FMT_NONE) {
      ranks[i] = i;
      result = out_idset_add(&set, hash, i);
    }
  }
  out_idset_free(&set);
  if (result < 0) {
    free(ranks);
    ranks = NULL;
  }
  return ranks;
}

static uint64_t identify_build(const struct out_known_module *module)
{
  uint64_t hash = out_hash_mix(1, module->build_id_size);
  for (uint32_t i = 0; i < module->build_id_size && i < sizeof module->build_id; i++)
    hash = out_hash_mix(hash, module->build_id[i]);
  return hash;
}

static bool equal_label(const void *owner, uint32_t number, const void *key)
{
  return out_profile_module(owner, number)->label == *(const uint32_t *)key;
}

/* The modules whose builds are known, by path: the first of each. */
static int find_builds(const struct out_profile *profile, struct out_idset *set)
{
  int result = 0;
  for (uint32_t i = 0; i < profile->modules.count && result == 0; i++) {
    const struct out_known_module *module = out_profile_module(profile, i);
    const uint64_t hash = out_hash_mix(0, module->label);
    if (module->build_id_size > 0 && out_idset_find(set, hash, profile, &module->label, equal_label) == FMT_NONE)
      result = out_idset_add(set, hash, i);
  }
  return result;
}

uint64_t *out_process_programs(const struct out_profile *profile)
{
  uint64_t *programs = malloc((profile->recordings.count + 1u) * sizeof *programs);
  struct out_idset set = {0};
  if (!programs || find_builds(profile, &set) < 0) {
    out_idset_free(&set);
    free(programs);
    return NULL;
  }
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const uint32_t path = out_profile_recording(profile, i)->program;
    const uint32_t module = out_idset_find(&set, out_hash_mix(0, path), profile, &path, equal_label);
    programs[i] = module == FMT_NONE ? out_hash_mix(0, path) : identify_build(out_profile_module(profile, module));
  }
  /* A recording's own module says more than one of the same path. */
  for (uint32_t i = 0; i < profile->modules.count; i++) {
    const struct out_known_module *module = out_profile_module(profile, i);
    if (module->build_id_size > 0 && module->label == out_profile_recording(profile, module->recording)->program)
      programs[module->recording] = identify_build(module);
  }
  out_idset_free(&set);
  return programs;
}

int out_process_label_rank(struct out_profile *profile, const struct fmt_rec_process *process, uint32_t *label)
{
  struct out_text text = {0};
  const uint32_t count = out_process_rank_count(process);
  if (count == 0)
    out_text_putc(&text, '-');
  else
    out_text_printf(&text, "%lld", (long long)process->rank);
  if (count > 1)
    out_text_printf(&text, " and %u more", count - 1);
  int result = text.failed ? -ENOMEM : base_strings_add(profile->strings, out_text_string(&text), label);
  out_text_free(&text);
  return result;
}
