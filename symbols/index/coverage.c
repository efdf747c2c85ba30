#include "symbols/index/coverage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/index/report.h"

static const char *const lost_texts[SYM_LOST_COUNT] = {
    [SYM_LOST_NOT] = "read",
    [SYM_LOST_NO_PARAMETER] = "removed from this instance by the optimiser",
    [SYM_LOST_NO_LOCATION] = "without location and constant value",
    [SYM_LOST_NO_RANGE] = "nowhere at this point",
    [SYM_LOST_EMPTY] = "optimised out at this point",
    [SYM_LOST_ENTRY_VALUE] = "only its value on entry is known, and no caller tells it",
    [SYM_LOST_REGISTER] = "in a register that the hook does not see",
    [SYM_LOST_PIECE] = "a part of it is optimised out",
    [SYM_LOST_IMPLICIT_POINTER] = "points to an object that is no longer in memory",
    [SYM_LOST_NO_ADDRESS] = "not in memory, and its address is wanted",
    [SYM_LOST_OPERATION] = "an operation of its location is not supported",
    [SYM_LOST_TOO_LONG] = "its location is too long to evaluate in a hook",
    [SYM_LOST_FRAME_NUMBER] = "told as an address in the frame, which a number is not (a load is missing: clang 14)",
    [SYM_LOST_CORRUPT] = "its location cannot be read",
};

static const char *const source_texts[SYM_SOURCE_COUNT] = {
    [SYM_SOURCE_TYPE] = "by type alone", [SYM_SOURCE_REGISTER] = "register", [SYM_SOURCE_FRAME] = "frame",
    [SYM_SOURCE_CONSTANT] = "constant",  [SYM_SOURCE_COMPUTED] = "computed", [SYM_SOURCE_POINTER] = "through a pointer",
    [SYM_SOURCE_CALLER] = "via caller",
};

const char *sym_lost_text(enum sym_lost lost)
{
  return (unsigned)lost < SYM_LOST_COUNT ? lost_texts[lost] : "for an unknown reason";
}

int sym_report_new(const struct base_strings *strings, struct sym_planner *planner, struct sym_report **report)
{
  *report = calloc(1, sizeof **report);
  if (!*report)
    return -ENOMEM;
  (*report)->planner = planner;
  (*report)->strings = strings;
  return 0;
}

void sym_report_free(struct sym_report *report)
{
  if (!report)
    return;
  base_arena_free(&report->arena);
  free(report->sites);
  free(report);
}

int sym_report_add(struct sym_report *report, const struct sym_report_site *site)
{
  if (report->count == report->capacity) {
    size_t capacity = report->capacity ? report->capacity * 2 : 256;
    struct sym_report_site *sites = realloc(report->sites, capacity * sizeof *sites);
    if (!sites)
      return -ENOMEM;
    report->sites = sites;
    report->capacity = capacity;
  }
  struct sym_report_site *kept = &report->sites[report->count];
  *kept = *site;
  kept->file = base_arena_copy(&report->arena, site->file, strlen(site->file));
  kept->ops = base_arena_copy(&report->arena, site->ops, site->op_count * sizeof *site->ops);
  kept->lost = base_arena_copy(&report->arena, site->lost, site->plan ? site->plan->arg_count : 0);
  if (!kept->file || !kept->ops || !kept->lost)
    return -ENOMEM;
  report->count++;
  return 0;
}

static enum sym_source source_of_op(const struct fmt_op *op)
{
  switch (op->code) {
  case FMT_OP_EMIT_REG:
  case FMT_OP_EMIT_NULL_REG:
    return SYM_SOURCE_REGISTER;
  case FMT_OP_EMIT_FRAME:
  case FMT_OP_EMIT_NULL_FRAME:
    return SYM_SOURCE_FRAME;
  case FMT_OP_EMIT_CONST:
    return SYM_SOURCE_CONSTANT;
  default:
    return SYM_SOURCE_COMPUTED;
  }
}

