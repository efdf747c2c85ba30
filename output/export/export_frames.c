/* Gives each function, signature or label the text by which other tools know it. */
#include "output/export/export_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A name, and whether more than one function has it. */
struct out_frame_name {
  uint32_t name; /* string */
  uint32_t function;
  bool shared;
};

void out_frames_init(struct out_frames *frames, struct callsig_stats *stats)
{
  *frames = (struct out_frames){
      .stats = stats, .list = BASE_VECTOR_OF(struct out_frame), .users = BASE_VECTOR_OF(struct out_frame_name)};
}

void out_frames_free(struct out_frames *frames)
{
  base_vector_free(&frames->list);
  out_idset_free(&frames->set);
  base_vector_free(&frames->users);
  out_idset_free(&frames->user_set);
  out_arguments_free(&frames->scratch);
  out_text_free(&frames->text);
}

void out_frames_close(struct out_frames *frames)
{
  out_idset_free(&frames->set);
}

static bool equal_frame(const void *owner, uint32_t number, const void *key)
{
  return memcmp(out_frames_at(owner, number), key, sizeof(struct out_frame)) == 0;
}

static bool equal_name(const void *owner, uint32_t number, const void *key)
{
  const struct out_frames *frames = owner;
  return ((const struct out_frame_name *)base_vector_at(&frames->users, number))->name == *(const uint32_t *)key;
}

/* The number of the frame's function, FMT_NONE for a label. */
static uint32_t function_of(const struct out_frames *frames, const struct out_frame *frame)
{
  const struct out_profile *profile = &frames->stats->profile;
  if (frame->kind == OUT_FRAME_LABEL)
    return FMT_NONE;
  if (frame->kind != OUT_FRAME_SIGNATURE)
    return frame->key.what;
  const struct out_signature *signature = out_profile_signature(profile, frame->key.what);
  return frames->stats->shown_function[out_profile_layout(profile, signature->layout)->function];
}

/* Notes that the function has its name. */
static int note_name(struct out_frames *frames, uint32_t function)
{
  uint32_t name = out_profile_function(&frames->stats->profile, function)->name;
  uint64_t hash = out_hash_mix(0, name);
  uint32_t number = out_idset_find(&frames->user_set, hash, frames, &name, equal_name);
  if (number != FMT_NONE) {
    struct out_frame_name *known = base_vector_at(&frames->users, number);
    known->shared |= known->function != function;
    return 0;
  }
  struct out_frame_name *added = base_vector_add(&frames->users, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct out_frame_name){.name = name, .function = function};
  return out_idset_add(&frames->user_set, hash, frames->users.count - 1);
}

int out_frames_add(struct out_frames *frames, const struct out_frame *frame, uint32_t *number)
{
  uint64_t hash = out_hash_mix(out_hash_mix(frame->key.what, frame->key.thread), frame->key.module);
  hash = out_hash_mix(out_hash_mix(hash, frame->key.stage), out_hash_mix(frame->key.process, frame->kind));
  *number = out_idset_find(&frames->set, hash, frames, frame, equal_frame);
  if (*number != FMT_NONE)
    return 0;
  struct out_frame *added = base_vector_add(&frames->list, 1);
  if (!added)
    return -ENOMEM;
  *added = *frame;
  *number = frames->list.count - 1;
  int result = out_idset_add(&frames->set, hash, *number);
  uint32_t function = function_of(frames, frame);
  return result == 0 && function != FMT_NONE ? note_name(frames, function) : result;
}

const struct out_known_function *out_frame_function(const struct out_frames *frames, uint32_t number)
{
  uint32_t function = function_of(frames, out_frames_at(frames, number));
  return function == FMT_NONE ? NULL : out_profile_function(&frames->stats->profile, function);
}

static bool is_shared(const struct out_frames *frames, uint32_t name)
{
  uint32_t number = out_idset_find(&frames->user_set, out_hash_mix(0, name), frames, &name, equal_name);
  return number != FMT_NONE && ((const struct out_frame_name *)base_vector_at(&frames->users, number))->shared;
}

static void put_function(struct out_frames *frames, const struct out_frame *frame,
                         const struct out_known_function *function)
{
  const struct out_profile *profile = &frames->stats->profile;
  struct out_names names = out_stats_names(frames->stats);
  names.by = frame->kind == OUT_FRAME_SIGNATURE ? CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE : CALLSIG_BY_FUNCTION;
  out_row_function_text(&names, &frame->key, &frames->scratch, &frames->text);
  if (frame->kind == OUT_FRAME_ANY && !function->is_action)
    out_text_puts(&frames->text, "(...)");
  if (is_shared(frames, function->name) && !function->is_action)
    out_text_printf(&frames->text, " (%s:%u)", out_profile_string(profile, function->file), function->line);
  struct out_row_key groups = frame->key;
  if (!(frames->stats->by & CALLSIG_BY_MODULE))
    groups.module = FMT_NONE;
  out_row_groups(&names, &groups, " ", &frames->text);
}

/* Its text, once all frames are known. It has no bytes that do not print, so no line ends; valid until the next call.
 */
static const char *frame_text(struct out_frames *frames, uint32_t number)
{
  const struct out_frame *frame = out_frames_at(frames, number);
  const struct out_known_function *function = out_frame_function(frames, number);
  out_text_clear(&frames->text);
  if (function)
    put_function(frames, frame, function);
  else
    out_text_puts(&frames->text, out_profile_string(&frames->stats->profile, frame->key.what));
  return out_text_string(&frames->text);
}

int out_frame_texts_make(struct out_frames *frames, struct out_frame_texts *texts)
{
  *texts = (struct out_frame_texts){.list = calloc(frames->list.count + 1u, sizeof *texts->list)};
  bool failed = !texts->list;
  for (uint32_t i = 0; i < frames->list.count && !failed; i++) {
    const char *text = frame_text(frames, i);
    texts->list[i] = base_arena_copy(&texts->arena, text, frames->text.length);
    failed = frames->text.failed || !texts->list[i];
  }
  return failed ? -ENOMEM : 0;
}

void out_frame_texts_free(struct out_frame_texts *texts)
{
  free(texts->list);
  base_arena_free(&texts->arena);
}
