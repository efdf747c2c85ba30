/*
 * The newest spans in the timeline of a recording that is still written: each is seen once, thread by thread.
 */
#ifndef CALLSIG_CLI_RUN_SPAN_RINGS_H
#define CALLSIG_CLI_RUN_SPAN_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "format/recording.h"

/* How far the rings of a recording were read. Begin with cli_span_rings_of(). */
struct cli_span_rings {
  int fd;          /* of the recording, which is borrowed */
  uint64_t missed; /* spans that were gone before they were looked at */
  struct base_vector seen;
};

struct cli_span_rings cli_span_rings_of(int fd);
void cli_span_rings_free(struct cli_span_rings *rings);

/* Shows the spans that were not seen yet, of the recording with this header, to `take`, until it returns false: then it
 * wants no more. With `is_last` nobody writes there any more: what is unfinished stays so. */
void cli_span_rings_look(struct cli_span_rings *rings, const struct fmt_rec_header *header, bool is_last,
                         bool (*take)(const struct fmt_rec_span *span, void *data), void *data);

#endif
