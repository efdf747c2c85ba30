/*
 * The protection of a module's text around writing sleds: each mapping gets back what it had, since a program may have
 * made some of its own text writable. While another thread's loader may be mapping the module, pages that are not
 * executable are left alone: it is about to map text over them, which giving back would make what they were.
 */
#include "profiler/sled/text_pages.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "profiler/base/proc_maps.h"
#include "profiler/base/syscall.h"

#define PAGE 4096u

static long protect(const struct prof_text_part *part, int protection)
{
  return PROF_SYSCALL3(SYS_mprotect, part->low, part->high - part->low, protection);
}

/* Where the parts that were found so far end. */
static uintptr_t found_end(const struct prof_text_pages *pages)
{
  return pages->count ? pages->parts[pages->count - 1].high : pages->low;
}

static void add(struct prof_text_pages *pages, uintptr_t high, int protection)
{
  pages->parts[pages->count] = (struct prof_text_part){found_end(pages), high, protection};
  pages->count++;
}

static bool visit(const struct prof_mapping *mapping, void *data)
{
  struct prof_text_pages *pages = data;
  if (mapping->high <= pages->low)
    return true;
  if (mapping->low > found_end(pages) || pages->count == PROF_TEXT_PARTS)
    return false;
  add(pages, mapping->high < pages->high ? mapping->high : pages->high,
      (mapping->readable ? PROT_READ : 0) | (mapping->writable ? PROT_WRITE : 0) |
          (mapping->executable ? PROT_EXEC : 0));
  return found_end(pages) < pages->high;
}

static bool is_executable(const struct prof_text_pages *pages)
{
  uint32_t i = 0;
  while (i < pages->count && pages->parts[i].protection & PROT_EXEC)
    i++;
  return i == pages->count;
}

/* Some of the range is not mapped: maybe not yet, or not any more. */
static long absent(bool settled)
{
  return settled ? -ENOMEM : -EAGAIN;
}

long prof_text_open(struct prof_text_pages *pages, uintptr_t low, uintptr_t high, bool settled, int assumed)
{
  *pages =
      (struct prof_text_pages){.low = low & ~(uintptr_t)(PAGE - 1), .high = (high + PAGE - 1) & ~(uintptr_t)(PAGE - 1)};
  const long walked = prof_proc_maps_walk(visit, pages);
  if (walked < 0 && !assumed)
    return walked;
  if (walked < 0) {
    pages->count = 0;
    add(pages, pages->high, assumed);
  }
  if (found_end(pages) < pages->high)
    return absent(settled);
  if (!settled && !is_executable(pages))
    return -EAGAIN;
  for (uint32_t i = 0; i < pages->count; i++) {
    long error = protect(&pages->parts[i], pages->parts[i].protection | PROT_READ | PROT_WRITE);
    if (error < 0) {
      pages->count = i;
      prof_text_close(pages);
      return error == -ENOMEM ? absent(settled) : error;
    }
  }
  return 0;
}

void prof_text_close(const struct prof_text_pages *pages)
{
  for (uint32_t i = 0; i < pages->count; i++)
    protect(&pages->parts[i], pages->parts[i].protection);
}
