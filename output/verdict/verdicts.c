/* Makes each pipeline's verdict and forecast while they are printed. */
#include "output/verdict/verdicts.h"

#include "callsig/stats.h"

int out_verdicts_each(const struct callsig_pipeline *pipeline, const struct base_vector *asked, out_verdict_fn *print,
                      void *data)
{
  struct callsig_stats *stats = NULL;
  struct out_bottleneck bottleneck;
  struct out_forecast forecast;
  uint32_t stage = 0, queue = 0;
  uint64_t steps = pipeline->forecast_steps;
  int result;
  while ((result = out_bottleneck_next(pipeline, &stage, &queue, &bottleneck)) > 0) {
    result = out_forecast_make(pipeline, &bottleneck, asked, &steps, &forecast);
    if (result == 0) {
      result = print(data, pipeline, &bottleneck, &forecast, &stats);
      out_forecast_free(&forecast);
    }
    out_bottleneck_free(&bottleneck);
    if (result < 0)
      break;
  }
  callsig_stats_free(stats);
  return result;
}
