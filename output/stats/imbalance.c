/* Compares the times of processes, or ranks, row by row. */
#include "output/stats/imbalance.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/profile/edge_time.h"
#include "output/profile/process.h"

/* Processes, or ranks, that may be compared. */
struct program {
  uint64_t identity;
  uint32_t members;
};

/* What rows are put together by: a spread's key, and the numbers of the rows so far. */
struct gathering {
  const struct callsig_stats *stats;
  struct out_imbalances *imbalances;
  uint64_t *identities;        /* by process, of by first process of a rank: what it runs. Owned */
  struct base_vector programs; /* struct program */
  struct out_idset program_set;
  struct base_vector parts; /* uint32_t by spread: how many rows it has */
  struct out_idset set;
  struct out_idset rank_rows; /* of the profile's */
};

void out_imbalances_free(struct out_imbalances *imbalances)
{
  base_vector_free(&imbalances->list);
}

/* The key of what a row is put together with. */
static struct out_row_key shared_key(const struct out_row_key *key)
{
  struct out_row_key shared = *key;
  shared.process = shared.rank = FMT_NONE;
  return shared;
}

/* Whose row it is: a process, or the first process of a rank. */
static uint32_t member_of(const struct callsig_stats *stats, const struct out_imbalances *imbalances, uint32_t row)
{
  const struct out_row_key *key = &out_rows_at(&stats->rows, row)->key;
  return imbalances->of_ranks ? key->rank : key->process;
}

/* What is looked for among the imbalances. */
struct wanted {
  struct out_row_key key;
  uint64_t program;
};

static bool equal_imbalance(const void *owner, uint32_t number, const void *key)
{
  const struct gathering *gathering = owner;
  const struct out_imbalance *imbalance = base_vector_at(&gathering->imbalances->list, number);
  const struct wanted *wanted = key;
  struct out_row_key there = shared_key(&out_rows_at(&gathering->stats->rows, imbalance->row)->key);
  return imbalance->program == wanted->program && memcmp(&there, &wanted->key, sizeof there) == 0;
}

static struct wanted wanted_of(const struct gathering *gathering, uint32_t row, const struct program *program)
{
  return (struct wanted){shared_key(&out_rows_at(&gathering->stats->rows, row)->key), program->identity};
}

static uint64_t hash_of(const struct wanted *wanted)
{
  const struct out_row_key *key = &wanted->key;
  return out_hash_mix((uint64_t)key->what << 32 | key->stage, (uint64_t)key->thread << 32 | key->module);
}

/* The number of the imbalance that a row is part of. FMT_NONE: of none yet. */
static uint32_t find_imbalance(const struct gathering *gathering, uint32_t row, const struct program *program)
{
  const struct wanted wanted = wanted_of(gathering, row, program);
  return out_idset_find(&gathering->set, hash_of(&wanted), gathering, &wanted, equal_imbalance);
}

static int add_imbalance(struct gathering *gathering, uint32_t row, const struct program *program)
{
  struct out_imbalance *added = base_vector_add(&gathering->imbalances->list, 1);
  if (!added || !base_vector_add(&gathering->parts, 1))
    return -ENOMEM;
  *added = (struct out_imbalance){.row = row,
                                  .own = {.slowest = row, .fastest = row},
                                  .cumulative = {.slowest = row, .fastest = row},
                                  .calls = {.slowest = row, .fastest = row},
                                  .program = program->identity,
                                  .count = program->members};
  added->own.min = added->cumulative.min = added->calls.min = UINT64_MAX;
  const struct wanted wanted = wanted_of(gathering, row, program);
  return out_idset_add(&gathering->set, hash_of(&wanted), gathering->imbalances->list.count - 1);
}

static bool comes_before(const struct gathering *gathering, uint32_t left, uint32_t right)
{
  const struct out_profile *profile = &gathering->stats->profile;
  const struct out_row_key *a = &out_rows_at(&gathering->stats->rows, left)->key,
                           *b = &out_rows_at(&gathering->stats->rows, right)->key;
  if (gathering->imbalances->of_ranks)
    return out_process_compare_ranks(profile, a->rank, b->rank) < 0;
  return out_process_compare(profile, a->process, b->process) < 0;
}

