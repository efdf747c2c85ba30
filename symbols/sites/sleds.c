/*
 * Reads the sled sections of a module and keeps what the code bears out.
 */
#include "symbols/sites/sleds.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "format/open.h"
#include "format/sled.h"
#include "symbols/elf/frame.h"
#include "symbols/flow/step.h"
#include "symbols/sites/sites.h"

#define PATCHES_SECTION "__patchable_function_entries" /* of -fpatchable-function-entry */

enum {
  VERSION = 2,       /* of entries whose addresses are relative */
  HEAD_MAX = 32,     /* bytes of endbr64 and padding between a function's address and its entry sled */
  IS_BROKEN = 1 << 7 /* among an entry's flags while sleds are settled: one of its function's splits a condition */
};

static const uint8_t nop5[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
static const uint8_t jump11[] = {0xeb, 0x09, 0x66, 0x0f, 0x1f, 0x84, 0x00};
static const uint8_t return11[] = {0xc3, 0x2e, 0x66, 0x0f, 0x1f, 0x84, 0x00};
static const uint8_t return6[] = {0xc3, 0x0f, 0x1f, 0x40, 0x00, 0xc3};

static bool begins_with(const uint8_t *bytes, size_t left, size_t size, const uint8_t *head, size_t head_size)
{
  return left >= size && memcmp(bytes, head, head_size) == 0;
}

/* The shape of the sled at `address`. The last four bytes of the long ones are a displacement that nothing uses. */
static bool shape_at(const struct sym_hook *code, uint64_t address, uint8_t *shape)
{
  const struct sym_code_bytes *section = sym_hook_code_at(code, address);
  if (!section)
    return false;
  const uint8_t *bytes = section->bytes + (address - section->address);
  size_t left = section->size - (size_t)(address - section->address);
  if (begins_with(bytes, left, fmt_sled_size(FMT_SLED_SHAPE_NOP5), nop5, sizeof nop5))
    *shape = FMT_SLED_SHAPE_NOP5;
  else if (begins_with(bytes, left, fmt_sled_size(FMT_SLED_SHAPE_JUMP11), jump11, sizeof jump11))
    *shape = FMT_SLED_SHAPE_JUMP11;
  else if (begins_with(bytes, left, fmt_sled_size(FMT_SLED_SHAPE_RETURN11), return11, sizeof return11))
    *shape = FMT_SLED_SHAPE_RETURN11;
  else if (begins_with(bytes, left, fmt_sled_size(FMT_SLED_SHAPE_RETURN6), return6, sizeof return6))
    *shape = FMT_SLED_SHAPE_RETURN6;
  else
    return false;
  return fmt_sled_is_aligned(address, *shape);
}

/* What an entry of a section says, held against the code; `function` is what the section calls it. */
static bool read_sled(const struct sym_hook *code, const struct fmt_sled *listed, uint64_t place,
                      struct fmt_index_sled *sled)
{
  *sled = (struct fmt_index_sled){.address = place + offsetof(struct fmt_sled, address) + (uint64_t)listed->address,
                                  .function = place + offsetof(struct fmt_sled, function) + (uint64_t)listed->function,
                                  .site = FMT_NONE,
                                  .instructions = listed->instructions,
                                  .kind = fmt_sled_is_entry(listed->kind) ? FMT_SLED_ENTER : listed->kind,
                                  .flags =
                                      listed->flags & (FMT_SLED_LEAF | FMT_SLED_LOOP | FMT_SLED_FREE | FMT_SLED_SPARE)};
  return shape_at(code, sled->address, &sled->shape) &&
         (!fmt_sled_is_return(sled->shape) || sled->kind == FMT_SLED_EXIT);
}

static int read_section(struct sym_sleds *sleds, const struct sym_debugfile *file, const struct sym_hook *code,
                        Elf_Scn *section, const GElf_Shdr *header)
{
  Elf_Data *data = elf_getdata(section, NULL);
  if (header->sh_type == SHT_NOBITS || !data || (data->d_size && !data->d_buf) ||
      data->d_size % sizeof(struct fmt_sled)) {
    sym_debugfile_say(file, "its list of sleds is damaged; build it again");
    return -EINVAL;
  }
  size_t count = data->d_size / sizeof(struct fmt_sled);
  for (size_t i = 0; i < count; i++) {
    struct fmt_sled listed;
    struct fmt_index_sled sled;
    memcpy(&listed, (const char *)data->d_buf + i * sizeof listed, sizeof listed);
    if (listed.kind > FMT_SLED_ENTER_ARGS)
      continue;
    bool is_relative = listed.version == VERSION;
    if (!is_relative || !read_sled(code, &listed, header->sh_addr + i * sizeof listed, &sled)) {
      sleds->refused++;
      sleds->versions += !is_relative;
      continue;
    }
    struct fmt_index_sled *added = base_vector_add(&sleds->sleds, 1);
    if (!added)
      return -ENOMEM;
    *added = sled;
  }
  return 0;
}

static int read_sections(struct sym_sleds *sleds, const struct sym_debugfile *file, const struct sym_hook *code,
                         bool *patches)
{
  size_t names;
  Elf_Scn *section = NULL;
  int error = 0;
  if (elf_getshdrstrndx(file->elf, &names) != 0)
    return 0;
  while (!error && (section = elf_nextscn(file->elf, section))) {
    GElf_Shdr header;
    const char *name = gelf_getshdr(section, &header) ? elf_strptr(file->elf, names, header.sh_name) : NULL;
    if (name && (header.sh_flags & SHF_ALLOC) &&
        (strcmp(name, FMT_SLED_SECTION) == 0 || strcmp(name, FMT_SLED_SECTION_XRAY) == 0))
      error = read_section(sleds, file, code, section, &header);
    *patches |= name && strcmp(name, PATCHES_SECTION) == 0;
  }
  return error;
}

static int compare(const void *a, const void *b)
{
  const struct fmt_index_sled *left = a, *right = b;
  if (left->address != right->address)
    return left->address < right->address ? -1 : 1;
  if (left->kind != right->kind)
    return left->kind < right->kind ? -1 : 1;
  return (left->function > right->function) - (left->function < right->function);
}

/* The first of the sleds found so far that lies at or after `address`, or NULL. */
static struct fmt_index_sled *sled_from(const struct sym_sleds *sleds, uint64_t address)
{
  struct fmt_index view = {.sleds = sleds->sleds.data};
  view.count[FMT_SECTION_SLEDS] = sleds->sleds.count;
  const struct fmt_index_sled *found = fmt_index_sled_from(&view, address);
  return found ? base_vector_at(&sleds->sleds, (uint32_t)(found - view.sleds)) : NULL;
}

/* Sorts. Functions that the linker folded are listed several times: the first stays. What overlaps is left out. */
static void settle_addresses(struct sym_sleds *sleds)
{
  struct fmt_index_sled *all = sleds->sleds.data;
  uint32_t kept = 0;
  if (sleds->sleds.count)
    qsort(all, sleds->sleds.count, sizeof *all, compare);
  for (uint32_t i = 0; i < sleds->sleds.count; i++) {
    const struct fmt_index_sled *last = kept ? &all[kept - 1] : NULL;
    if (!last || all[i].address - last->address >= fmt_sled_size(last->shape))
      all[kept++] = all[i];
    else if (all[i].address != last->address)
      sleds->refused++;
  }
  sleds->sleds.count = kept;
}

/* What the sleds are settled by. */
struct search {
  struct sym_sleds *sleds;
  const struct sym_debugfile *file;
  const struct sym_hook *code;
  const struct sym_symbol_table *symbols;
  bool patches; /* functions have room for patches */
};

/* The entry that a sled's section means by the function that it names: its first sled from there on. */
static const struct fmt_index_sled *entry_of(const struct sym_sleds *sleds, const struct fmt_index_sled *sled)
{
  const struct fmt_index_sled *entry = sled_from(sleds, sled->function);
  return entry && entry->kind == FMT_SLED_ENTER && entry->function == sled->function &&
                 entry->address - entry->function <= HEAD_MAX
             ? entry
             : NULL;
}

/* Keeps the first sled of each function alone as an entry. */
static bool is_first(const struct search *search, struct fmt_index_sled *sled)
{
  const struct fmt_index_sled *entry = entry_of(search->sleds, sled);
  return sled->kind != FMT_SLED_ENTER || (entry && entry->address == sled->address);
}

static bool has_entry(const struct search *search, struct fmt_index_sled *sled)
{
  if (entry_of(search->sleds, sled))
    return true;
  search->sleds->patched += search->patches;
  return false;
}

/* Whether a sled lies between a comparison and the jump that goes by it: no hook keeps the flags, and where the jump is
 * not taken the function goes on. Assemblers may have put padding between them. */
static bool splits_condition(const struct sym_hook *code, const struct fmt_index_sled *sled)
{
  uint64_t at = sled->address + fmt_sled_size(sled->shape);
  struct sym_step step;
  bool is_known = !fmt_sled_is_return(sled->shape) && sym_step_at(code, at, UINT64_MAX, &step);
  while (is_known && step.is_padding) {
    at += step.size;
    is_known = sym_step_at(code, at, UINT64_MAX, &step);
  }
  return is_known && step.target && step.falls_through;
}

/* Marks the entries of functions with such a sled. */
static void mark_broken(const struct search *search)
{
  for (uint32_t i = 0; i < search->sleds->sleds.count; i++) {
    const struct fmt_index_sled *sled = base_vector_at(&search->sleds->sleds, i);
    if (splits_condition(search->code, sled))
      sym_sleds_add_flags(search->sleds, entry_of(search->sleds, sled)->address, IS_BROKEN);
  }
}

/* Leaves out all sleds of such a function: without that exit alone its frame would stay open until its caller does
 * something that is seen, and be taken for the caller of what that calls with arguments on the stack. */
static bool is_unbroken(const struct search *search, struct fmt_index_sled *sled)
{
  if (!(entry_of(search->sleds, sled)->flags & IS_BROKEN))
    return true;
  search->sleds->broken++;
  search->sleds->broken_functions += sled->kind == FMT_SLED_ENTER;
  return false;
}

/* Gives a sled the address of its function: what the section says, a symbol, or where the frame's description begins.
 * No other sled lies between that and the entry. */
static bool name_function(const struct search *search, struct fmt_index_sled *sled)
{
  const struct fmt_index_sled *entry = entry_of(search->sleds, sled);
  const struct sym_symbol *symbol = sym_symbol_table_holding(search->symbols, entry->address);
  uint64_t function = entry->function;
  if (function == entry->address && symbol) {
    function = symbol->address;
  } else if (function == entry->address) {
    struct sym_frame frame;
    sym_frame_at(search->file, entry->address, &frame);
    function = frame.start;
  }
  bool is_its = function <= entry->address && entry->address - function <= HEAD_MAX &&
                sled_from(search->sleds, function)->address == entry->address;
  sled->function = is_its ? function : entry->address;
  return true;
}

/* Replaces the sleds by what `settle` makes of each; false leaves it out. */
static int settle_each(const struct search *search, bool (*settle)(const struct search *, struct fmt_index_sled *))
{
  struct base_vector settled = BASE_VECTOR_OF(struct fmt_index_sled);
  struct sym_sleds *sleds = search->sleds;
  int error = 0;
  for (uint32_t i = 0; !error && i < sleds->sleds.count; i++) {
    struct fmt_index_sled sled = *(const struct fmt_index_sled *)base_vector_at(&sleds->sleds, i);
    if (!settle(search, &sled)) {
      sleds->refused++;
      continue;
    }
    struct fmt_index_sled *added = base_vector_add(&settled, 1);
    if (added)
      *added = sled;
    error = added ? 0 : -ENOMEM;
  }
  base_vector_free(&sleds->sleds);
  sleds->sleds = settled;
  return error;
}

int sym_sleds_find(struct sym_sleds *sleds, const struct sym_debugfile *file, const struct sym_hook *code,
                   const struct sym_symbol_table *symbols)
{
  *sleds = (struct sym_sleds){.sleds = BASE_VECTOR_OF(struct fmt_index_sled)};
  struct search search = {.sleds = sleds, .file = file, .code = code, .symbols = symbols};
  int error = read_sections(sleds, file, code, &search.patches);
  if (!error) {
    settle_addresses(sleds);
    error = settle_each(&search, is_first);
  }
  if (!error)
    error = settle_each(&search, has_entry);
  if (!error) {
    mark_broken(&search);
    error = settle_each(&search, is_unbroken);
  }
  if (!error)
    error = settle_each(&search, name_function);
  return error;
}

void sym_sleds_free(struct sym_sleds *sleds)
{
  base_vector_free(&sleds->sleds);
}

bool sym_sleds_have_tail(const struct sym_sleds *sleds, uint64_t low, uint64_t high)
{
  const struct fmt_index_sled *end = (const struct fmt_index_sled *)sleds->sleds.data + sleds->sleds.count;
  for (const struct fmt_index_sled *sled = sled_from(sleds, low); sled && sled < end && sled->address < high; sled++)
    if (sled->kind == FMT_SLED_TAIL)
      return true;
  return false;
}

void sym_sleds_add_flags(struct sym_sleds *sleds, uint64_t address, uint8_t flags)
{
  sled_from(sleds, address)->flags |= flags;
}

void sym_sleds_share_flags(struct sym_sleds *sleds)
{
  for (uint32_t i = 0; i < sleds->sleds.count; i++) {
    struct fmt_index_sled *sled = base_vector_at(&sleds->sleds, i);
    sled->flags = sled_from(sleds, sled->function)->flags;
  }
}

static int compare_sites(const void *a, const void *b)
{
  const struct sym_found_site *left = a, *right = b;
  return (left->pc > right->pc) - (left->pc < right->pc);
}

int sym_sleds_add_sites(const struct sym_sleds *sleds, struct base_vector *sites)
{
  for (uint32_t i = 0; i < sleds->sleds.count; i++) {
    const struct fmt_index_sled *sled = base_vector_at(&sleds->sleds, i);
    if (sled->kind != FMT_SLED_ENTER)
      continue;
    struct sym_found_site *site = base_vector_add(sites, 1);
    if (!site)
      return -ENOMEM;
    *site = (struct sym_found_site){.pc = sled->address + FMT_SLED_CALL,
                                    .call = sled->address,
                                    .sled_end = sled->address + fmt_sled_size(sled->shape),
                                    .function = sled->function};
  }
  if (sites->count)
    qsort(sites->data, sites->count, sizeof(struct sym_found_site), compare_sites);
  return 0;
}
