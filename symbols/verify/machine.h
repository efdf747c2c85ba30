/*
 * A machine with arbitrary contents, on which a DWARF expression and a capture program are run side by side: they mean
 * the same when they give the same value whatever the machine holds.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_MACHINE_H
#define CALLSIG_SYMBOLS_VERIFY_MACHINE_H

#include "symbols/verify/reader.h"

enum { VF_REGISTERS = 16, VF_XMM0 = 17, VF_RSP = 7, VF_STORES_MAX = 64 };

/* What instructions have written (emulate.h). */
struct vf_stores {
  struct {
    uint64_t address, value;
    unsigned size;
    bool is_known;
  } list[VF_STORES_MAX];
  unsigned count;
  unsigned reads; /* loads of what was written */
};

struct vf_machine {
  uint64_t seed;
  uint64_t registers[VF_REGISTERS]; /* at the hook's first instruction, rsp before the call of the hook */
  uint64_t vectors[VF_REGISTERS];   /* low 8 bytes of xmm0 to xmm15 */
  uint64_t entry[VF_REGISTERS];     /* on entry to the function */
  uint64_t bias;                    /* run-time minus link-time address */
  uint64_t thread_block;
  uint32_t unknown;         /* a bit for each register whose contents are not known; 0 but for a machine that has run */
  struct vf_stores *stores; /* NULL for none */
};

/* Fills everything from `seed`. */
void vf_machine_init(struct vf_machine *machine, uint64_t seed);

/* The `size` (1 to 8) bytes at `address`, little-endian, zero-extended. Every address can be read. */
uint64_t vf_machine_load(const struct vf_machine *machine, uint64_t address, unsigned size);

/* The same, false where a store has left bytes that are not known. */
bool vf_machine_read(const struct vf_machine *machine, uint64_t address, unsigned size, uint64_t *value);

/* A value cut to `size` bytes and extended. */
uint64_t vf_extend(uint64_t value, unsigned size, bool is_signed);

/* Runs the ops of arg `arg` of a site. The value it would emit goes to `value`; for an arg that emits whether a pointer
 * is NULL, the pointer itself, and `is_nullness` is set. False: the arg is lost. */
struct vf_emitted {
  uint64_t value;
  bool is_nullness;
  bool is_constant; /* one FMT_OP_EMIT_CONST: of a nullness, `value` is 0 or 1 */
};
bool vf_run_ops(const struct vf_machine *machine, const struct fmt_index *index, const struct fmt_index_site *site,
                uint16_t arg, struct vf_emitted *emitted);

/* The canonical frame address that the site's rule gives. False: the rule is FMT_CFA_UNKNOWN. */
bool vf_site_cfa(const struct vf_machine *machine, const struct fmt_index_site *site, uint64_t *cfa);

#endif
