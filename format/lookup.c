/* Binary searches in what an index keeps in ascending order. */
#include "format/index.h"
#include "format/open.h"

/* The last of `count` entries of `size` bytes, ascending by the 64-bit word that each begins with, whose word is at
 * most `key`; NULL when there is none. */
static const void *last_at_most(const void *entries, uint32_t count, size_t size, uint64_t key)
{
  const char *base = entries;
  uint32_t low = 0, high = count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (*(const uint64_t *)(const void *)(base + middle * size) <= key)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? base + (low - 1) * size : NULL;
}

const struct fmt_index_symbol *fmt_index_symbol_at(const struct fmt_index *index, uint64_t address)
{
  const struct fmt_index_symbol *symbol =
      last_at_most(index->symbols, index->count[FMT_SECTION_SYMBOLS], sizeof *symbol, address);
  return symbol && (symbol->address == address || address - symbol->address < symbol->size) ? symbol : NULL;
}

const struct fmt_index_site *fmt_index_site_at(const struct fmt_index *index, uint64_t pc)
{
  const struct fmt_index_site *site = last_at_most(index->sites, index->count[FMT_SECTION_SITES], sizeof *site, pc);
  return site && site->pc == pc ? site : NULL;
}

const struct fmt_index_call_site *fmt_index_call_site_at(const struct fmt_index *index, uint64_t pc)
{
  const struct fmt_index_call_site *call =
      last_at_most(index->call_sites, index->count[FMT_SECTION_CALL_SITES], sizeof *call, pc);
  return call && call->pc == pc ? call : NULL;
}

const struct fmt_index_sled *fmt_index_sled_from(const struct fmt_index *index, uint64_t address)
{
  uint32_t count = index->count[FMT_SECTION_SLEDS];
  const struct fmt_index_sled *before = address ? last_at_most(index->sleds, count, sizeof *before, address - 1) : NULL;
  uint32_t next = before ? (uint32_t)(before - index->sleds) + 1 : 0;
  return next < count ? &index->sleds[next] : NULL;
}