static bool follows_pointer(const struct fmt_op *op)
{
  return op->code == FMT_OP_LOAD || op->code == FMT_OP_EMIT_STRING || op->code == FMT_OP_EMIT_STRING_N ||
         op->code == FMT_OP_EMIT_SPAN;
}

enum sym_source sym_source_of(const struct fmt_op *ops, uint32_t op_count, uint16_t arg)
{
  enum sym_source source = SYM_SOURCE_TYPE;
  for (uint32_t i = 0; i < op_count; i++) {
    if (ops[i].arg != arg)
      continue;
    if (ops[i].code == FMT_OP_ENTRY)
      return SYM_SOURCE_CALLER;
    if (follows_pointer(&ops[i]))
      source = SYM_SOURCE_POINTER;
    else if (source != SYM_SOURCE_POINTER)
      source = source_of_op(&ops[i]);
  }
  return source;
}

/* Sums over sites. */
struct sums {
  uint64_t functions, without_dwarf, sites, inlined;
  uint64_t sources[SYM_SOURCE_COUNT];
  uint64_t lost[SYM_LOST_COUNT];
};

static void add_site(const struct sym_report_site *site, struct sums *sums)
{
  sums->sites++;
  sums->inlined += site->inlined;
  sums->without_dwarf += !site->plan;
  for (uint16_t arg = 0; site->plan && arg < site->plan->arg_count; arg++) {
    if (site->lost[arg])
      sums->lost[site->lost[arg]]++;
    else
      sums->sources[sym_source_of(site->ops, site->op_count, arg)]++;
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
  uint64_t named = declared - sums->lost[SYM_LOST_NO_PARAMETER];
  uint64_t placed = named - sums->lost[SYM_LOST_NO_LOCATION];
  write_share(read, named, "parameters that the debug information of their instance names", out);
  write_share(read, placed, "that it also gives a location or a value, here or elsewhere in the instance", out);
  write_share(read, declared, "that are declared, those removed from inlined instances included", out);
}

int sym_report_coverage(struct sym_report *report, const char *module, FILE *out)
{
  struct sums sums = {0};
  for (size_t i = 0; i < report->count; i++)
    add_site(&report->sites[i], &sums);
  uint64_t read = 0, lost = 0;
  for (int i = SYM_SOURCE_TYPE + 1; i < SYM_SOURCE_COUNT; i++)
    read += sums.sources[i];
  for (int i = SYM_LOST_NOT + 1; i < SYM_LOST_COUNT; i++)
    lost += sums.lost[i];
  uint64_t all = read + lost;
  fprintf(out, "%s: %" PRIu64 " sites (%" PRIu64 " inlined), %" PRIu64 " parameters readable\n", module, sums.sites,
          sums.inlined, read);
  write_shares(&sums, read, all, out);
  fputs("  of those declared:\n", out);
  for (int i = SYM_SOURCE_TYPE + 1; i < SYM_SOURCE_COUNT; i++)
    if (sums.sources[i])
      fprintf(out, "  %10" PRIu64 "  %6.2f %%  %s\n", sums.sources[i], percent(sums.sources[i], all), source_texts[i]);
  for (int i = SYM_LOST_NOT + 1; i < SYM_LOST_COUNT; i++)
    if (sums.lost[i])
      fprintf(out, "  %10" PRIu64 "  %6.2f %%  lost: %s\n", sums.lost[i], percent(sums.lost[i], all), lost_texts[i]);
  if (sums.sources[SYM_SOURCE_TYPE])
    fprintf(out, "  %10" PRIu64 "            %s, not counted above\n", sums.sources[SYM_SOURCE_TYPE],
            source_texts[SYM_SOURCE_TYPE]);
  if (sums.without_dwarf)
    fprintf(out, "  %10" PRIu64 "            sites of functions without debug information\n", sums.without_dwarf);
  return ferror(out) ? -EIO : 0;
}
