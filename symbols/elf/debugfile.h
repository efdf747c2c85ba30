/*
 * An ELF file with its debug information, wherever that lies.
 *
 * libdwfl does the searching: the file itself, .gnu_debuglink and build-id paths beside it and under /usr/lib/debug,
 * debuginfod where DEBUGINFOD_URLS is set, .gnu_debugdata, dwz supplementary files; libdw opens split units (.dwo) and
 * compressed sections as they are asked for. The file is laid out at bias 0, so every address is a link-time address.
 */
#ifndef CALLSIG_SYMBOLS_ELF_DEBUGFILE_H
#define CALLSIG_SYMBOLS_ELF_DEBUGFILE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/message.h"
#include "symbols/processor/processor.h"

struct sym_debugfile {
  const char *path; /* borrowed */
  Dwfl *dwfl;       /* owns everything below */
  Dwfl_Module *module;
  Elf *elf;               /* the file itself: code and relocations */
  Dwarf *dwarf;           /* NULL when there is none */
  Dwarf_CFI *eh_frame;    /* NULL when there is none */
  Dwarf_CFI *debug_frame; /* NULL when there is none */
  GElf_Ehdr header;
  const struct sym_processor *processor; /* of the file */
  const uint8_t *build_id;               /* NULL when there is none */
  size_t build_id_size;
  base_message_fn message; /* NULL: silent */
  void *data;
};

/* Opens `path`; `file` is filled and must be closed with sym_debugfile_close(), also after an error. -ENOEXEC: not an
 * executable or shared object of a processor that is known; -ENOENT and what else open() says. Every error gives one
 * line to `message`. */
int sym_debugfile_open(struct sym_debugfile *file, const char *path, base_message_fn message, void *data);
void sym_debugfile_close(struct sym_debugfile *file);

/* The link-time address of what lies at `offset` in the file. False where no segment has it. */
bool sym_link_address(Elf *elf, uint64_t offset, uint64_t *address);

/* One line for the message callback, "path: " before it. */
void sym_debugfile_say(const struct sym_debugfile *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
