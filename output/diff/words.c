/* The words for verdicts and metrics that all formats use. */
#include "output/diff/print.h"

const char *callsig_diff_verdict_name(unsigned verdict)
{
  static const char *const names[] = {
      [CALLSIG_DIFF_SAME] = "same",         [CALLSIG_DIFF_SLOWER] = "slower", [CALLSIG_DIFF_FASTER] = "faster",
      [CALLSIG_DIFF_CHANGED] = "changed",   [CALLSIG_DIFF_ADDED] = "new",     [CALLSIG_DIFF_GONE] = "gone",
      [CALLSIG_DIFF_UNJUDGED] = "unjudged",
  };
  return verdict < sizeof names / sizeof names[0] ? names[verdict] : NULL;
}

const char *out_diff_metric_name(enum callsig_diff_metric metric)
{
  static const char *const names[] = {
      [CALLSIG_DIFF_TOTTIME] = "tottime",
      [CALLSIG_DIFF_CUMTIME] = "cumtime",
      [CALLSIG_DIFF_PERCALL] = "tottime per call",
  };
  return names[metric];
}
