/* Tells what the hooks of an edge's calls cost. */
#include "output/sampling/hook_cost.h"

#include <math.h>

#include "output/profile/edge_time.h"

#define PARTS 1024.0 /* of a tick, in which the header has costs */

struct out_spared out_hooks_spared(const struct out_recording_info *info)
{
  uint64_t whole = info->hook_outer > UINT64_MAX - info->hook_inner ? UINT64_MAX : info->hook_inner + info->hook_outer;
  /* Counting takes no less than nothing. */
  uint64_t all = info->process.sample_price < whole ? info->process.sample_price : whole;
  return (struct out_spared){.all = all, .callee = all < info->hook_inner ? all : info->hook_inner};
}

struct out_hook_cost out_hook_cost(const struct out_profile *profile, const struct out_edge *edge)
{
  const struct out_recording_info *info =
      out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording);
  const struct out_edge_sampling sampling = out_edge_sampling(profile, edge);
  const struct out_spared spared = out_hooks_spared(info);
  const double timed = (double)sampling.timed, untimed = (double)sampling.untimed;
  const double inner = (double)info->hook_inner, outer = (double)info->hook_outer;
  return (struct out_hook_cost){.callee = (timed * inner + untimed * (inner - (double)spared.callee)) / PARTS,
                                .caller =
                                    (timed * outer + untimed * (outer - (double)(spared.all - spared.callee))) / PARTS +
                                    (double)edge->overhead};
}

/* Of a call about as short as what goes on beside it the clock tells nothing: it took so much of what it reads. */
#define SHORTEST_PART 0.25

double out_hooks_hidden(const struct out_profile *profile, const struct out_edge *edge)
{
  const struct fmt_rec_process *process =
      &out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording)->process;
  const struct out_edge_sampling sampling = out_edge_sampling(profile, edge);
  const double calls = (double)sampling.timed + (double)sampling.untimed;
  const double hidden = (double)process->hook_hidden / PARTS, floor = (double)process->hook_floor / PARTS;
  if (!(calls > 0) || !(floor > 0))
    return 0;
  /* Two things that go on side by side take about the root of the sum of their squares: the longer one, where they
   * differ by much. */
  const double left = ((double)out_edge_total(profile, edge) - out_hook_cost(profile, edge).callee) / calls;
  const double read = fmax(left + hidden, 0);
  const double worked = sqrt(fmax(read * read - floor * floor, 0));
  return calls * (fmax(worked, SHORTEST_PART * read) - left);
}

/* Hooks took no more than so many times what they were calibrated to. */
#define DEAREST_HOOKS 8.0

double out_guess_error(double taken, double left)
{
  return fmax(taken, fmin(left, (DEAREST_HOOKS - 1) * taken));
}
