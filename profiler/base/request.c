/*
 * Where requests to the process are looked for.
 */
#include "profiler/base/request.h"

static const uint64_t nothing;

struct prof_request prof_request = {.asked = &nothing};

void prof_request_begin(struct fmt_rec_header *header, enum fmt_request first)
{
  if (first != FMT_REQUEST_NONE)
    header->request = UINT64_C(1) << FMT_REQUEST_SHIFT | (uint64_t)first;
  __atomic_store_n(&prof_request.taken, header->taken, __ATOMIC_RELAXED);
  __atomic_store_n(&prof_request.asked, &header->request, __ATOMIC_RELEASE);
}

void prof_request_forget(void)
{
  __atomic_store_n(&prof_request.asked, &nothing, __ATOMIC_RELEASE);
  __atomic_store_n(&prof_request.taken, 0, __ATOMIC_RELEASE);
}
