/*
 * The signature index: one flat, position-independent, checksummed file a module.
 *
 * symbols/ writes it from ELF and DWARF; the runtime maps and searches it without allocating; output/ prints arguments
 * with it. Everything is little-endian, every section is 8-byte aligned, and every reference is an index or an offset
 * that a reader must check against the section's count. docs/index-format.md describes the file byte by byte.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_INDEX_H
#define CALLSIG_FORMAT_INDEX_H

#include <stdint.h>

#define FMT_INDEX_MAGIC   "CSIGIDX" /* eight bytes with the terminating NUL */
#define FMT_INDEX_VERSION 2u
#define FMT_NONE          UINT32_MAX /* "no such entry" in every 32-bit reference */

/* A section is an array. entry_size lets an older reader step over entries that have grown. */
struct fmt_index_section {
  uint64_t offset;     /* bytes from the start of the file */
  uint32_t count;      /* entries; for FMT_SECTION_STRINGS, bytes */
  uint32_t entry_size; /* bytes */
};

enum fmt_index_section_id {
  FMT_SECTION_STRINGS,     /* NUL-terminated UTF-8; offset 0 is the empty string; the last byte is NUL */
  FMT_SECTION_SITES,       /* struct fmt_index_site, ascending by pc */
  FMT_SECTION_PHYSICALS,   /* struct fmt_index_physical, ascending by low */
  FMT_SECTION_FUNCTIONS,   /* struct fmt_index_function */
  FMT_SECTION_ARGS,        /* struct fmt_index_arg */
  FMT_SECTION_TYPES,       /* struct fmt_index_type */
  FMT_SECTION_ENUMERATORS, /* struct fmt_index_enumerator, ascending by value within a type */
  FMT_SECTION_OPS,         /* struct fmt_op */
  FMT_SECTION_STATES,      /* uint64_t: initial state words of sites */
  FMT_SECTION_RANGES,      /* int64_t: ascending lower bounds of bucket rules, each list preceded by its length */
  FMT_SECTION_CALL_SITES,  /* struct fmt_index_call_site, ascending by pc */
  FMT_SECTION_CALL_VALUES, /* struct fmt_index_call_value */
  FMT_SECTION_SYMBOLS,     /* struct fmt_index_symbol, ascending by address: names for function pointers */
  FMT_SECTION_SAVED,       /* struct fmt_index_saved: where a site's frame keeps its caller's registers */
  FMT_SECTION_RULES,       /* struct fmt_index_rule: what became of each rule of the rules file, in its order */
  FMT_SECTION_SLEDS,       /* struct fmt_index_sled, ascending by address, without overlap; since version 2 */
  FMT_SECTION_COUNT
};

struct fmt_index_header {
  char magic[8];
  uint32_t version;
  uint32_t header_size; /* bytes of this structure as written */
  uint64_t file_size;   /* bytes */
  uint64_t checksum;    /* XXH64, seed 0, of bytes [header_size, file_size) */
  uint8_t build_id[32];
  uint32_t build_id_size; /* 0 when the module has none */
  uint32_t flags;         /* enum fmt_index_flag */
  uint32_t machine;       /* e_machine */
  uint32_t path;          /* string: the module's path when it was indexed */
  uint64_t rules_hash;    /* fmt_index_made_by() (cache_key.h) of the XXH64 of the rules' text; 0 without rules */
  uint32_t section_count; /* FMT_SECTION_COUNT as written */
  uint32_t producer;      /* what version of the code that makes indexes made it: the cache rebuilds those of another */
  struct fmt_index_section sections[FMT_SECTION_COUNT]; /* section_count as written: 15 in version 1 */
};

#define FMT_INDEX_HEADER_MIN 336u /* bytes of the smallest header: version 1's */

