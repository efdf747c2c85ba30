/* Gives the library's messages to the callback or to stderr. */
#include "output/text/message.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/printable.h"
#include "callsig/stats.h"
#include "output/text/text.h"

/* The callback is the process's, as the public function says; the lock keeps the pair whole. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static callsig_stats_message_fn callback;
static void *callback_data;

void callsig_stats_set_message(callsig_stats_message_fn message, void *data)
{
  pthread_mutex_lock(&lock);
  callback = message;
  callback_data = data;
  pthread_mutex_unlock(&lock);
}

/* Of each thread: where its lines go, or NULL. */
static _Thread_local struct out_text *collected;

void out_stats_messages_into(struct out_text *text)
{
  collected = text;
}

static void deliver(const char *format, va_list arguments)
{
  char text[1024], line[2048];
  vsnprintf(text, sizeof text, format, arguments);
  base_printable_line(line, sizeof line, text);
  if (collected) {
    out_text_printf(collected, "%s\n", line);
    return;
  }
  pthread_mutex_lock(&lock);
  callsig_stats_message_fn message = callback;
  void *data = callback_data;
  pthread_mutex_unlock(&lock);
  if (message)
    message(line, data);
  else
    fprintf(stderr, "callsig: %s\n", line);
}

void out_stats_message(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  deliver(format, arguments);
  va_end(arguments);
}

int out_stats_fail(int error, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  deliver(format, arguments);
  va_end(arguments);
  return error;
}

int out_stats_no_memory(void)
{
  return out_stats_fail(-ENOMEM, "out of memory while the recording was read");
}