/* `mean` is the sum until all are there, and `deviation` that of the squares. */
static void add_time(const struct gathering *gathering, struct out_imbalance_time *time, uint32_t row, uint64_t ticks)
{
  if (ticks > time->max || (ticks == time->max && comes_before(gathering, row, time->slowest)))
    time->slowest = row;
  if (ticks > time->max)
    time->max = ticks;
  if (ticks < time->min || (ticks == time->min && comes_before(gathering, row, time->fastest)))
    time->fastest = row;
  if (ticks < time->min)
    time->min = ticks;
  time->mean += (double)ticks;
  time->deviation += (double)ticks * (double)ticks;
}

static bool equal_program(const void *owner, uint32_t number, const void *key)
{
  const struct gathering *gathering = owner;
  const struct program *there = base_vector_at(&gathering->programs, number);
  return there->identity == *(const uint64_t *)key;
}

static const struct program *program_of(const struct gathering *gathering, uint32_t member)
{
  const uint64_t *identity = &gathering->identities[member];
  return base_vector_at(&gathering->programs,
                        out_idset_find(&gathering->program_set, *identity, gathering, identity, equal_program));
}

/* How many ranks the process of a row stands for, when rows are by rank. */
static uint32_t folded_ranks(const struct gathering *gathering, uint32_t member)
{
  const uint32_t count =
      gathering->imbalances->of_ranks
          ? out_process_rank_count(&out_profile_recording(&gathering->stats->profile, member)->process)
          : 0;
  return count > 1 ? count : 0;
}

/* Is what ranks that are one process spent each by itself what a row is about? It is known of whole functions and
 * signatures alone. */
static bool tells_ranks(const struct callsig_stats *stats)
{
  const struct out_grouping *grouping = &stats->grouping;
  const unsigned by = stats->by & ~(unsigned)(CALLSIG_BY_SIGNATURE | CALLSIG_BY_RANK);
  return by == CALLSIG_BY_FUNCTION && stats->frames == 0 && !grouping->selected_contexts &&
         !grouping->selected_threads && !grouping->selected_modules && !grouping->depths &&
         stats->compensating == OUT_COMPENSATE_SAMPLED && stats->only_process == 0;
}

/* A damaged recording may have any value, also one that is too large in another unit. Counts stay as they are. */
static uint64_t in_unit(uint64_t value, double unit)
{
  return unit == 1 ? value : out_ticks((double)value * unit);
}

/* What a value is over ranks, of which those without such calls have 0; `unit`: what it is counted in. */
static void take_value(struct out_imbalance_time *time, const struct out_rank_row *ranks, uint32_t quantity,
                       uint32_t count, double unit)
{
  const struct fmt_rec_rank_value *value = &ranks->values[quantity];
  const bool lacks = ranks->have < count;
  time->min = lacks ? 0 : in_unit(value->min, unit);
  time->max = in_unit(value->max, unit);
  time->mean = out_rank_value_mean(value, count) * unit;
  time->deviation = out_rank_value_deviation(value, count) * unit;
  time->slowest_rank = value->max_at;
  time->fastest_rank =
      !lacks || (value->min == 0 && value->min_at < ranks->first_lacking) ? value->min_at : ranks->first_lacking;
}

/* A row of a process that stands for ranks. */
static int add_folded(struct gathering *gathering, uint32_t number, uint32_t member, uint32_t count)
{
  const struct callsig_stats *stats = gathering->stats;
  const struct out_row_key *key = &out_rows_at(&stats->rows, number)->key;
  const bool by_signature = stats->by & CALLSIG_BY_SIGNATURE;
  const double unit = 1e-9 / stats->grouping.tick;
  if (!tells_ranks(stats) || (by_signature && stats->signature_merge.joined[key->what]))
    return 0;
  const struct out_rank_row *ranks =
      out_rank_row_find(&stats->profile, &gathering->rank_rows, member, key->what, by_signature);
  if (!ranks)
    return 0;
  struct out_imbalance *added = base_vector_add(&gathering->imbalances->list, 1);
  if (!added || !base_vector_add(&gathering->parts, 1))
    return -ENOMEM;
  *added = (struct out_imbalance){.row = number,
                                  .program = out_hash_mix(gathering->identities[member], member + 1u),
                                  .count = count,
                                  .is_folded = true};
  take_value(&added->own, ranks, FMT_RANK_OWN, count, unit);
  take_value(&added->cumulative, ranks, FMT_RANK_CUMULATIVE, count, unit);
  take_value(&added->calls, ranks, FMT_RANK_CALLS, count, 1);
  added->own.slowest = added->cumulative.slowest = added->calls.slowest = number;
  return 0;
}

