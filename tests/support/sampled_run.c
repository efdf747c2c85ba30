/* Recordings with the samples of a run, for the tests of times by samples. */
#include "tests/support/sampled_run.h"

#include "format/index.h"

struct fmt_rec_place *sampled_run_places(struct fmt_rec_samples *record)
{
  return (struct fmt_rec_place *)(record + 1);
}

uint64_t sampled_run_add(struct sample *sample, const struct sampled_place *places, uint32_t count)
{
  uint64_t names[16], files[16], program = recording_writer_name(sample->recording, "/bin/plain"), sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    names[i] = recording_writer_name(sample->recording, places[i].name);
    files[i] = places[i].file ? recording_writer_name(sample->recording, places[i].file) : 0;
    sum += places[i].samples;
  }
  uint64_t address = recording_writer_make(sample->recording, FMT_TAG_SAMPLES,
                                           sizeof(struct fmt_rec_samples) + count * sizeof(struct fmt_rec_place));
  struct fmt_rec_samples *record = recording_writer_at(sample->recording, address);
  record->program = program;
  record->period = SAMPLED_PERIOD;
  record->samples = sum;
  record->used_ns = sum * 1000000;
  record->count = count;
  struct fmt_rec_place *written = sampled_run_places(record);
  for (uint32_t i = 0; i < count; i++)
    written[i] = (struct fmt_rec_place){.name = names[i],
                                        .file = files[i],
                                        .line = places[i].line,
                                        .parent = places[i].parent,
                                        .samples = places[i].samples};
  recording_writer_header(sample->recording)->samples = address;
  return address;
}

struct fmt_rec_samples *sampled_run_record(struct sample *sample)
{
  return recording_writer_at(sample->recording, recording_writer_header(sample->recording)->samples);
}

void sampled_run_call(struct sample *sample, uint32_t function, uint64_t n, uint64_t now)
{
  recording_enter(sample->thread, sample->module, function, (const uint64_t[]){0, n}, 2, now);
}

void sampled_run_begin(struct sample *sample)
{
  sample_begin(sample);
  index_writer_function(sample->index, "/src/a.c", 1, "main", 0);
  index_writer_function(sample->index, "/src/a.c", 5, "f", 0);
  index_writer_arg(sample->index, FMT_ARG_VALUE, "n", sample->int_type);
  sample_calls(sample);
  recording_enter(sample->thread, sample->module, 0, (const uint64_t[]){0}, 0, 0);
  sampled_run_call(sample, 1, 1, 10);
  recording_exit(sample->thread, 30);
  sampled_run_call(sample, 1, 2, 30);
  recording_exit(sample->thread, 90);
  recording_exit(sample->thread, 100);
}
