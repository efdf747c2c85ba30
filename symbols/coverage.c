#include "coverage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static const char *const lost_texts[CS_LOST_COUNT] = {
    [CS_LOST_NOT] = "read",
    [CS_LOST_NO_PARAMETER] = "removed from this instance by the optimiser",
    [CS_LOST_NO_LOCATION] = "without location and constant value",
    [CS_LOST_NO_RANGE] = "nowhere at this point",
    [CS_LOST_EMPTY] = "optimised out at this point",
    [CS_LOST_ENTRY_VALUE] = "only its value on entry is known, and no caller tells it",
    [CS_LOST_REGISTER] = "in a register that the hook does not see",
    [CS_LOST_PIECE] = "a part of it is optimised out",
    [CS_LOST_IMPLICIT_POINTER] = "points to an object that is no longer in memory",
    [CS_LOST_NO_ADDRESS] = "not in memory, and its address is wanted",
    [CS_LOST_OPERATION] = "an operation of its location is not supported",
    [CS_LOST_TOO_LONG] = "its location is too long to evaluate in a hook",
    [CS_LOST_FRAME_NUMBER] = "told as an address in the frame, which a number is not (a load is missing: clang 14)",
    [CS_LOST_CORRUPT] = "its location cannot be read",
};

static const char *const source_texts[CS_SOURCE_COUNT] = {
    [CS_SOURCE_TYPE] = "by type alone", [CS_SOURCE_REGISTER] = "register", [CS_SOURCE_FRAME] = "frame",
    [CS_SOURCE_CONSTANT] = "constant",  [CS_SOURCE_COMPUTED] = "computed", [CS_SOURCE_POINTER] = "through a pointer",
    [CS_SOURCE_CALLER] = "via caller",
};

const char *cs_lost_text(enum cs_lost lost)
{
  return (unsigned)lost < CS_LOST_COUNT ? lost_texts[lost] : "for an unknown reason";
}

int cs_report_new(const struct cs_strings *strings, struct cs_planner *planner, struct cs_report **report)
{
  *report = calloc(1, sizeof **report);
  if (!*report)
    return -ENOMEM;
  (*report)->planner = planner;
  (*report)->strings = strings;
  return 0;
}

void cs_report_free(struct cs_report *report)
{
  if (!report)
    return;
  cs_arena_free(&report->arena);
  free(report->sites);
  free(report);
}

int cs_report_add(struct cs_report *report, const struct cs_report_site *site)
{
  if (report->count == report->capacity) {
    size_t capacity = report->capacity ? report->capacity * 2 : 256;
    struct cs_report_site *sites = realloc(report->sites, capacity * sizeof *sites);
    if (!sites)
      return -ENOMEM;
    report->sites = sites;
    report->capacity = capacity;
  }
  struct cs_report_site *kept = &report->sites[report->count];
  *kept = *site;
  kept->file = cs_arena_copy(&report->arena, site->file, strlen(site->file));
  kept->ops = cs_arena_copy(&report->arena, site->ops, site->op_count * sizeof *site->ops);
  kept->lost = cs_arena_copy(&report->arena, site->lost, site->plan ? site->plan->arg_count : 0);
  if (!kept->file || !kept->ops || !kept->lost)
    return -ENOMEM;
  report->count++;
  return 0;
}

static enum cs_source source_of_op(const struct cs_op *op)
{
  switch (op->code) {
  case CS_OP_EMIT_REG:
  case CS_OP_EMIT_NULL_REG:
    return CS_SOURCE_REGISTER;
  case CS_OP_EMIT_FRAME:
  case CS_OP_EMIT_NULL_FRAME:
    return CS_SOURCE_FRAME;
  case CS_OP_EMIT_CONST:
    return CS_SOURCE_CONSTANT;
  default:
    return CS_SOURCE_COMPUTED;
  }
}

static bool follows_pointer(const struct cs_op *op)
{
  return op->code == CS_OP_LOAD || op->code == CS_OP_EMIT_STRING || op->code == CS_OP_EMIT_STRING_N ||
         op->code == CS_OP_EMIT_SPAN;
}