/* A row that is shown: what it is part of is told. A row of a program that has one process is compared with nothing. */
static int place_row(struct gathering *gathering, uint32_t number, uint32_t member)
{
  const uint32_t folded = folded_ranks(gathering, member);
  if (folded > 0)
    return add_folded(gathering, number, member, folded);
  const struct program *program = program_of(gathering, member);
  if (program->members < 2 || find_imbalance(gathering, number, program) != FMT_NONE)
    return 0;
  return add_imbalance(gathering, number, program);
}

/* Any row, shown or not: it counts where others that it is put together with are shown. */
static int add_row(struct gathering *gathering, uint32_t number, uint32_t member)
{
  const struct out_row *row = out_rows_at(&gathering->stats->rows, number);
  const uint32_t at =
      folded_ranks(gathering, member) > 0 ? FMT_NONE : find_imbalance(gathering, number, program_of(gathering, member));
  if (at == FMT_NONE)
    return 0;
  struct out_imbalance *imbalance = base_vector_at(&gathering->imbalances->list, at);
  add_time(gathering, &imbalance->own, number, row->own);
  add_time(gathering, &imbalance->cumulative, number, row->cumulative);
  add_time(gathering, &imbalance->calls, number, row->calls);
  ++*(uint32_t *)base_vector_at(&gathering->parts, at);
  return 0;
}

static bool has_any_rank(const struct out_profile *profile)
{
  for (uint32_t i = 0; i < profile->recordings.count; i++)
    if (out_process_has_rank(profile, i))
      return true;
  return false;
}

/* Is it a process, or the first of a rank, to be counted? Those without a rank are none, unless none has one. */
static bool is_member(const struct gathering *gathering, uint32_t process, bool any_rank)
{
  return !gathering->imbalances->of_ranks || (gathering->stats->ranks[process] == process &&
                                              (!any_rank || out_process_has_rank(&gathering->stats->profile, process)));
}

/* Gives the rows that belong to a process or rank that is compared to `take`. */
static int each_row(struct gathering *gathering, const uint32_t *rows, uint32_t count,
                    int (*take)(struct gathering *gathering, uint32_t number, uint32_t member))
{
  const bool any_rank = has_any_rank(&gathering->stats->profile);
  int result = 0;
  for (uint32_t i = 0; i < count && result == 0; i++) {
    const uint32_t member = member_of(gathering->stats, gathering->imbalances, rows[i]);
    if (is_member(gathering, member, any_rank))
      result = take(gathering, rows[i], member);
  }
  return result;
}

static void finish_time(struct out_imbalance_time *time, uint32_t parts, uint32_t count)
{
  if (parts < count) {
    time->min = 0;
    time->fastest = FMT_NONE;
  }
  time->mean /= count;
  const double variance = time->deviation / count - time->mean * time->mean;
  time->deviation = variance > 0 ? sqrt(variance) : 0;
}

/* What rank and program a process has. */
struct part {
  uint32_t rank;
  uint64_t program;
};

struct parts {
  const uint32_t *ranks;
  const uint64_t *programs;
};

static bool equal_part(const void *owner, uint32_t number, const void *key)
{
  const struct parts *parts = owner;
  const struct part *wanted = key;
  return parts->ranks[number] == wanted->rank && parts->programs[number] == wanted->program;
}

/* By first process of a rank: which programs it runs, in whatever order and how often each. NULL: no memory. */
static uint64_t *identify_ranks(const struct callsig_stats *stats, const uint64_t *programs)
{
  const uint32_t count = stats->profile.recordings.count;
  const struct parts parts = {stats->ranks, programs};
  uint64_t *identities = calloc(count + 1u, sizeof *identities);
  struct out_idset set = {0};
  int result = identities ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < count && result == 0; i++) {
    const struct part part = {stats->ranks[i], programs[i]};
    const uint64_t hash = out_hash_mix(part.rank, part.program);
    if (out_idset_find(&set, hash, &parts, &part, equal_part) != FMT_NONE)
      continue;
    identities[part.rank] += out_hash_mix(1, part.program);
    result = out_idset_add(&set, hash, i);
  }
  out_idset_free(&set);
  if (result < 0) {
    free(identities);
    return NULL;
  }
  return identities;
}

static int identify(struct gathering *gathering)
{
  uint64_t *programs = out_process_programs(&gathering->stats->profile);
  gathering->identities = programs;
  if (programs && gathering->imbalances->of_ranks) {
    gathering->identities = identify_ranks(gathering->stats, programs);
    free(programs);
  }
  return gathering->identities ? 0 : -ENOMEM;
}

