/* Reads the samples of a run that was sampled beside the recorded one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/profile/load.h"

/* More would not be a time of any run. */
#define MOST_TICKS   0x1p60
#define MOST_SECONDS 1e9

/* A copy of the places, which the file's next piece would replace. NULL when there are not so many, or memory is short:
 * *result says which. */
static struct fmt_rec_place *copy_places(struct out_loader *loader, uint64_t address, uint32_t count, int *result)
{
  uint64_t size = (uint64_t)count * sizeof(struct fmt_rec_place);
  const void *bytes =
      out_recording_spend(loader->recording, size) ? out_recording_bytes(loader->recording, address, size) : NULL;
  struct fmt_rec_place *copy = bytes ? malloc(size + 1) : NULL;
  *result = bytes && !copy ? -ENOMEM : 0;
  if (copy)
    memcpy(copy, bytes, size);
  return copy;
}

/* Samples are all somewhere, and stand for a time that a run can take. */
static bool make_sense(const struct fmt_rec_samples *head, const struct fmt_rec_place *places, double tick)
{
  uint64_t left = head->samples;
  if (head->unmapped > left)
    return false;
  left -= head->unmapped;
  for (uint32_t i = 0; i < head->count; i++) {
    if (places[i].samples > left || (places[i].parent != FMT_NONE && places[i].parent >= i))
      return false;
    left -= places[i].samples;
  }
  double seconds = ((double)head->samples + (double)head->others) * (double)head->period / 1024e9;
  return left == 0 && seconds < MOST_SECONDS && seconds < MOST_TICKS * tick;
}

static int add_places(struct out_loader *loader, const struct fmt_rec_place *places, uint32_t count)
{
  int result = 0;
  for (uint32_t i = 0; i < count && result == 0; i++) {
    struct out_place place = {
        .line = places[i].line, .parent = places[i].parent, .row = FMT_NONE, .samples = places[i].samples};
    result = out_load_name(loader, places[i].name, "?", &place.name);
    if (result == 0 && places[i].file)
      result = out_load_name(loader, places[i].file, "?", &place.file);
    struct out_place *added = result == 0 ? base_vector_add(&loader->profile->places, 1) : NULL;
    if (!added)
      return -ENOMEM;
    *added = place;
  }
  return 0;
}

/* The samples whose head is `head`, at `address`, as number *sampled of profile.sampled_runs; FMT_NONE when they make
 * no sense. */
static int load_run(struct out_loader *loader, uint64_t address, const struct fmt_rec_samples *head, double tick,
                    uint32_t *sampled)
{
  struct out_profile *profile = loader->profile;
  struct out_sampled_run run = {.head = *head,
                                .first = profile->places.count,
                                .count = head->count,
                                .is_applied = (loader->recording->header.flags & FMT_REC_MERGED) != 0};
  int result;
  struct fmt_rec_place *places = copy_places(loader, address + sizeof *head, head->count, &result);
  *sampled = FMT_NONE;
  if (result == 0 && (!places || !make_sense(head, places, tick))) {
    loader->recording->damaged++;
    free(places);
    return 0;
  }
  if (result == 0)
    result = out_load_name(loader, head->program, "?", &run.program);
  if (result == 0)
    result = add_places(loader, places, head->count);
  free(places);
  struct out_sampled_run *added = result == 0 ? base_vector_add(&profile->sampled_runs, 1) : NULL;
  if (!added)
    return -ENOMEM;
  *added = run;
  *sampled = profile->sampled_runs.count - 1;
  return 0;
}

int out_load_samples(struct out_loader *loader)
{
  struct base_vector list = BASE_VECTOR_OF(uint64_t);
  struct fmt_rec_samples head;
  uint64_t address = loader->recording->header.samples;
  int result;
  while ((result = out_recording_next(loader->recording, &list, address, FMT_TAG_SAMPLES, &head, sizeof head)) > 0) {
    uint32_t sampled;
    out_load_choose_process(loader, head.process);
    double tick = out_profile_recording(loader->profile, loader->number)->tick;
    result = load_run(loader, address, &head, tick, &sampled);
    if (result < 0)
      break;
    if (sampled != FMT_NONE)
      out_profile_recording(loader->profile, loader->number)->sampled = sampled;
    address = head.next;
  }
  base_vector_free(&list);
  return result;
}
