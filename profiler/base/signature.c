/*
 * How many words each arg of a signature takes.
 */
#include "profiler/base/signature.h"

uint32_t prof_signature_arg_words(const struct fmt_index_arg *arg, unsigned state, const uint64_t *word)
{
  if (state == FMT_STATE_LOG2)
    return 1;
  if (state != FMT_STATE_READ)
    return 0;
  const uint64_t size = ~((uint64_t)1 << 63);
  switch (arg->kind) {
  case FMT_ARG_VALUE:
  case FMT_ARG_NULLNESS:
  case FMT_ARG_BUCKET_LOG2:
  case FMT_ARG_BUCKET_RANGE:
  case FMT_ARG_FLOAT:
    return 1;
  case FMT_ARG_STRING:
    return 1 + (*word == UINT64_MAX ? 0 : (uint32_t)(((*word & size) + 7) / 8));
  case FMT_ARG_SPAN:
    return 1 + (uint32_t)(*word & size);
  default:
    return 0;
  }
}