static int add_member(struct gathering *gathering, uint32_t member)
{
  const uint64_t *identity = &gathering->identities[member];
  const uint32_t folded = folded_ranks(gathering, member);
  if (folded > 0) {
    gathering->imbalances->programs++;
    gathering->imbalances->count += folded;
    return 0;
  }
  uint32_t number = out_idset_find(&gathering->program_set, *identity, gathering, identity, equal_program);
  int result = 0;
  if (number == FMT_NONE) {
    struct program *added = base_vector_add(&gathering->programs, 1);
    if (!added)
      return -ENOMEM;
    added->identity = *identity;
    number = gathering->programs.count - 1;
    result = out_idset_add(&gathering->program_set, *identity, number);
  }
  struct program *program = base_vector_at(&gathering->programs, number);
  gathering->imbalances->programs += ++program->members == 2;
  gathering->imbalances->count++;
  return result;
}

static int gather(struct gathering *gathering, const uint32_t *rows, uint32_t count)
{
  const struct out_profile *profile = &gathering->stats->profile;
  const bool any_rank = has_any_rank(profile);
  int result = identify(gathering);
  for (uint32_t i = 0; i < profile->recordings.count && result == 0; i++)
    if (is_member(gathering, i, any_rank))
      result = add_member(gathering, i);
  if (result == 0)
    result = each_row(gathering, rows, count, place_row);
  if (result == 0)
    result = each_row(gathering, gathering->stats->order, gathering->stats->listed, add_row);
  for (uint32_t i = 0; i < gathering->imbalances->list.count && result == 0; i++) {
    struct out_imbalance *imbalance = base_vector_at(&gathering->imbalances->list, i);
    if (imbalance->is_folded)
      continue;
    uint32_t parts = *(uint32_t *)base_vector_at(&gathering->parts, i);
    finish_time(&imbalance->own, parts, imbalance->count);
    finish_time(&imbalance->cumulative, parts, imbalance->count);
    finish_time(&imbalance->calls, parts, imbalance->count);
  }
  return result;
}

int out_imbalances_make(const struct callsig_stats *stats, const uint32_t *rows, uint32_t count,
                        struct out_imbalances *imbalances)
{
  *imbalances = (struct out_imbalances){.list = BASE_VECTOR_OF(struct out_imbalance),
                                        .of_ranks = !(stats->by & CALLSIG_BY_PROCESS) && stats->by & CALLSIG_BY_RANK};
  if (!(stats->by & (CALLSIG_BY_PROCESS | CALLSIG_BY_RANK)))
    return 0;
  struct gathering gathering = {.stats = stats,
                                .imbalances = imbalances,
                                .programs = BASE_VECTOR_OF(struct program),
                                .parts = BASE_VECTOR_OF(uint32_t)};
  int result = out_rank_rows_index(&stats->profile, &gathering.rank_rows);
  if (result == 0)
    result = gather(&gathering, rows, count);
  out_idset_free(&gathering.rank_rows);
  free(gathering.identities);
  base_vector_free(&gathering.programs);
  base_vector_free(&gathering.parts);
  out_idset_free(&gathering.program_set);
  out_idset_free(&gathering.set);
  return result;
}

const char *out_imbalance_program(const struct callsig_stats *stats, const struct out_imbalances *imbalances,
                                  const struct out_imbalance *imbalance)
{
  const uint32_t process = member_of(stats, imbalances, imbalance->row);
  return out_profile_string(&stats->profile, out_profile_recording(&stats->profile, process)->program);
}

const char *out_imbalance_where(const struct callsig_stats *stats, const struct out_imbalances *imbalances,
                                const struct out_imbalance *imbalance, const struct out_imbalance_time *time,
                                bool least, char buffer[24])
{
  const struct out_profile *profile = &stats->profile;
  const uint32_t row = least ? time->fastest : time->slowest;
  const int64_t rank = least ? time->fastest_rank : time->slowest_rank;
  if (imbalance->is_folded) {
    snprintf(buffer, 24, "%lld", (long long)rank);
    return rank == FMT_NO_RANK ? NULL : buffer;
  }
  if (row == FMT_NONE)
    return NULL;
  const struct out_row_key *key = &out_rows_at(&stats->rows, row)->key;
  return out_profile_string(profile, imbalances->of_ranks ? out_profile_recording(profile, key->rank)->rank_label
                                                          : out_profile_recording(profile, key->process)->label);
}
