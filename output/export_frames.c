#include "export_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A name, and whether more than one function has it. */
struct cs_frame_name {
  uint32_t name; /* string */
  uint32_t function;
  bool shared;
};

void cs_frames_init(struct cs_frames *frames, struct callsig_stats *stats)
{
  *frames = (struct cs_frames){
      .stats = stats, .list = CS_VECTOR_OF(struct cs_frame), .users = CS_VECTOR_OF(struct cs_frame_name)};
}

void cs_frames_free(struct cs_frames *frames)
{
  cs_vector_free(&frames->list);
  cs_idset_free(&frames->set);
  cs_vector_free(&frames->users);
  cs_idset_free(&frames->user_set);
  cs_arguments_free(&frames->scratch);
  cs_text_free(&frames->text);
}

void cs_frames_close(struct cs_frames *frames)
{
  cs_idset_free(&frames->set);
}

static bool equal_frame(const void *owner, uint32_t number, const void *key)
{
  return memcmp(cs_frames_at(owner, number), key, sizeof(struct cs_frame)) == 0;
}

static bool equal_name(const void *owner, uint32_t number, const void *key)
{
  const struct cs_frames *frames = owner;
  return ((const struct cs_frame_name *)cs_vector_at(&frames->users, number))->name == *(const uint32_t *)key;
}

/* The number of the frame's function, CS_NONE for a label. */
static uint32_t function_of(const struct cs_frames *frames, const struct cs_frame *frame)
{
  const struct cs_profile *profile = &frames->stats->profile;
  if (frame->kind == CS_FRAME_LABEL)
    return CS_NONE;
  if (frame->kind != CS_FRAME_SIGNATURE)
    return frame->key.what;
  const struct cs_signature *signature = cs_profile_signature(profile, frame->key.what);
  return frames->stats->shown_function[cs_profile_layout(profile, signature->layout)->function];
}

/* Notes that the function has its name. */
static int note_name(struct cs_frames *frames, uint32_t function)
{
  uint32_t name = cs_profile_function(&frames->stats->profile, function)->name;
  uint64_t hash = cs_hash_mix(0, name);
  uint32_t number = cs_idset_find(&frames->user_set, hash, frames, &name, equal_name);
  if (number != CS_NONE) {
    struct cs_frame_name *known = cs_vector_at(&frames->users, number);
    known->shared |= known->function != function;
    return 0;
  }
  struct cs_frame_name *added = cs_vector_add(&frames->users, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct cs_frame_name){.name = name, .function = function};
  return cs_idset_add(&frames->user_set, hash, frames->users.count - 1);
}

int cs_frames_add(struct cs_frames *frames, const struct cs_frame *frame, uint32_t *number)
{
  uint64_t hash = cs_hash_mix(cs_hash_mix(frame->key.what, frame->key.thread), frame->key.module);
  hash = cs_hash_mix(cs_hash_mix(hash, frame->key.stage), cs_hash_mix(frame->key.process, frame->kind));
  *number = cs_idset_find(&frames->set, hash, frames, frame, equal_frame);
  if (*number != CS_NONE)
    return 0;
  struct cs_frame *added = cs_vector_add(&frames->list, 1);
  if (!added)
    return -ENOMEM;
  *added = *frame;
  *number = frames->list.count - 1;
  int result = cs_idset_add(&frames->set, hash, *number);
  uint32_t function = function_of(frames, frame);
  return result == 0 && function != CS_NONE ? note_name(frames, function) : result;
}

const struct cs_known_function *cs_frame_function(const struct cs_frames *frames, uint32_t number)
{
  uint32_t function = function_of(frames, cs_frames_at(frames, number));
  return function == CS_NONE ? NULL : cs_profile_function(&frames->stats->profile, function);
}

static bool is_shared(const struct cs_frames *frames, uint32_t name)
{
  uint32_t number = cs_idset_find(&frames->user_set, cs_hash_mix(0, name), frames, &name, equal_name);
  return number != CS_NONE && ((const struct cs_frame_name *)cs_vector_at(&frames->users, number))->shared;
}

static void put_function(struct cs_frames *frames, const struct cs_frame *frame,
                         const struct cs_known_function *function)
{
  const struct cs_profile *profile = &frames->stats->profile;
  struct cs_names names = cs_stats_names(frames->stats);
  names.by = frame->kind == CS_FRAME_SIGNATURE ? CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE : CALLSIG_BY_FUNCTION;
  cs_row_function_text(&names, &frame->key, &frames->scratch, &frames->text);
  if (frame->kind == CS_FRAME_ANY && !function->is_action)
    cs_text_puts(&frames->text, "(...)");
  if (is_shared(frames, function->name) && !function->is_action)
    cs_text_printf(&frames->text, " (%s:%u)", cs_profile_string(profile, function->file), function->line);
  struct cs_row_key groups = frame->key;
  if (!(frames->stats->by & CALLSIG_BY_MODULE))
    groups.module = CS_NONE;
  cs_row_groups(&names, &groups, " ", &frames->text);
}

const char *cs_frame_text(struct cs_frames *frames, uint32_t number)
{
  const struct cs_frame *frame = cs_frames_at(frames, number);
  const struct cs_known_function *function = cs_frame_function(frames, number);
  cs_text_clear(&frames->text);
  if (function)
    put_function(frames, frame, function);
  else
    cs_text_puts(&frames->text, cs_profile_string(&frames->stats->profile, frame->key.what));
  return cs_text_string(&frames->text);
}

int cs_frame_texts_make(struct cs_frames *frames, struct cs_frame_texts *texts)
{
  *texts = (struct cs_frame_texts){.list = calloc(frames->list.count + 1u, sizeof *texts->list)};
  bool failed = !texts->list;
  for (uint32_t i = 0; i < frames->list.count && !failed; i++) {
    const char *text = cs_frame_text(frames, i);
    texts->list[i] = cs_arena_copy(&texts->arena, text, frames->text.length);
    failed = frames->text.failed || !texts->list[i];
  }
  return failed ? -ENOMEM : 0;
}

void cs_frame_texts_free(struct cs_frame_texts *texts)
{
  free(texts->list);
  cs_arena_free(&texts->arena);
}
