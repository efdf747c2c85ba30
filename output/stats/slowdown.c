/* Estimates how many times as long a run took as the program alone. */
#include "output/stats/slowdown.h"

#include <math.h>

#include "output/beside/in_place.h"
#include "output/profile/edge_time.h"

/* The same hooks among the program's own instructions take several times what a loop of them does. */
static void correct_by_samples(struct out_slowdown *slowdown, const struct out_in_place_samples *samples,
                               double counting_share)
{
  const double own = (double)(samples->all - samples->hooks), hooks = (double)samples->hooks;
  *slowdown = (struct out_slowdown){(own + hooks) / own, (own + hooks * counting_share) / own, true};
}

struct out_slowdown out_slowdown(const struct out_profile *profile, uint32_t recording)
{
  const struct out_recording_info *info = out_profile_recording(profile, recording);
  const double whole = (double)(info->hook_inner + info->hook_outer) / 1024;
  const double price = (double)info->process.sample_price / 1024;
  const struct out_in_place_samples samples = out_in_place_of_recording(profile, info);
  struct out_slowdown slowdown = {NAN, NAN, false};
  double calls = 0, untimed = 0, time = 0;
  if (!(info->flags & FMT_REC_SAMPLED) && samples.all <= samples.hooks)
    return slowdown;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    /* What leads to the root is no call, and has the outermost ones as its children. */
    if (out_profile_thread(profile, edge->thread)->recording != recording || !out_profile_is_call(profile, edge->to))
      continue;
    time += (double)out_edge_total(profile, edge) - (double)edge->children;
    calls += (double)out_edge_calls(profile, edge);
    untimed += (double)out_edge_sampling(profile, edge).untimed;
  }
  const double hooks = calls * whole - untimed * price, counting = calls * (whole - price), own = time - hooks;
  if (info->flags & FMT_REC_SAMPLED && whole > price && own > 0)
    slowdown = (struct out_slowdown){time / own, (own + counting) / own, false};
  if (samples.all > samples.hooks)
    correct_by_samples(&slowdown, &samples, whole > price && hooks > 0 ? counting / hooks : NAN);
  return slowdown;
}
