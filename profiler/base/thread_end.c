/*
 * Noticing that threads end, by a destructor of thread-specific data.
 *
 * The destructor puts itself back until the last of the rounds that the C library makes: the destructors of the program
 * run before it, and their calls are counted.
 */
#include "profiler/base/thread_end.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>

#include "profiler/base/message.h"

/* The C library keeps the first keys of each thread in the thread itself: setting one of them allocates nothing. */
#define KEYS_WITHOUT_MALLOC 32u

static pthread_key_t key;
static bool key_made;
static void (*tell_ended)(void);
static __thread unsigned rounds __attribute__((tls_model("initial-exec")));

static void at_thread_end(void *data)
{
  if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(key, data) == 0)
    return;
  tell_ended();
}

void prof_thread_end_prepare(void (*ended)(void))
{
  tell_ended = ended;
  if (key_made || pthread_key_create(&key, at_thread_end) != 0)
    return;
  key_made = key < KEYS_WITHOUT_MALLOC;
  if (!key_made) {
    pthread_key_delete(key);
    prof_message("the program holds %u thread-specific keys: threads that end are not folded", KEYS_WITHOUT_MALLOC);
  }
}

void prof_thread_watch(void)
{
  if (key_made && pthread_setspecific(key, &rounds) == 0)
    rounds = 0;
}
