/* The verdict over ranks. */
#include "output/report/balance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/mpi_waits.h"
#include "output/report/table_writer.h"
#include "output/stats/imbalance.h"

/* Rows whose balance would gain most. */
enum { BEST = 3 };

/* One that takes longest in some rows. */
struct straggler {
  int64_t rank;
  uint32_t rows;
  double cost;
};

struct balance {
  struct out_table table;
  struct out_imbalances imbalances;
  uint64_t program; /* whose ranks are compared */
  uint32_t count;   /* of these */
  uint32_t best[BEST], best_count;
  struct base_vector stragglers; /* struct straggler */
  uint32_t rows;                 /* that some rank takes longer in */
  double cost;                   /* of all of them, in ticks */
  bool has_waits; /* calls of MPI are rows, so that what ranks wait there is in no other row's own time */
  struct lateness {
    double calls;  /* that ranks make together, of which it is known who came last; 0: of none */
    uint64_t most; /* of these, how many one rank came last to ... */
    int64_t rank;  /* ... and which */
  } lateness;
};

static const struct out_imbalance *imbalance_at(const struct balance *balance, uint32_t number)
{
  return base_vector_at(&balance->imbalances.list, number);
}

/* Is the name of an action this one? */
static bool is_named(const char *name, const char *action)
{
  const size_t length = strlen(action);
  return strlen(name) == length + 2 && strncmp(name + 1, action, length) == 0;
}

/* Is it the name of an action below a call of MPI, which waits? */
static bool is_wait(const char *name)
{
  static const char *const waits[] = {FMT_MPI_LATE_SENDER, FMT_MPI_LATE_RECEIVER, FMT_MPI_LATE_RANKS,
                                      FMT_MPI_LATE_ROOT,   FMT_MPI_LATE_UNLOCK,   FMT_MPI_CAME_LAST};
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
    if (is_named(name, waits[i]))
      return true;
  return false;
}

/* The rank with the most of it. */
static int64_t rank_of_most(const struct balance *balance, const struct out_imbalance *imbalance,
                            const struct out_imbalance_time *time)
{
  const struct callsig_stats *stats = balance->table.stats;
  if (imbalance->is_folded)
    return time->slowest_rank;
  const uint32_t first = out_rows_at(&stats->rows, time->slowest)->key.rank;
  return out_profile_recording(&stats->profile, first)->process.rank;
}

static int64_t slowest_rank(const struct balance *balance, const struct out_imbalance *imbalance)
{
  return rank_of_most(balance, imbalance, &imbalance->own);
}

/* In a call of MPI ranks wait for each other: who is longest there is who waits, and not who is waited for. That one is
 * noted, where it is told. */
static bool is_waiting(struct balance *balance, const struct out_imbalance *imbalance)
{
  const struct callsig_stats *stats = balance->table.stats;
  const struct out_known_function *function =
      out_row_function(&balance->table.names, &out_rows_at(&stats->rows, imbalance->row)->key);
  const char *name = function ? out_profile_string(&stats->profile, function->name) : "";
  if (!function || !function->is_action)
    return strncmp(name, "MPI_", 4) == 0 || strncmp(name, "PMPI_", 5) == 0 || strncmp(name, "mpi_", 4) == 0;
  if (is_named(name, FMT_MPI_CAME_LAST))
    balance->lateness = (struct lateness){.calls = imbalance->calls.mean * imbalance->count,
                                          .most = imbalance->calls.max,
                                          .rank = rank_of_most(balance, imbalance, &imbalance->calls)};
  return is_wait(name);
}

static int add_straggler(struct balance *balance, const struct out_imbalance *imbalance)
{
  const int64_t rank = slowest_rank(balance, imbalance);
  struct straggler *straggler = NULL;
  for (uint32_t i = 0; i < balance->stragglers.count && !straggler; i++) {
    straggler = base_vector_at(&balance->stragglers, i);
    straggler = straggler->rank == rank ? straggler : NULL;
  }
  if (!straggler) {
    straggler = base_vector_add(&balance->stragglers, 1);
    if (!straggler)
      return -ENOMEM;
    *straggler = (struct straggler){.rank = rank};
  }
  straggler->rows++;
  straggler->cost += out_imbalance_cost(&imbalance->own, imbalance->count);
  return 0;
}

/* Keeps the rows with the largest gain, the first ones of equals. */
static void keep_best(struct balance *balance, uint32_t number)
{
  const double gain = out_imbalance_gain(&imbalance_at(balance, number)->own);
  uint32_t at = balance->best_count < BEST ? balance->best_count++ : BEST;
  for (; at > 0 && gain > out_imbalance_gain(&imbalance_at(balance, balance->best[at - 1])->own); at--)
    if (at < BEST)
      balance->best[at] = balance->best[at - 1];
  if (at < BEST)
    balance->best[at] = number;
}

static int gather(struct balance *balance)
{
  int result = 0;
  balance->best_count = balance->rows = balance->stragglers.count = 0;
  balance->cost = 0;
  balance->has_waits = false;
  balance->lateness = (struct lateness){.calls = 0};
  for (uint32_t i = 0; i < balance->imbalances.list.count && result == 0; i++) {
    const struct out_imbalance *imbalance = imbalance_at(balance, i);
    if (imbalance->program != balance->program)
      continue;
    if (is_waiting(balance, imbalance)) {
      balance->has_waits = true;
      continue;
    }
    if (out_imbalance_cost(&imbalance->own, imbalance->count) <= 0)
      continue;
    balance->rows++;
    balance->cost += out_imbalance_cost(&imbalance->own, imbalance->count);
    keep_best(balance, i);
    result = add_straggler(balance, imbalance);
  }
  return result;
}

