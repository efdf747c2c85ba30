/* Texts of a recording as strings of the profile: names of modules, functions, stages, queues, events and threads. */
#include <errno.h>
#include <string.h>

#include "output/profile/load.h"
#include "output/text/text.h"

int out_load_foreign(struct base_strings *strings, const char *bytes, size_t length, uint32_t *string)
{
  struct out_text text = {0};
  out_text_printable(&text, bytes, length);
  int result = text.failed ? -ENOMEM : base_strings_add(strings, out_text_string(&text), string);
  out_text_free(&text);
  return result;
}

int out_load_text(struct out_loader *loader, const char *bytes, size_t length, uint32_t *string)
{
  return out_load_foreign(loader->profile->strings, bytes, length, string);
}

int out_load_name(struct out_loader *loader, uint64_t address, const char *missing, uint32_t *string)
{
  size_t length = 0;
  const char *name = out_recording_name(loader->recording, address, &length);
  if (!name && address)
    loader->recording->damaged++;
  return out_load_text(loader, name ? name : missing, name ? length : strlen(missing), string);
}

int out_load_label_thread(struct out_profile *profile, struct out_known_thread *thread)
{
  struct base_strings *strings = profile->strings;
  struct out_text text = {0};
  out_text_printable(&text, thread->raw_name, strnlen(thread->raw_name, sizeof thread->raw_name));
  if (thread->state == FMT_THREAD_FOLDED && text.length == 0)
    out_text_puts(&text, "ended threads");
  int result = text.failed ? -ENOMEM : base_strings_add(strings, out_text_string(&text), &thread->name);
  if (thread->state == FMT_THREAD_FOLDED)
    out_text_printf(&text, " (%llu)", (unsigned long long)thread->threads);
  else
    out_text_printf(&text, " (%u)", thread->tid);
  if (result == 0)
    result = text.failed ? -ENOMEM : base_strings_add(strings, out_text_string(&text), &thread->label);
  out_text_free(&text);
  return result;
}
