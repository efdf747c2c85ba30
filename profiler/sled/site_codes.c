/*
 * The machine code of sites: one piece for each way in which a site's calls are compared.
 *
 * A site has new code when its function's arguments widen; the old code stays, since a thread may be running in it, and
 * is no longer led to. Threads whose arguments are not as wide compare by the hook, until they are.
 *
 * Code lies in chunks that are writable while a piece is added, and executable all the time. Where that may not be,
 * there is no code, and every call is compared by the hook.
 */
#include "profiler/sled/site_codes.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "format/sled.h"
#include "profiler/arch/x86_64/stub/stub.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/base/syscall.h"

#define CHUNK_SIZE  ((size_t)256 << 10)
#define MAX_CODE    4096u /* bytes of one piece */
#define LAST_NUMBER UINT16_MAX
#define CODE_ALIGN  64u

/* What a site's code compares. In the process's arena; under codes_lock. */
struct prof_site_code {
  uint16_t number;
  uint32_t widened; /* compare->widened of what it was made for */
  uint32_t count, words;
  struct prof_fast_compare_op ops[];
};

/* A chunk that is given out, in the process's arena. Never freed. */
struct chunk {
  const struct chunk *next;
  const uint8_t *start;
};

/* Newest first; atomic. */
static const struct chunk *chunks;

/* Where the next piece goes. Under codes_lock. */
static struct {
  uint8_t *chunk, *next;
  uint16_t numbers; /* given so far */
  bool denied;
} pool;

static bool compares_alike(const struct prof_site_code *code, const struct prof_fast_compare *compare)
{
  if (code->count != compare->count || code->words != compare->words)
    return false;
  for (uint32_t i = 0; i < code->count; i++) {
    const struct prof_fast_compare_op *a = &code->ops[i], *b = &compare->ops[i];
    if (a->kind != b->kind || a->reg != b->reg || a->shift != b->shift || a->flags != b->flags ||
        a->offset != b->offset)
      return false;
  }
  return true;
}

static struct prof_site_code *note(const struct prof_fast_compare *compare, uint16_t number)
{
  struct prof_site_code *code = prof_process_alloc(sizeof *code + compare->count * sizeof code->ops[0]);
  if (!code)
    return NULL;
  code->number = number;
  code->widened = compare->widened;
  code->count = compare->count;
  code->words = compare->words;
  for (uint32_t i = 0; i < compare->count; i++)
    code->ops[i] = compare->ops[i];
  return code;
}

static bool protect(int protection)
{
  return PROF_SYSCALL3(SYS_mprotect, pool.chunk, CHUNK_SIZE, protection) == 0;
}

static bool is_site_code(uintptr_t address)
{
  for (const struct chunk *chunk = __atomic_load_n(&chunks, __ATOMIC_ACQUIRE); chunk; chunk = chunk->next)
    if (address - (uintptr_t)chunk->start < CHUNK_SIZE)
      return true;
  return false;
}

static bool add_chunk(void)
{
  struct chunk *chunk = prof_process_alloc(sizeof *chunk);
  long mapped =
      chunk ? prof_sys_mmap(0, CHUNK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : -ENOMEM;
  if (prof_sys_failed(mapped))
    return false;
  pool.chunk = pool.next = (uint8_t *)mapped;
  *chunk = (struct chunk){chunks, pool.chunk};
  __atomic_store_n(&chunks, chunk, __ATOMIC_RELEASE);
  prof_process.upcalls.is_site_code = is_site_code;
  return true;
}

/* Makes room for a piece, writable. */
static bool open_pool(void)
{
  if (pool.denied)
    return false;
  if ((!pool.chunk || pool.next + MAX_CODE > pool.chunk + CHUNK_SIZE) && !add_chunk())
    return false;
  pool.denied = !protect(PROT_READ | PROT_WRITE | PROT_EXEC);
  return !pool.denied;
}

/* Adds a piece. NULL when the site's calls cannot be compared by code. */
static uint8_t *write_code(const struct prof_fast_compare *compare, uint16_t number)
{
  if (!open_pool())
    return NULL;
  uint8_t *code = pool.next;
  size_t size = prof_site_code_write(code, MAX_CODE, compare, number);
  pool.next += (size + CODE_ALIGN - 1) & ~(size_t)(CODE_ALIGN - 1);
  return protect(PROT_READ | PROT_EXEC) && size ? code : NULL;
}

/* The word that the stub of the site jumps through; NULL when its sled calls none. */
static uintptr_t *target_of(const struct prof_site *site)
{
  const struct prof_module *module = site->module;
  uint64_t address = site->pc - FMT_SLED_CALL - module->bias;
  const struct fmt_index_sled *sled = fmt_index_sled_from(&module->index, address);
  if (!module->sled_code || !sled || sled->address != address)
    return NULL;
  uintptr_t code = module->sled_code[sled - module->index.sleds];
  return code ? module->sled_targets + (code - module->sled_stubs) / PROF_STUB_SIZE : NULL;
}

static uint16_t make(const struct prof_fast_compare *compare)
{
  struct prof_site *site = (struct prof_site *)compare->site;
  uintptr_t *target = target_of(site);
  if (!target || pool.numbers == LAST_NUMBER)
    return 0;
  uint16_t number = (uint16_t)(pool.numbers + 1);
  struct prof_site_code *code = note(compare, number);
  uint8_t *start = code ? write_code(compare, number) : NULL;
  if (!start)
    return 0;
  pool.numbers = number;
  site->code = code;
  __atomic_store_n(target, (uintptr_t)start, __ATOMIC_RELEASE);
  return number;
}

uint16_t prof_site_code(const struct prof_fast_compare *compare)
{
  prof_lock(&prof_process.codes_lock);
  const struct prof_site_code *known = compare->site->code;
  uint16_t number = 0;
  if (known && compares_alike(known, compare))
    number = known->number;
  else if (!known || compare->widened > known->widened)
    number = make(compare);
  prof_unlock(&prof_process.codes_lock);
  return number;
}
