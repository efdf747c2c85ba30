/* write_pipeline FILE: the recording of a simulated pipeline of which "0:2:resize[2]" is the bounding stage. */
#include <stdio.h>

#include "tests/support/pipeline_simulator.h"

int main(int argc, char **argv)
{
  static const struct simulation simulation = {
      .stages = {{.name = "decode", .concurrency = 4, .time = 25000, .failing = 10},
                 {.name = "resize", .concurrency = 2, .time = 40000},
                 {.name = "encode", .concurrency = 1, .time = 10000}},
      .count = 3,
      .capacity = 8,
      .items = 1000};
  uint64_t end;
  if (argc != 2) {
    fputs("usage: write_pipeline FILE\n", stderr);
    return 2;
  }
  struct recording_writer *writer = simulate(&simulation, &end);
  pipeline_writer_event(writer, "flush", 12, 0);
  recording_writer_save(writer, end, argv[1]);
  recording_writer_free(writer);
  return 0;
}
