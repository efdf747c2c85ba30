/* Prints where the fields that recording.py reads lie, so that it follows the format's header. */
#include <stddef.h>
#include <stdio.h>

#include "callsig/format/index.h"
#include "callsig/format/recording.h"

#define FIELD(structure, field) printf("%s.%s %zu\n", #structure + 3, #field, offsetof(struct structure, field))

int main(void)
{
  FIELD(cs_rec_header, base);
  FIELD(cs_rec_header, pid);
  FIELD(cs_rec_header, flags);
  FIELD(cs_rec_header, first_module);
  FIELD(cs_rec_header, first_thread);
  FIELD(cs_rec_header, loss);
  FIELD(cs_rec_header, hook_inner);
  FIELD(cs_rec_header, hook_outer);
  FIELD(cs_rec_module, next);
  FIELD(cs_rec_module, index);
  FIELD(cs_rec_module, path);
  FIELD(cs_rec_module, unloaded);
  FIELD(cs_rec_thread, next);
  FIELD(cs_rec_thread, tid);
  FIELD(cs_rec_thread, state);
  FIELD(cs_rec_thread, start_ticks);
  FIELD(cs_rec_thread, end_ticks);
  FIELD(cs_rec_thread, threads);
  FIELD(cs_rec_thread, first_edge);
  FIELD(cs_rec_thread, first_stack);
  FIELD(cs_rec_function, module);
  FIELD(cs_rec_function, function);
  FIELD(cs_rec_function, kind);
  FIELD(cs_rec_function, address);
  FIELD(cs_rec_stage, label);
  FIELD(cs_rec_context, function);
  FIELD(cs_rec_variant, context);
  FIELD(cs_rec_edge, to);
  FIELD(cs_rec_edge, calls);
  FIELD(cs_rec_edge, total);
  FIELD(cs_rec_edge, children);
  FIELD(cs_rec_edge, recursion);
  FIELD(cs_rec_edge, next);
  FIELD(cs_rec_edge, min);
  FIELD(cs_rec_edge, max);
  FIELD(cs_rec_edge, histogram);
  FIELD(cs_rec_histogram, sub_bits);
  FIELD(cs_rec_histogram, octaves);
  FIELD(cs_rec_thread, ring);
  FIELD(cs_rec_header, timeline_min);
  FIELD(cs_rec_ring, capacity);
  FIELD(cs_rec_ring, written);
  FIELD(cs_rec_ring, spans);
  FIELD(cs_rec_span, start);
  FIELD(cs_rec_span, duration);
  FIELD(cs_rec_span, what);
  FIELD(cs_rec_span, kind);
  FIELD(cs_rec_recursion, calls);
  FIELD(cs_rec_recursion, total);
  FIELD(cs_rec_recursion, primitive);
  FIELD(cs_rec_stack, next_stack);
  FIELD(cs_rec_stack, inner);
  FIELD(cs_rec_stack, capacity);
  FIELD(cs_rec_stack, frames);
  FIELD(cs_rec_name, length);
  FIELD(cs_rec_name, text);
  FIELD(cs_index_header, sections);
  FIELD(cs_index_function, name);
  printf("rec_frame.size %zu\n", sizeof(struct cs_rec_frame));
  printf("rec_span.size %zu\n", sizeof(struct cs_rec_span));
  printf("index_section.size %zu\n", sizeof(struct cs_index_section));
  printf("section.strings %d\n", CS_SECTION_STRINGS);
  printf("section.functions %d\n", CS_SECTION_FUNCTIONS);
  return 0;
}
