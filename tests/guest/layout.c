/* Prints where the fields that recording.py reads lie, so that it follows the format's header. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "format/index.h"
#include "format/recording.h"

#define FIELD(structure, field)                                                                                        \
  printf("%s.%s %zu\n", #structure + sizeof "fmt_" - 1, #field, offsetof(struct structure, field))

int main(void)
{
  FIELD(fmt_rec_header, base);
  FIELD(fmt_rec_header, pid);
  FIELD(fmt_rec_header, flags);
  FIELD(fmt_rec_header, first_module);
  FIELD(fmt_rec_header, first_thread);
  FIELD(fmt_rec_header, loss);
  FIELD(fmt_rec_header, hook_inner);
  FIELD(fmt_rec_header, hook_outer);
  FIELD(fmt_rec_module, next);
  FIELD(fmt_rec_module, index);
  FIELD(fmt_rec_module, path);
  FIELD(fmt_rec_module, start);
  FIELD(fmt_rec_thread, next);
  FIELD(fmt_rec_thread, tid);
  FIELD(fmt_rec_thread, state);
  FIELD(fmt_rec_thread, start_ticks);
  FIELD(fmt_rec_thread, end_ticks);
  FIELD(fmt_rec_thread, threads);
  FIELD(fmt_rec_thread, first_edge);
  FIELD(fmt_rec_thread, first_stack);
  FIELD(fmt_rec_function, module);
  FIELD(fmt_rec_function, function);
  FIELD(fmt_rec_function, kind);
  FIELD(fmt_rec_function, address);
  FIELD(fmt_rec_stage, label);
  FIELD(fmt_rec_context, function);
  FIELD(fmt_rec_variant, context);
  FIELD(fmt_rec_edge, to);
  FIELD(fmt_rec_edge, calls);
  FIELD(fmt_rec_edge, total);
  FIELD(fmt_rec_edge, flags);
  FIELD(fmt_rec_edge, children);
  FIELD(fmt_rec_edge, recursion);
  FIELD(fmt_rec_edge, next);
  FIELD(fmt_rec_edge, min);
  FIELD(fmt_rec_edge, max);
  FIELD(fmt_rec_edge, histogram);
  FIELD(fmt_rec_histogram, sub_bits);
  FIELD(fmt_rec_histogram, octaves);
  FIELD(fmt_rec_thread, ring);
  FIELD(fmt_rec_header, timeline_min);
  FIELD(fmt_rec_ring, capacity);
  FIELD(fmt_rec_ring, written);
  FIELD(fmt_rec_ring, spans);
  FIELD(fmt_rec_span, start);
  FIELD(fmt_rec_span, duration);
  FIELD(fmt_rec_span, what);
  FIELD(fmt_rec_span, item);
  FIELD(fmt_rec_span, kind);
  FIELD(fmt_rec_recursion, calls);
  FIELD(fmt_rec_recursion, total);
  FIELD(fmt_rec_recursion, primitive);
  FIELD(fmt_rec_stack, next_stack);
  FIELD(fmt_rec_stack, inner);
  FIELD(fmt_rec_stack, capacity);
  FIELD(fmt_rec_stack, frames);
  FIELD(fmt_rec_name, length);
  FIELD(fmt_rec_name, text);
  FIELD(fmt_index_header, sections);
  FIELD(fmt_index_function, name);
  printf("rec_frame.size %zu\n", sizeof(struct fmt_rec_frame));
  FIELD(fmt_rec_frame, start_ticks);
  printf("rec_span.size %zu\n", sizeof(struct fmt_rec_span));
  printf("index_section.size %zu\n", sizeof(struct fmt_index_section));
  printf("inherited %d\n", FMT_EDGE_INHERITED);
  printf("sampled %d\n", FMT_EDGE_SAMPLED);
  printf("start_ahead %" PRIu64 "\n", (uint64_t)FMT_START_AHEAD);
  printf("start_counted %" PRIu64 "\n", (uint64_t)FMT_START_COUNTED);
  printf("section.strings %d\n", FMT_SECTION_STRINGS);
  printf("section.functions %d\n", FMT_SECTION_FUNCTIONS);
  return 0;
}