static int put_row(struct balance *balance, const struct out_imbalance *imbalance)
{
  struct out_table *table = &balance->table;
  const double tick = table->stats->grouping.tick;
  struct out_row_key key = out_rows_at(&table->stats->rows, imbalance->row)->key;
  key.process = key.rank = FMT_NONE;
  out_text_clear(&table->line);
  out_put_time(&table->line, out_imbalance_cost(&imbalance->own, imbalance->count) * tick, table->unit);
  out_put_time(&table->line, out_imbalance_gain(&imbalance->own) * tick, table->unit);
  out_text_printf(&table->line, "%8.1f%% ", out_imbalance_percent(&imbalance->own, imbalance->count));
  out_table_put_key(table, &key);
  out_text_printf(&table->line, " [max: rank %lld]", (long long)slowest_rank(balance, imbalance));
  return out_table_put_line(table);
}

static int put_heading(struct balance *balance)
{
  struct out_table *table = &balance->table;
  const int width = out_time_width(table->unit);
  out_text_clear(&table->line);
  out_text_printf(&table->line, "   What %u ranks wait for each other", balance->count);
  if (balance->imbalances.programs > 1) {
    const char *path =
        out_imbalance_program(table->stats, &balance->imbalances, imbalance_at(balance, balance->best[0]));
    const char *slash = strrchr(path, '/');
    out_text_printf(&table->line, ", of %s", slash ? slash + 1 : *path ? path : "?");
  }
  out_text_puts(&table->line, ": the rows whose balance would gain most, by internal time\n");
  int result = out_table_put_whole_line(table);
  if (result < 0)
    return result;
  out_text_clear(&table->line);
  out_text_printf(&table->line, "%*s %*s imbalance filename:lineno(function)", width, "cost", width, "gain");
  return out_table_put_line(table);
}

/* Who is waited for, and whether it is always the same one. */
static int put_stragglers(struct balance *balance)
{
  struct out_table *table = &balance->table;
  const struct straggler *worst = base_vector_at(&balance->stragglers, 0);
  for (uint32_t i = 1; i < balance->stragglers.count; i++) {
    const struct straggler *straggler = base_vector_at(&balance->stragglers, i);
    if (straggler->cost > worst->cost)
      worst = straggler;
  }
  out_text_clear(&table->line);
  out_text_printf(
      &table->line,
      "\n   rank %lld takes longest in %u of %u rows that differ, which have %.0f%% of what all of them cost",
      (long long)worst->rank, worst->rows, balance->rows, 100 * worst->cost / balance->cost);
  if (balance->stragglers.count > 1)
    out_text_printf(&table->line, "; %u %s in others", balance->stragglers.count - 1,
                    balance->stragglers.count > 2 ? "ranks do" : "rank does");
  const struct lateness *lateness = &balance->lateness;
  if (lateness->calls > 0)
    out_text_printf(
        &table->line,
        "\n   rank %lld came last to %llu of %.0f calls that ranks make together, more often than any other\n",
        (long long)lateness->rank, (unsigned long long)lateness->most, lateness->calls);
  else
    out_text_puts(&table->line, "\n   whether it is so at all times is unknown: recordings tell of their whole time\n");
  out_text_puts(&table->line, balance->has_waits
                                  ? "   what ranks wait in calls of MPI is in rows of its own, which are left out\n"
                                  : "   what ranks wait in calls of MPI counts for the functions that call it: rows "
                                    "that do are not to be believed\n");
  return out_table_put_whole_line(table);
}

static int print_program(struct balance *balance)
{
  int result = gather(balance);
  if (result < 0 || balance->best_count == 0)
    return result;
  result = put_heading(balance);
  for (uint32_t i = 0; i < balance->best_count && result == 0; i++)
    result = put_row(balance, imbalance_at(balance, balance->best[i]));
  return result == 0 ? put_stragglers(balance) : result;
}

static bool is_first_of_program(const struct balance *balance, uint32_t number)
{
  for (uint32_t i = 0; i < number; i++)
    if (imbalance_at(balance, i)->program == imbalance_at(balance, number)->program)
      return false;
  return true;
}

int out_balance_print(struct callsig_stats *stats, FILE *out)
{
  const unsigned by = stats->by & ~(unsigned)(CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE);
  struct balance balance = {.stragglers = BASE_VECTOR_OF(struct straggler)};
  if (by != CALLSIG_BY_RANK || !(stats->by & CALLSIG_BY_FUNCTION))
    return 0;
  int result = out_stats_prepare(stats);
  if (result < 0)
    return result;
  /* Not opened: notes are on the table that was opened last. */
  balance.table =
      (struct out_table){.stats = stats, .out = out, .unit = stats->style.unit, .names = out_stats_names(stats)};
  out_width_init(&balance.table.cells);
  result = out_imbalances_make(stats, stats->order, stats->listed, &balance.imbalances);
  for (uint32_t i = 0; i < balance.imbalances.list.count && result == 0; i++) {
    if (!is_first_of_program(&balance, i))
      continue;
    balance.program = imbalance_at(&balance, i)->program;
    balance.count = imbalance_at(&balance, i)->count;
    result = print_program(&balance);
  }
  out_imbalances_free(&balance.imbalances);
  base_vector_free(&balance.stragglers);
  return out_table_close(&balance.table, result);
}