enum fmt_index_flag {
  FMT_INDEX_HAS_DWARF = 1u << 0,  /* parameters are known; without it every function has zero args and says so */
  FMT_INDEX_HAS_SYMTAB = 1u << 1, /* static functions have names even without DWARF */
  FMT_INDEX_BIND_NOW = 1u << 2,   /* the hook is never reached through the lazy resolver */
  FMT_INDEX_LACKS_UNITS = 1u << 3 /* debug information of some units (.dwo files) was not found */
};

/* From this bit of the flags on: of how many units, up to a number that stands for more as well. */
#define FMT_INDEX_LACKING_SHIFT 16u
#define FMT_INDEX_LACKING_MAX   UINT16_MAX

/* How the canonical frame address (the value of the stack pointer before the call that made the frame) follows from
 * the registers at the probe site. The stack pointer is as it is just before the call of the hook. */
enum fmt_cfa_kind {
  FMT_CFA_UNKNOWN,  /* no CFI: the runtime uses the stack pointer itself */
  FMT_CFA_REGISTER, /* CFA = reg + offset */
  FMT_CFA_MEMORY,   /* CFA = *(uint64_t *)(reg + offset): frames that realign the stack */
};

/* A probe site: the instruction after one call of __cyg_profile_func_enter. */
struct fmt_index_site {
  uint64_t pc;       /* link-time address */
  uint32_t function; /* who was entered: for an inlined instance, the inlined function */
  uint32_t physical; /* the out-of-line code that holds the site, or FMT_NONE */
  uint32_t first_op; /* the capture program */
  uint16_t op_count;
  uint16_t flags;       /* enum fmt_site_flag */
  uint32_t first_state; /* function.state_words entries of FMT_SECTION_STATES */
  uint8_t cfa_kind;     /* enum fmt_cfa_kind */
  uint8_t cfa_register; /* DWARF register number */
  uint16_t saved_count; /* entries of FMT_SECTION_SAVED; only sites with a FMT_OP_ENTRY have any */
  int32_t cfa_offset;
  uint32_t line; /* for an inlined instance, the line it was inlined at; else the function's own */
  uint32_t first_saved;
  uint32_t reserved;
};

/* The value that a callee-saved register had on entry to the physical function lies in memory at CFA + offset. A
 * register that is not listed still holds it. */
struct fmt_index_saved {
  int32_t cfa_offset;
  uint8_t reg; /* DWARF register number */
  uint8_t reserved[3];
};

enum fmt_site_flag {
  FMT_SITE_INLINED = 1u << 0, /* shares its frame with the function it was inlined into */
  FMT_SITE_SIMPLE =
      1u << 1, /* every op is FMT_OP_EMIT_REG, _NULL_REG or _CONST: nothing can fail and memory is not read */
  FMT_SITE_SLED = 1u << 2, /* an entry sled: pc is its address + 5, where a call in its place returns to; registers and
                              memory are read as they are at the sled, where the return address lies at rsp */
  FMT_SITE_LIBRARY =
      1u << 3, /* an imported function: pc is the address of a slot that the dynamic linker fills with the
                  function's address; registers and memory are read as
                  they are at the function's first instruction */
  FMT_SITE_LIBRARY_TIMED = 1u << 4, /* and a frame may lie between the caller and the function: it passes everything in
                                       registers, returns once, and does not look at who called it */
  FMT_SITE_LIBRARY_READ =
      1u << 5,                /* and some code loads from the slot, so that it has to hold the function's address */
  FMT_SITE_RETURNS = 1u << 6, /* the function has a FMT_ARG_RETURN, and what its calls from here return lies, where they
                                 return, in the register that the ABI has for its type */
};

/* A sled (format/sled.h) that the runtime may turn into a call. Each function that has any has an entry, and that is
 * its first sled at or after `function`. */
