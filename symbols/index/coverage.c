/*
 * The text of --coverage: sums over all sites of what is read, from where, and why the rest is lost.
 */
#include "symbols/index/coverage.h"

#include <errno.h>
#include <inttypes.h>

#include "base/printable.h"
#include "symbols/capture/lost.h"
#include "symbols/capture/value_source.h"

static const char *const source_texts[SYM_SOURCE_COUNT] = {
    [SYM_SOURCE_TYPE] = "by type alone", [SYM_SOURCE_REGISTER] = "register", [SYM_SOURCE_FRAME] = "frame",
    [SYM_SOURCE_CONSTANT] = "constant",  [SYM_SOURCE_COMPUTED] = "computed", [SYM_SOURCE_POINTER] = "through a pointer",
    [SYM_SOURCE_CALLER] = "via caller",
};

/* Sums over sites. */
struct sums {
  uint64_t functions, without_dwarf, without_parameters, thunks, sites, inlined;
  uint64_t sources[SYM_SOURCE_COUNT];
  uint64_t lost[SYM_LOST_COUNT];
};

static void add_site(const struct sym_report_site *site, struct sums *sums)
{
  sums->sites++;
  sums->inlined += site->inlined;
  sums->without_dwarf += !site->plan;
  sums->thunks += site->plan && site->plan->is_thunk;
  sums->without_parameters += site->plan && site->plan->flags & FMT_FUNCTION_NO_DWARF && !site->plan->is_thunk;
  for (uint16_t arg = 0; site->plan && arg < site->plan->arg_count; arg++) {
    if (site->plan->args[arg].arg.flags & FMT_ARG_RETURN)
      continue;
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
  uint64_t passed = named;
  for (int i = 0; i < SYM_LOST_COUNT; i++)
    passed -= sym_lost_is_removed((enum sym_lost)i) && i != SYM_LOST_NO_PARAMETER ? sums->lost[i] : 0;
  write_share(read, named, "parameters that the debug information of their instance names", out);
  write_share(read, passed, "that it also has a use for: without those that are not passed or unused", out);
  write_share(read, declared, "that are declared, those removed from inlined instances included", out);
}

int sym_report_coverage(const struct sym_report *report, const char *module, FILE *out)
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
  base_print(out, "%s: %" PRIu64 " sites (%" PRIu64 " inlined), %" PRIu64 " parameters readable\n", module, sums.sites,
             sums.inlined, read);
  write_shares(&sums, read, all, out);
  fputs("  of those declared:\n", out);
  for (int i = SYM_SOURCE_TYPE + 1; i < SYM_SOURCE_COUNT; i++)
    if (sums.sources[i])
      fprintf(out, "  %10" PRIu64 "  %6.2f %%  %s\n", sums.sources[i], percent(sums.sources[i], all), source_texts[i]);
  for (int i = SYM_LOST_NOT + 1; i < SYM_LOST_COUNT; i++)
    if (sums.lost[i])
      fprintf(out, "  %10" PRIu64 "  %6.2f %%  %s: %s\n", sums.lost[i], percent(sums.lost[i], all),
              sym_lost_is_removed((enum sym_lost)i) ? "not passed or unused" : "lost", sym_lost_text((enum sym_lost)i));
  if (sums.sources[SYM_SOURCE_TYPE])
    fprintf(out, "  %10" PRIu64 "            %s, not counted above\n", sums.sources[SYM_SOURCE_TYPE],
            source_texts[SYM_SOURCE_TYPE]);
  if (sums.without_dwarf)
    fprintf(out, "  %10" PRIu64 "            sites of functions without debug information\n", sums.without_dwarf);
  if (sums.without_parameters)
    fprintf(out, "  %10" PRIu64 "            sites of functions whose debug information has no parameters (-g1)\n",
            sums.without_parameters);
  if (sums.thunks)
    fprintf(out, "  %10" PRIu64 "            sites of thunks whose debug information has no parameters\n", sums.thunks);
  return ferror(out) ? -EIO : 0;
}
