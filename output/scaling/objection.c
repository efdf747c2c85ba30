/* Says why a time that varies has no law. */
#include "output/scaling/objection.h"

#include "output/scaling/figures.h"

/* What is wrong with the best law, behind its name. */
static void put_objection(struct out_text *text, const struct out_scaling_finding *finding)
{
  const struct out_fit *fit = &finding->verdict.fit;
  switch (finding->doubt) {
  case OUT_DOUBT_FEW_CALLS:
    out_text_printf(text, ", hangs on fewer than %d calls of the largest size", OUT_SCALING_TRIMMED);
    break;
  case OUT_DOUBT_CLOCK:
    out_text_puts(text, ", hangs on times below ");
    out_scaling_put_time(text, finding->near);
    out_text_puts(text, ", which are near the least that the clock reads");
    break;
  case OUT_DOUBT_SHARE:
    out_text_puts(text, ", makes up ");
    out_scaling_put_share(text, fit->share);
    out_text_puts(text, " of the time, which is too little at an error of ");
    out_scaling_put_percent(text, fit->left_out);
    break;
  case OUT_DOUBT_CACHES:
    out_text_puts(text, ", adds little to a call, and is not that of the shortest: caches do as much");
    break;
  case OUT_DOUBT_DISTURBED:
    out_text_puts(text, ", is not that of the shortest calls, ");
    out_law_name(&finding->calm, finding->names, text);
    out_text_puts(text, ", which --measure min takes");
    break;
  case OUT_DOUBT_APART:
    out_text_puts(text, ", is of means that grow apart from the shortest calls, and these bear no law");
    break;
  case OUT_DOUBT_ERROR:
    out_text_puts(text, ", is ");
    out_scaling_put_percent(text, fit->left_out);
    out_text_puts(text, " off, and above ");
    out_scaling_put_percent(text, OUT_SCALING_ERROR);
    out_text_puts(text, " is none");
    break;
  case OUT_DOUBT_NONE:
    break;
  }
}

void out_scaling_put_doubt(struct out_text *text, const struct out_scaling_analysis *analysis,
                           const struct out_scaling_finding *finding)
{
  const struct out_fit *fit = &finding->verdict.fit;
  const enum out_scaling_doubt doubt = finding->doubt;
  if (doubt == OUT_DOUBT_NONE) {
    out_text_puts(text, "the time varies by ");
    out_scaling_put_percent(text, fit->deviation);
    out_text_puts(text, ", and no law up to n^3 explains it");
  } else {
    out_text_puts(text, "the best law, ");
    out_law_name(&fit->law, finding->names, text);
    put_objection(text, finding);
  }
  /* Waits are among what these doubts may come from. */
  const bool may_be_waits =
      doubt == OUT_DOUBT_NONE || doubt == OUT_DOUBT_ERROR || doubt == OUT_DOUBT_DISTURBED || doubt == OUT_DOUBT_APART;
  if (may_be_waits && out_scaling_waits(analysis->profile) == OUT_WAITS_COUNT)
    out_text_puts(text, "; waiting counts, which --clock cpu leaves out");
}