struct fmt_index_sled {
  uint64_t address;  /* link-time */
  uint64_t function; /* link-time: what the site's hooks are given as this_fn, the same for all sleds of a function */
  uint32_t site;     /* of an entry: its FMT_SECTION_SITES entry, or FMT_NONE; of an exit FMT_NONE */
  uint32_t instructions; /* of the function; 0 unknown */
  uint8_t kind;          /* enum fmt_sled_kind */
  uint8_t shape;         /* enum fmt_sled_shape */
  uint8_t flags;         /* enum fmt_sled_flag */
  uint8_t reserved[5];
};

/* A range of code with one frame: what a return address or a frame belongs to. */
struct fmt_index_physical {
  uint64_t low, high; /* link-time addresses, high exclusive */
  uint32_t function;  /* or FMT_NONE when it is not instrumented */
  uint32_t reserved;
};

enum fmt_function_flag {
  FMT_FUNCTION_CXX = 1u << 0,
  FMT_FUNCTION_NO_DWARF = 1u << 1, /* parameters are unknown: prints as name(?) */
  FMT_FUNCTION_VARIADIC = 1u << 2, /* prints ", ..." after the last parameter */
  FMT_FUNCTION_NO_NAME = 1u << 3,  /* stripped: the name is 0x<address> */
  FMT_FUNCTION_LIBRARY = 1u << 4,  /* imported: file and line are those of its declaration, and the address is that of
                                      its first slot */
  FMT_FUNCTION_UNTIMED = 1u << 5,  /* of those: the ends of its calls are not heard of */
  FMT_FUNCTION_SPLIT = 1u << 6,    /* has sites in itself and in a part that the compiler split off: what calls of it go
                                      on in is a call as well */
  FMT_FUNCTION_TOP = 1u << 7,      /* its name is one that `callsig run --below` looks for */
};

struct fmt_index_function {
  uint64_t address;      /* link-time entry point, 0 when every instance was inlined */
  uint32_t name;         /* string: as printed (C++: qualified and without its parameters) */
  uint32_t linkage_name; /* string: the symbol, clone suffixes removed; "" when unknown */
  uint32_t file;         /* string: as in DWARF, made absolute with the compilation directory */
  uint32_t line;         /* 0 unknown */
  uint32_t first_arg;
  uint16_t arg_count;   /* entries of FMT_SECTION_ARGS, fields of groups included */
  uint16_t state_words; /* (arg_count + 15) / 16 */
  uint32_t flags;       /* enum fmt_function_flag */
  uint32_t reserved;
};

/*
 * A signature, as the runtime captures and compares it, is a sequence of 64-bit words:
 *
 *   state words   function.state_words of them: four bits an arg (enum fmt_arg_state), arg 0 in the low bits
 *   then, for each arg in order, the words of its kind when its state is READ (none in any other state but LOG2,
 *   which has one: the bucket)
 */
enum fmt_arg_state {
  FMT_STATE_READ,
  FMT_STATE_LOST,       /* the optimiser left it nowhere: prints n=? */
  FMT_STATE_UNREADABLE, /* the pointer on the way to it could not be followed: prints n=<unreadable> */
  FMT_STATE_LOG2,       /* widened by the cardinality guard to a power-of-two bucket: n=2^20..2^21 */
  FMT_STATE_TYPE,       /* widened by the cardinality guard to its type: n:int */
};

enum fmt_arg_kind {
  FMT_ARG_VALUE,    /* 1 word: an integer, char, bool, enum or function pointer, extended to 64 bits by its type */
  FMT_ARG_NULLNESS, /* 1 word: 0 for NULL, 1 otherwise; prints p:type* (or p:type[join]) or p=NULL */
  FMT_ARG_TYPE,     /* 0 words: prints x:type */
  FMT_ARG_STRING, /* 1 word: length in bytes, bit 63 set when cut off, UINT64_MAX for NULL; then ceil(length / 8) words
                   */
  FMT_ARG_BUCKET_LOG2,  /* 1 word: enum of the bucket, see fmt_bucket_log2() */
  FMT_ARG_BUCKET_RANGE, /* 1 word: how many lower bounds of range list `aux` are <= the value */
  FMT_ARG_FLOAT,        /* 1 word: the bits, by rule only; type says float or double */
  FMT_ARG_SPAN,    /* 1 word: count, bit 63 set when cut off at FMT_SPAN_MAX; then that many words: shape=(16, 4) */
  FMT_ARG_GROUP,   /* 0 words: the next `children` args (and theirs) print inside it; see text */
  FMT_ARG_IGNORED, /* 0 words: not part of the signature; not printed in text, state "ignored" in JSON */
};