enum cs_source cs_source_of(const struct cs_op *ops, uint32_t op_count, uint16_t arg)
{
  enum cs_source source = CS_SOURCE_TYPE;
  for (uint32_t i = 0; i < op_count; i++) {
    if (ops[i].arg != arg)
      continue;
    if (ops[i].code == CS_OP_ENTRY)
      return CS_SOURCE_CALLER;
    if (follows_pointer(&ops[i]))
      source = CS_SOURCE_POINTER;
    else if (source != CS_SOURCE_POINTER)
      source = source_of_op(&ops[i]);
  }
  return source;
}

/* Sums over sites. */
struct sums {
  uint64_t functions, without_dwarf, sites, inlined;
  uint64_t sources[CS_SOURCE_COUNT];
  uint64_t lost[CS_LOST_COUNT];
};

static void add_site(const struct cs_report_site *site, struct sums *sums)
{
  sums->sites++;
  sums->inlined += site->inlined;
  sums->without_dwarf += !site->plan;
  for (uint16_t arg = 0; site->plan && arg < site->plan->arg_count; arg++) {
    if (site->lost[arg])
      sums->lost[site->lost[arg]]++;
    else
      sums->sources[cs_source_of(site->ops, site->op_count, arg)]++;
  }
}

static double percent(uint64_t part, uint64_t whole)
{
  return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* One share of the parameters: how many of those that `whole` counts are read. */
static void write_share(uint64_t read, uint64_t whole, const char *of, FILE *out)
{
  fprintf(out, "  %6.2f %% readable of %" PRIu64 " %s\n", percent(read, whole), whole, of);
}

/* The three measures differ in what they hold the compiler to account for. */
static void write_shares(const struct sums *sums, uint64_t read, uint64_t declared, FILE *out)
{
  uint64_t named = declared - sums->lost[CS_LOST_NO_PARAMETER];
  uint64_t placed = named - sums->lost[CS_LOST_NO_LOCATION];
  write_share(read, named, "parameters that the debug information of their instance names", out);
  write_share(read, placed, "that it also gives a location or a value, here or elsewhere in the instance", out);
  write_share(read, declared, "that are declared, those removed from inlined instances included", out);
}

int cs_report_coverage(struct cs_report *report, const char *module, FILE *out)
{
  struct sums sums = {0};
  for (size_t i = 0; i < report->count; i++)
    add_site(&report->sites[i], &sums);
  uint64_t read = 0, lost = 0;
  for (int i = CS_SOURCE_TYPE + 1; i < CS_SOURCE_COUNT; i++)
    read += sums.sources[i];
  for (int i = CS_LOST_NOT + 1; i < CS_LOST_COUNT; i++)
    lost += sums.lost[i];
  uint64_t all = read + lost;
  fprintf(out, "%s: %" PRIu64 " sites (%" PRIu64 " inlined), %" PRIu64 " parameters readable\n", module, sums.sites,
          sums.inlined, read);
  write_shares(&sums, read, all, out);
  fputs("  of those declared:\n", out);
  for (int i = CS_SOURCE_TYPE + 1; i < CS_SOURCE_COUNT; i++)
    if (sums.sources[i])
      fprintf(out, "  %10" PRIu64 "  %6.2f %%  %s\n", sums.sources[i], percent(sums.sources[i], all), source_texts[i]);
  for (int i = CS_LOST_NOT + 1; i < CS_LOST_COUNT; i++)
    if (sums.lost[i])
      fprintf(out, "  %10" PRIu64 "  %6.2f %%  lost: %s\n", sums.lost[i], percent(sums.lost[i], all), lost_texts[i]);
  if (sums.sources[CS_SOURCE_TYPE])
    fprintf(out, "  %10" PRIu64 "            %s, not counted above\n", sums.sources[CS_SOURCE_TYPE],
            source_texts[CS_SOURCE_TYPE]);
  if (sums.without_dwarf)
    fprintf(out, "  %10" PRIu64 "            sites of functions without debug information\n", sums.without_dwarf);
  return ferror(out) ? -EIO : 0;
}
