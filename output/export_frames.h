/*
 * What functions are called in the formats that know them by a text alone.
 *
 * A frame is a function, with or without its signature, or a label that stands where no function is. Two functions of
 * the same name (static ones in two files) are two frames, and then each text says where its function is:
 * "init() (src/a.c:12)".
 */
#ifndef CALLSIG_OUTPUT_EXPORT_FRAMES_H
#define CALLSIG_OUTPUT_EXPORT_FRAMES_H

#include "object.h"

enum cs_frame_kind {
  CS_FRAME_FUNCTION,  /* key.what: a function; "f" */
  CS_FRAME_SIGNATURE, /* key.what: a signature's row; "f(n=1)" */
  CS_FRAME_ANY,       /* key.what: a function, of which it is not known with what arguments; "f(...)" */
  CS_FRAME_LABEL,     /* key.what: a string */
};

/* Who a frame is. A row's key; the groups that frames are not told apart by are CS_NONE. */
struct cs_frame {
  struct cs_row_key key;
  uint32_t kind; /* enum cs_frame_kind */
};

/* Frames, interned. Free with cs_frames_free(). */
struct cs_frames {
  struct callsig_stats *stats; /* borrowed */
  struct cs_vector list;       /* struct cs_frame */
  struct cs_idset set;
  struct cs_vector users; /* struct cs_frame_name */
  struct cs_idset user_set;
  struct cs_arguments scratch;
  struct cs_text text; /* scratch */
};

void cs_frames_init(struct cs_frames *frames, struct callsig_stats *stats);
void cs_frames_free(struct cs_frames *frames);

/* Gives up what only adding frames needs, once all are known. */
void cs_frames_close(struct cs_frames *frames);

/* The number of this frame, made when new. -ENOMEM. */
int cs_frames_add(struct cs_frames *frames, const struct cs_frame *frame, uint32_t *number);

static inline const struct cs_frame *cs_frames_at(const struct cs_frames *frames, uint32_t number)
{
  return cs_vector_at(&frames->list, number);
}

/* Its function, NULL for a label. */
const struct cs_known_function *cs_frame_function(const struct cs_frames *frames, uint32_t number);

/* Its text, once all frames are known. It has no bytes that do not print, so no line ends; valid until the next call.
 */
const char *cs_frame_text(struct cs_frames *frames, uint32_t number);

/* Orders frames by text, then as they were added: for qsort_r(), with the texts of all frames. */
struct cs_frame_texts {
  struct cs_arena arena;
  char **list; /* by frame */
};

/* The texts of all frames at once. 0 or -ENOMEM; free with cs_frame_texts_free(). */
int cs_frame_texts_make(struct cs_frames *frames, struct cs_frame_texts *texts);
void cs_frame_texts_free(struct cs_frame_texts *texts);

#endif