#define FMT_SPAN_MAX            16u
#define FMT_STRING_MAX          256u /* upper limit of a string rule's own limit, bytes */
#define FMT_SIGNATURE_MAX_WORDS 256u

enum fmt_arg_flag {
  FMT_ARG_THIS = 1u << 0, /* C++ this: shown by its class */
  FMT_ARG_REFERENCE = 1u << 1,
  FMT_ARG_JOIN_BY_NAME = 1u << 2,  /* the join was made by the length parameter's name, not by a rule */
  FMT_ARG_GROUP_POINTER = 1u << 3, /* of a GROUP: the parameter is a pointer, and the first child is its NULLNESS, which
                                     is not one of {0}, {1} and has no name; NULL prints p=NULL in place of the group */
  FMT_ARG_RETURN = 1u << 4, /* what the function returns: always the last, LOST when a call begins; a call where it is
                               READ has ended. Its kind is VALUE, NULLNESS, TYPE, FLOAT or a bucket */
};

struct fmt_index_arg {
  uint32_t name;      /* string: "n", or by rule "req->hdr.kind" */
  uint32_t type;      /* index of a type: of the argument itself */
  uint8_t kind;       /* enum fmt_arg_kind */
  uint8_t flags;      /* enum fmt_arg_flag */
  uint16_t join;      /* arg of the same function that holds the element count, UINT16_MAX for none */
  uint16_t children;  /* of a group: args that follow and belong to it, all depths */
  uint16_t parameter; /* ordinal of the source parameter this was made from */
  uint32_t aux;       /* STRING: limit in bytes; BUCKET_RANGE: offset in FMT_SECTION_RANGES; else 0 */
  uint32_t text;      /* GROUP: how it prints, a string in which {0}, {1} stand for the direct children's values;
                         "" prints type(name=value, name=value) */
};

enum fmt_type_kind {
  FMT_TYPE_UNKNOWN,
  FMT_TYPE_VOID,
  FMT_TYPE_SIGNED,
  FMT_TYPE_UNSIGNED,
  FMT_TYPE_CHAR, /* prints as 'a' */
  FMT_TYPE_BOOL,
  FMT_TYPE_FLOAT,
  FMT_TYPE_ENUM,
  FMT_TYPE_FLAGS, /* an enum whose enumerators are distinct bits: prints A|B */
  FMT_TYPE_POINTER,
  FMT_TYPE_FUNCTION_POINTER,
  FMT_TYPE_AGGREGATE, /* struct, union, class */
  FMT_TYPE_ARRAY,
  FMT_TYPE_OTHER, /* complex, vector, member pointer, _BitInt ... */
};

struct fmt_index_type {
  uint32_t name;     /* string: as printed, "unsigned int", "struct node*", "double[3]" */
  uint8_t kind;      /* enum fmt_type_kind, of the type with typedefs and cv removed */
  uint8_t is_signed; /* of integers and enums */
  uint16_t reserved;
  uint32_t size;   /* bytes; 0 unknown */
  uint32_t target; /* of a pointer or array: the type pointed to, or FMT_NONE */
  uint32_t first_enumerator;
  uint32_t enumerator_count;
};

struct fmt_index_enumerator {
  int64_t value;
  uint32_t name;
  uint32_t reserved;
};

