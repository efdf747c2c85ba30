/*
 * What functions are called in the formats that know them by a text alone.
 *
 * A frame is a function, with or without its signature, or a label that stands where no function is. Two functions of
 * the same name (static ones in two files) are two frames, and then each text says where its function is:
 * "init() (src/a.c:12)".
 */
#ifndef CALLSIG_OUTPUT_EXPORT_EXPORT_FRAMES_H
#define CALLSIG_OUTPUT_EXPORT_EXPORT_FRAMES_H

#include "output/stats/stats_object.h"

enum out_frame_kind {
  OUT_FRAME_FUNCTION,  /* key.what: a function; "f" */
  OUT_FRAME_SIGNATURE, /* key.what: a signature's row; "f(n=1)" */
  OUT_FRAME_ANY,       /* key.what: a function, of which it is not known with what arguments; "f(...)" */
  OUT_FRAME_LABEL,     /* key.what: a string */
};

/* Who a frame is. A row's key; the groups that frames are not told apart by are FMT_NONE. */
struct out_frame {
  struct out_row_key key;
  uint32_t kind; /* enum out_frame_kind */
};

/* Frames, interned. Free with out_frames_free(). */
struct out_frames {
  struct callsig_stats *stats; /* borrowed */
  struct base_vector list;     /* struct out_frame */
  struct out_idset set;
  struct base_vector users; /* struct out_frame_name */
  struct out_idset user_set;
  struct out_arguments scratch;
  struct out_text text; /* scratch */
};

void out_frames_init(struct out_frames *frames, struct callsig_stats *stats);
void out_frames_free(struct out_frames *frames);

/* Gives up what only adding frames needs, once all are known. */
void out_frames_close(struct out_frames *frames);

/* The number of this frame, made when new. -ENOMEM. */
int out_frames_add(struct out_frames *frames, const struct out_frame *frame, uint32_t *number);

static inline const struct out_frame *out_frames_at(const struct out_frames *frames, uint32_t number)
{
  return base_vector_at(&frames->list, number);
}

/* Its function, NULL for a label. */
const struct out_known_function *out_frame_function(const struct out_frames *frames, uint32_t number);

/* Orders frames by text, then as they were added: for qsort_r(), with the texts of all frames. */
struct out_frame_texts {
  struct base_arena arena;
  char **list; /* by frame */
};

/* The texts of all frames at once. 0 or -ENOMEM; free with out_frame_texts_free(). */
int out_frame_texts_make(struct out_frames *frames, struct out_frame_texts *texts);
void out_frame_texts_free(struct out_frame_texts *texts);

#endif
