/*
 * The machine code of sites: one piece for each way in which calls are compared.
 *
 * A site has another number and link when its function's arguments widen; the old ones stay, since a thread may be
 * going by them, and are no longer led to. Threads whose arguments are not as wide compare by the hook, until they are.
 *
 * Code tells the calls of a caller apart by their arguments, so that those which take turns lie in places of their own;
 * but by whether a pointer is NULL only once a call has shown that it is at times, since most never are. Then the site
 * has another link, with the same number: the edges stay as they are, and are found in other places.
 *
 * Code lies in chunks that are writable while a piece is added, and executable all the time. Where that may not be,
 * there is no code, and every call is compared by the hook.
 */
#include "profiler/sled/site_codes.h"

#include <stdbool.h>
#include <sys/mman.h>

#include "format/sled.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/base/syscall.h"
#include "profiler/hook/sled_hooks.h"
#include "profiler/module/module.h"

#define CHUNK_SIZE  ((size_t)256 << 10)
#define MAX_CODE    4096u            /* bytes of one piece */
#define LAST_NUMBER (UINT16_MAX - 1) /* the highest is that of no edge: tree/edge_places.c */
#define CODE_ALIGN  64u

/* A piece of code, and what it compares. In the process's arena; under codes_lock. */
struct piece {
  struct piece *next; /* made before this one */
  uint8_t *code;      /* NULL: what is to be compared cannot be by code */
  uint32_t count, words, nulls;
  unsigned flags; /* prof_sled_code_flags() of the sleds */
  struct prof_fast_compare_op ops[];
};

/* What a site's stub leads to. In the process's arena; under codes_lock. */
struct prof_site_code {
  struct prof_site_link link;
  struct prof_site_code *same_place; /* made before this one; read without the lock */
  const struct piece *piece;
  uint16_t number;
  uint32_t widened; /* compare->widened of what it was made for */
};

/* Where the next piece goes. Under codes_lock. */
static struct {
  struct piece *pieces;
  uint8_t *chunk, *next;
  uint16_t numbers; /* given so far */
  bool denied;
} pool;

/* By prof_function_place(), the newest first. Added to under codes_lock, and read without it. */
static struct prof_site_code *by_place[PROF_ACTIVE_PLACES];

static const struct prof_site_link none = {.code = (uintptr_t)prof_sled_unknown};

const struct prof_site_link *prof_site_link_none(void)
{
  return &none;
}

unsigned prof_sled_code_flags(const struct fmt_index_sled *sled)
{
  unsigned mask = sled->kind == FMT_SLED_TAIL ? 0 : (unsigned)FMT_SLED_FREE | (unsigned)FMT_SLED_SPARE;
  if (prof_process.settings.sample_times)
    mask |= FMT_SLED_LEAF;
  return sled->flags & mask;
}

static bool compares_alike(const struct piece *piece, const struct prof_fast_compare *compare)
{
  if (piece->count != compare->count || piece->words != compare->words)
    return false;
  for (uint32_t i = 0; i < piece->count; i++) {
    const struct prof_fast_compare_op *a = &piece->ops[i], *b = &compare->ops[i];
    if (a->kind != b->kind || a->reg != b->reg || a->shift != b->shift || a->flags != b->flags ||
        a->offset != b->offset)
      return false;
  }
  return true;
}

static bool protect(int protection)
{
  return PROF_SYSCALL3(SYS_mprotect, pool.chunk, CHUNK_SIZE, protection) == 0;
}