/*
 * Capture programs. A program runs its ops in order on a small stack of 64-bit values (at most FMT_STACK_MAX deep; the
 * index writer checks). Each arg's ops end in one EMIT op. When an op fails, the arg's state becomes LOST or
 * UNREADABLE, and the program continues after that arg's EMIT (`skip` ops further on). Args whose initial state is not
 * READ have no ops.
 */
#define FMT_STACK_MAX 16u

enum fmt_op_code {
  /* Whole arguments in one op: what nearly every parameter needs. */
  FMT_OP_EMIT_REG,        /* word = register `reg`, its low `size` bytes, sign-extended when FMT_OPF_SIGNED */
  FMT_OP_EMIT_NULL_REG,   /* word = register `reg` != 0 */
  FMT_OP_EMIT_CONST,      /* word = imm */
  FMT_OP_EMIT_FRAME,      /* word = `size` bytes at register `reg` + imm: the program's own frame, never faults */
  FMT_OP_EMIT_NULL_FRAME, /* word = (8 bytes at register `reg` + imm) != 0 */
  /* Pushing. */
  FMT_OP_REG,     /* push register `reg` (DWARF number; the stack pointer as it is before the call of the hook) */
  FMT_OP_XMM,     /* push the low 8 bytes of vector register `reg`: its own number, xmm0 or v0 being 0, not DWARF's */
  FMT_OP_CONST,   /* push imm */
  FMT_OP_ADDRESS, /* push imm + the module's load bias */
  FMT_OP_CFA,     /* push the canonical frame address */
  FMT_OP_ENTRY,   /* push what register `reg` held on entry to the function, by way of the caller's call site; else LOST
                   */
  FMT_OP_TLS,     /* push imm + the module's thread-local block; LOST when that is unknown */
  /* Memory. */
  FMT_OP_FRAME_LOAD, /* top = `size` bytes at top + imm, zero-extended: only for addresses in the program's own frame */
  FMT_OP_LOAD,       /* the same for any address: followed safely; UNREADABLE when it cannot be */
  /* Arithmetic on the top of the stack, as DWARF defines it: the operand names are DWARF's. */
  FMT_OP_ADD_CONST, /* top += imm */
  FMT_OP_DUP,
  FMT_OP_DROP,
  FMT_OP_OVER,
  FMT_OP_PICK /* imm */,
  FMT_OP_SWAP,
  FMT_OP_ROT,
  FMT_OP_ABS,
  FMT_OP_AND,
  FMT_OP_DIV /* signed; by zero: LOST */,
  FMT_OP_MINUS,
  FMT_OP_MOD /* unsigned; by zero: LOST */,
  FMT_OP_MUL,
  FMT_OP_NEG,
  FMT_OP_NOT,
  FMT_OP_OR,
  FMT_OP_PLUS,
  FMT_OP_SHL,
  FMT_OP_SHR,
  FMT_OP_SHRA,
  FMT_OP_XOR,
  FMT_OP_EQ,
  FMT_OP_GE,
  FMT_OP_GT,
  FMT_OP_LE,
  FMT_OP_LT,
  FMT_OP_NE,     /* signed comparisons, 0 or 1 */
  FMT_OP_EXTEND, /* top = its low `size` bytes, sign-extended when FMT_OPF_SIGNED */
  FMT_OP_BITS,   /* top = `size` bits of top from bit imm, sign-extended when FMT_OPF_SIGNED: bit-fields */
  FMT_OP_SKIP,   /* leave out the next imm ops (0 or more, ending at most before the arg's EMIT) */
  FMT_OP_BRANCH, /* pop; when not zero, leave out the next imm ops */
  FMT_OP_LOSE,   /* the arg is LOST */
  /* Emitting from the stack: each pops what it uses. */
  FMT_OP_EMIT,          /* word = low `size` bytes of top, sign-extended when FMT_OPF_SIGNED */
  FMT_OP_EMIT_NULL,     /* word = top != 0 */
  FMT_OP_EMIT_STRING,   /* the string at top, at most imm bytes; see FMT_ARG_STRING */
  FMT_OP_EMIT_STRING_N, /* pops a length, then an address: that many bytes, at most imm */
  FMT_OP_EMIT_LOG2,     /* the log2 bucket of top; FMT_OPF_SIGNED as the value's type */
  FMT_OP_EMIT_RANGE,    /* the bucket of top in range list imm of FMT_SECTION_RANGES; FMT_OPF_SIGNED */
  FMT_OP_EMIT_SPAN,     /* pops a count, then an address: elements of `size` bytes, FMT_OPF_SIGNED; see FMT_ARG_SPAN */
  FMT_OP_EMIT_SPAN_FRAME, /* the same in the program's own frame */
  FMT_OP_COUNT
};

