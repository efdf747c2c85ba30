/*
 * The pages of a module's text, made writable for a while.
 */
#ifndef CALLSIG_PROFILER_SLED_TEXT_PAGES_H
#define CALLSIG_PROFILER_SLED_TEXT_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#define PROF_TEXT_PARTS 32u

/* Pages as they were before: whole ones, ascending, without gaps. */
struct prof_text_pages {
  uintptr_t low, high;
  uint32_t count;
  struct prof_text_part {
    uintptr_t low, high;
    int protection;
  } parts[PROF_TEXT_PARTS];
};

/* Makes the pages of [low, high) writable; a part keeps being executable, or not. `settled`: no other thread maps
 * anything there meanwhile; otherwise -EAGAIN when a part is not executable, or not mapped. `assumed`: the protection
 * that they are taken to have where /proc does not tell it (the program has left it behind); 0: that is an error, since
 * pages with data would be given back a wrong one. 0, or a negative errno when nothing was changed. */
long prof_text_open(struct prof_text_pages *pages, uintptr_t low, uintptr_t high, bool settled, int assumed);
/* Gives each part back the protection that it had. */
void prof_text_close(const struct prof_text_pages *pages);

#endif