static bool add_chunk(void)
{
  long mapped = prof_sys_mmap(0, CHUNK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (prof_sys_failed(mapped))
    return false;
  if (!prof_module_note_code((uintptr_t)mapped, CHUNK_SIZE)) {
    prof_sys_munmap((void *)mapped, CHUNK_SIZE);
    return false;
  }
  pool.chunk = pool.next = (uint8_t *)mapped;
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

static uint8_t *write_code(const struct prof_fast_compare *compare, uint32_t nulls, unsigned flags)
{
  if (!open_pool())
    return NULL;
  uint8_t *code = pool.next;
  size_t size = prof_site_code_write(code, MAX_CODE, compare, nulls, flags);
  pool.next += (size + CODE_ALIGN - 1) & ~(size_t)(CODE_ALIGN - 1);
  return protect(PROT_READ | PROT_EXEC) && size ? code : NULL;
}

/* The piece that compares so, made when new. NULL: no memory. */
static const struct piece *piece_for(const struct prof_fast_compare *compare, uint32_t nulls, unsigned flags)
{
  struct piece *piece = pool.pieces;
  while (piece && !(piece->flags == flags && piece->nulls == nulls && compares_alike(piece, compare)))
    piece = piece->next;
  if (piece)
    return piece;
  piece = prof_process_alloc(sizeof *piece + compare->count * sizeof piece->ops[0]);
  if (!piece)
    return NULL;
  piece->count = compare->count;
  piece->words = compare->words;
  piece->nulls = nulls;
  piece->flags = flags;
  for (uint32_t i = 0; i < compare->count; i++)
    piece->ops[i] = compare->ops[i];
  piece->code = write_code(compare, nulls, flags);
  piece->next = pool.pieces;
  pool.pieces = piece;
  return piece;
}

/* The word with the link of the site's stub; NULL when its sled calls none. *flags: those of the sled that
 * its code depends on. */
static const struct prof_site_link **link_of(const struct prof_site *site, unsigned *flags)
{
  const struct prof_module *module = site->module;
  uint64_t address = site->pc - FMT_SLED_CALL - module->bias;
  const struct fmt_index_sled *sled = fmt_index_sled_from(&module->index, address);
  if (!module->sled_code || !sled || sled->address != address)
    return NULL;
  *flags = prof_sled_code_flags(sled);
  uintptr_t code = module->sled_code[sled - module->index.sleds];
  return code ? module->sled_links + (code - module->sled_stubs) / PROF_STUB_SIZE : NULL;
}

static void set_active(struct prof_site_code *code)
{
  __atomic_fetch_or(&code->link.mode, PROF_MODE_EVER_ACTIVE, __ATOMIC_RELAXED);
}

/* Either this finds the function to have been active, or who finds that finds the code. Nothing leads to it yet. */
static void enlist(struct prof_site_code *code, uint32_t place)
{
  code->same_place = by_place[place];
  __atomic_store_n(&by_place[place], code, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&prof_process.ever_active[place], __ATOMIC_SEQ_CST))
    set_active(code);
}

void prof_site_codes_activate(const struct fmt_rec_function *function)
{
  const uint32_t place = prof_function_place(function);
  uint8_t never = 0;
  __atomic_compare_exchange_n(&prof_process.ever_active[place], &never, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  for (struct prof_site_code *code = __atomic_load_n(&by_place[place], __ATOMIC_SEQ_CST); code; code = code->same_place)
    set_active(code);
  __atomic_store_n(&prof_process.ever_active[place], PROF_ACTIVE_TOLD, __ATOMIC_RELEASE);
}

/* Makes code for the site that finds edges of this number, and leads there. False: there can be none. */
static bool make(const struct prof_fast_compare *compare, uint32_t nulls, uint16_t number)
{
  struct prof_site *site = (struct prof_site *)compare->site;
  unsigned flags = 0;
  const struct prof_site_link **link = link_of(site, &flags);
  const struct piece *piece = link ? piece_for(compare, nulls, flags) : NULL;
  struct prof_site_code *code = piece && piece->code ? prof_process_alloc(sizeof *code) : NULL;
  if (!code)
    return false;
  code->number = number;
  code->widened = compare->widened;
  code->piece = piece;
  code->link = prof_site_code_link(piece->code, compare, code->number);
  enlist(code, prof_function_place(compare->function));
  site->code = code;
  __atomic_store_n(link, &code->link, __ATOMIC_RELEASE);
  return true;
}

static uint16_t make_first(const struct prof_fast_compare *compare)
{
  if (pool.numbers == LAST_NUMBER || !make(compare, prof_fast_compare_nulls(compare), pool.numbers + 1))
    return 0;
  return ++pool.numbers;
}

/* Leads the stub to the newest code of the site again, where prof_site_codes_leave() has led it to none. Under
 * codes_lock. */
static void lead_again(const struct prof_site *site)
{
  unsigned flags;
  const struct prof_site_link **link = site->code ? link_of(site, &flags) : NULL;
  if (link && *link == &none)
    __atomic_store_n(link, &site->code->link, __ATOMIC_RELEASE);
}

void prof_site_codes_leave(const struct prof_module *module)
{
  const struct fmt_index *index = &module->index;
  if (!module->sled_code)
    return;
  prof_lock(&prof_process.codes_lock);
  for (uint32_t i = 0; i < index->count[FMT_SECTION_SLEDS]; i++)
    if (fmt_sled_is_entry(index->sleds[i].kind) && module->sled_code[i])
      __atomic_store_n(module->sled_links + (module->sled_code[i] - module->sled_stubs) / PROF_STUB_SIZE, &none,
                       __ATOMIC_RELEASE);
  prof_unlock(&prof_process.codes_lock);
}

uint16_t prof_site_code(const struct prof_fast_compare *compare)
{
  prof_lock(&prof_process.codes_lock);
  const struct prof_site_code *known = compare->site->code;
  const uint32_t nulls = prof_fast_compare_nulls(compare);
  uint16_t number = 0;
  lead_again(compare->site);
  if (known && compares_alike(known->piece, compare)) {
    number = known->number;
    if (nulls & ~known->piece->nulls)
      make(compare, nulls | known->piece->nulls, number);
  } else if (!known || compare->widened > known->widened) {
    number = make_first(compare);
  }
  prof_unlock(&prof_process.codes_lock);
  return number;
}