enum fmt_op_flag {
  FMT_OPF_SIGNED = 1u << 0,
  FMT_OPF_VOLATILE =
      1u << 1, /* reads rax, r10 or r11, which the lazy resolver destroys on a module's first call: LOST then */
  FMT_OPF_STORAGE =
      1u << 2, /* FMT_OP_LOAD: the parameter itself is kept there, by DWARF; not the target of a pointer */
};

struct fmt_op {
  uint8_t code;  /* enum fmt_op_code */
  uint8_t reg;   /* DWARF register number */
  uint8_t size;  /* bytes, 1 to 8 */
  uint8_t flags; /* enum fmt_op_flag */
  uint16_t arg;  /* the arg this op belongs to, by its place in the function */
  uint16_t skip; /* ops from this one to the one after the arg's EMIT */
  int64_t imm;
};

/* For FMT_OP_ENTRY: at the call that returns to `pc`, what the caller put in the argument registers of function
 * `physical` (checked against the running one, because a tail call makes the return address another function's). */
struct fmt_index_call_site {
  uint64_t pc;       /* link-time return address */
  uint32_t physical; /* the callee, an index of FMT_SECTION_PHYSICALS */
  uint32_t first_value;
  uint32_t value_count;
  uint32_t reserved;
};

enum fmt_call_value_kind {
  FMT_CALL_CONST,    /* value = imm */
  FMT_CALL_REGISTER, /* value = the caller's callee-saved register `source` + imm (found through the site's
                       fmt_index_saved) */
  FMT_CALL_ADDRESS,  /* value = imm + the module's load bias */
  FMT_CALL_FRAME,    /* value = the callee's canonical frame address + imm: something in the caller's frame */
};

struct fmt_index_call_value {
  uint8_t reg;    /* the argument register this is for, DWARF number */
  uint8_t kind;   /* enum fmt_call_value_kind */
  uint8_t source; /* DWARF register number */
  uint8_t reserved[5];
  int64_t imm;
};

/* A rule of the rules file in this module. A rule that no indexed module knows is an error of the command. */
struct fmt_index_rule {
  uint32_t line; /* in the rules file */
  uint32_t
      uses; /* functions or parameters of this module that it applied to; 0 with problem "": known, without effect */
  uint32_t problem; /* string: what does not exist here, "" when everything that it names does */
  uint32_t depth;   /* how far its names were found: of several modules' problems, the one with the highest is told */
};

struct fmt_index_symbol {
  uint64_t address; /* link-time */
  uint64_t size;
  uint32_t name; /* string, demangled */
  uint32_t reserved;
};

/*
 * Log2 buckets. 0 is bucket 0; a positive value v is bucket 1 + floor(log2 v); a negative one is minus the bucket of
 * -v. So bucket b > 0 is 2^(b-1)..2^b and prints so; -b prints -2^b..-2^(b-1).
 */
static inline int64_t fmt_bucket_log2(uint64_t value, int is_signed)
{
  if (value == 0)
    return 0;
  if (is_signed && (int64_t)value < 0)
    return -(int64_t)(64 - __builtin_clzll(-value));
  return (int64_t)(64 - __builtin_clzll(value));
}

#endif
