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

#define CS_INDEX_MAGIC   "CSIGIDX" /* eight bytes with the terminating NUL */
#define CS_INDEX_VERSION 1u
#define CS_NONE          UINT32_MAX /* "no such entry" in every 32-bit reference */

/* A section is an array. entry_size lets an older reader step over entries that have grown. */
struct cs_index_section {
  uint64_t offset;     /* bytes from the start of the file */
  uint32_t count;      /* entries; for CS_SECTION_STRINGS, bytes */
  uint32_t entry_size; /* bytes */
};

enum cs_index_section_id {
  CS_SECTION_STRINGS,     /* NUL-terminated UTF-8; offset 0 is the empty string; the last byte is NUL */
  CS_SECTION_SITES,       /* struct cs_index_site, ascending by pc */
  CS_SECTION_PHYSICALS,   /* struct cs_index_physical, ascending by low */
  CS_SECTION_FUNCTIONS,   /* struct cs_index_function */
  CS_SECTION_ARGS,        /* struct cs_index_arg */
  CS_SECTION_TYPES,       /* struct cs_index_type */
  CS_SECTION_ENUMERATORS, /* struct cs_index_enumerator, ascending by value within a type */
  CS_SECTION_OPS,         /* struct cs_op */
  CS_SECTION_STATES,      /* uint64_t: initial state words of sites */
  CS_SECTION_RANGES,      /* int64_t: ascending lower bounds of bucket rules, each list preceded by its length */
  CS_SECTION_CALL_SITES,  /* struct cs_index_call_site, ascending by pc */
  CS_SECTION_CALL_VALUES, /* struct cs_index_call_value */
  CS_SECTION_SYMBOLS,     /* struct cs_index_symbol, ascending by address: names for function pointers */
  CS_SECTION_SAVED,       /* struct cs_index_saved: where a site's frame keeps its caller's registers */
  CS_SECTION_RULES,       /* struct cs_index_rule: what became of each rule of the rules file, in its order */
  CS_SECTION_COUNT
};

struct cs_index_header {
  char magic[8];
  uint32_t version;
  uint32_t header_size; /* bytes of this structure as written */
  uint64_t file_size;   /* bytes */
  uint64_t checksum;    /* XXH64, seed 0, of bytes [header_size, file_size) */
  uint8_t build_id[32];
  uint32_t build_id_size; /* 0 when the module has none */
  uint32_t flags;         /* enum cs_index_flag */
  uint32_t machine;       /* e_machine */
  uint32_t path;          /* string: the module's path when it was indexed */
  uint64_t rules_hash;    /* XXH64 of the rules' text; 0 without rules */
  uint32_t section_count; /* CS_SECTION_COUNT as written */
  uint32_t producer;      /* what version of the code that makes indexes made it: the cache rebuilds those of another */
  struct cs_index_section sections[CS_SECTION_COUNT];
};

enum cs_index_flag {
  CS_INDEX_HAS_DWARF = 1u << 0,  /* parameters are known; without it every function has zero args and says so */
  CS_INDEX_HAS_SYMTAB = 1u << 1, /* static functions have names even without DWARF */
  CS_INDEX_BIND_NOW = 1u << 2,   /* the hook is never reached through the lazy resolver */
};

/* How the canonical frame address (the value of the stack pointer before the call that made the frame) follows from
 * the registers at the probe site. "rsp" is the stack pointer just before the call of the hook. */
enum cs_cfa_kind {
  CS_CFA_UNKNOWN,  /* no CFI: the runtime uses the stack pointer itself */
  CS_CFA_REGISTER, /* CFA = reg + offset */
  CS_CFA_MEMORY,   /* CFA = *(uint64_t *)(reg + offset): frames that realign the stack */
};

/* A probe site: the instruction after one call of __cyg_profile_func_enter. */
struct cs_index_site {
  uint64_t pc;       /* link-time address */
  uint32_t function; /* who was entered: for an inlined instance, the inlined function */
  uint32_t physical; /* the out-of-line code that holds the site, or CS_NONE */
  uint32_t first_op; /* the capture program */
  uint16_t op_count;
  uint16_t flags;       /* enum cs_site_flag */
  uint32_t first_state; /* function.state_words entries of CS_SECTION_STATES */
  uint8_t cfa_kind;     /* enum cs_cfa_kind */
  uint8_t cfa_register; /* DWARF register number */
  uint16_t saved_count; /* entries of CS_SECTION_SAVED; only sites with a CS_OP_ENTRY have any */
  int32_t cfa_offset;
  uint32_t line; /* for an inlined instance, the line it was inlined at; else the function's own */
  uint32_t first_saved;
  uint32_t reserved;
};

/* The value that a callee-saved register had on entry to the physical function lies in memory at CFA + offset. A
 * register that is not listed still holds it. */
struct cs_index_saved {
  int32_t cfa_offset;
  uint8_t reg; /* DWARF register number */
  uint8_t reserved[3];
};

enum cs_site_flag {
  CS_SITE_INLINED = 1u << 0, /* shares its frame with the function it was inlined into */
  CS_SITE_SIMPLE =
      1u << 1, /* every op is CS_OP_EMIT_REG, _NULL_REG or _CONST: nothing can fail and memory is not read */
};

/* A range of code with one frame: what a return address or a frame belongs to. */
struct cs_index_physical {
  uint64_t low, high; /* link-time addresses, high exclusive */
  uint32_t function;  /* or CS_NONE when it is not instrumented */
  uint32_t reserved;
};

enum cs_function_flag {
  CS_FUNCTION_CXX = 1u << 0,
  CS_FUNCTION_NO_DWARF = 1u << 1, /* parameters are unknown: prints as name(?) */
  CS_FUNCTION_VARIADIC = 1u << 2, /* prints ", ..." after the last parameter */
  CS_FUNCTION_NO_NAME = 1u << 3,  /* stripped: the name is 0x<address> */
};

struct cs_index_function {
  uint64_t address;      /* link-time entry point, 0 when every instance was inlined */
  uint32_t name;         /* string: as printed (C++: qualified and without its parameters) */
  uint32_t linkage_name; /* string: the symbol, clone suffixes removed; "" when unknown */
  uint32_t file;         /* string: as in DWARF, made absolute with the compilation directory */
  uint32_t line;         /* 0 unknown */
  uint32_t first_arg;
  uint16_t arg_count;   /* entries of CS_SECTION_ARGS, fields of groups included */
  uint16_t state_words; /* (arg_count + 15) / 16 */
  uint32_t flags;       /* enum cs_function_flag */
  uint32_t reserved;
};

/*
 * A signature, as the runtime captures and compares it, is a sequence of 64-bit words:
 *
 *   state words   function.state_words of them: four bits an arg (enum cs_arg_state), arg 0 in the low bits
 *   then, for each arg in order, the words of its kind when its state is READ (none in any other state but LOG2,
 *   which has one: the bucket)
 */
enum cs_arg_state {
  CS_STATE_READ,
  CS_STATE_LOST,       /* the optimiser left it nowhere: prints n=? */
  CS_STATE_UNREADABLE, /* the pointer on the way to it could not be followed: prints n=<unreadable> */
  CS_STATE_LOG2,       /* widened by the cardinality guard to a power-of-two bucket: n=2^20..2^21 */
  CS_STATE_TYPE,       /* widened by the cardinality guard to its type: n:int */
};

enum cs_arg_kind {
  CS_ARG_VALUE,    /* 1 word: an integer, char, bool, enum or function pointer, extended to 64 bits by its type */
  CS_ARG_NULLNESS, /* 1 word: 0 for NULL, 1 otherwise; prints p:type* (or p:type[join]) or p=NULL */
  CS_ARG_TYPE,     /* 0 words: prints x:type */
  CS_ARG_STRING,   /* 1 word: length in bytes, bit 63 set when cut off, UINT64_MAX for NULL; then ceil(length / 8) words
                    */
  CS_ARG_BUCKET_LOG2,  /* 1 word: enum of the bucket, see cs_bucket_log2() */
  CS_ARG_BUCKET_RANGE, /* 1 word: how many lower bounds of range list `aux` are <= the value */
  CS_ARG_FLOAT,        /* 1 word: the bits, by rule only; type says float or double */
  CS_ARG_SPAN,         /* 1 word: count, bit 63 set when cut off at CS_SPAN_MAX; then that many words: shape=(16, 4) */
  CS_ARG_GROUP,        /* 0 words: the next `children` args (and theirs) print inside it; see text */
  CS_ARG_IGNORED,      /* 0 words: not part of the signature; not printed in text, state "ignored" in JSON */
};

#define CS_SPAN_MAX            16u
#define CS_STRING_MAX          256u /* upper limit of a string rule's own limit, bytes */
#define CS_SIGNATURE_MAX_WORDS 256u

enum cs_arg_flag {
  CS_ARG_THIS = 1u << 0, /* C++ this: shown by its class */
  CS_ARG_REFERENCE = 1u << 1,
  CS_ARG_JOIN_BY_NAME = 1u << 2,  /* the join was made by the length parameter's name, not by a rule */
  CS_ARG_GROUP_POINTER = 1u << 3, /* of a GROUP: the parameter is a pointer, and the first child is its NULLNESS, which
                                     is not one of {0}, {1} and has no name; NULL prints p=NULL in place of the group */
};

struct cs_index_arg {
  uint32_t name;      /* string: "n", or by rule "req->hdr.kind" */
  uint32_t type;      /* index of a type: of the argument itself */
  uint8_t kind;       /* enum cs_arg_kind */
  uint8_t flags;      /* enum cs_arg_flag */
  uint16_t join;      /* arg of the same function that holds the element count, UINT16_MAX for none */
  uint16_t children;  /* of a group: args that follow and belong to it, all depths */
  uint16_t parameter; /* ordinal of the source parameter this was made from */
  uint32_t aux;       /* STRING: limit in bytes; BUCKET_RANGE: offset in CS_SECTION_RANGES; else 0 */
  uint32_t text;      /* GROUP: how it prints, a string in which {0}, {1} stand for the direct children's values;
                         "" prints type(name=value, name=value) */
};

enum cs_type_kind {
  CS_TYPE_UNKNOWN,
  CS_TYPE_VOID,
  CS_TYPE_SIGNED,
  CS_TYPE_UNSIGNED,
  CS_TYPE_CHAR, /* prints as 'a' */
  CS_TYPE_BOOL,
  CS_TYPE_FLOAT,
  CS_TYPE_ENUM,
  CS_TYPE_FLAGS, /* an enum whose enumerators are distinct bits: prints A|B */
  CS_TYPE_POINTER,
  CS_TYPE_FUNCTION_POINTER,
  CS_TYPE_AGGREGATE, /* struct, union, class */
  CS_TYPE_ARRAY,
  CS_TYPE_OTHER, /* complex, vector, member pointer, _BitInt ... */
};

struct cs_index_type {
  uint32_t name;     /* string: as printed, "unsigned int", "struct node*", "double[3]" */
  uint8_t kind;      /* enum cs_type_kind, of the type with typedefs and cv removed */
  uint8_t is_signed; /* of integers and enums */
  uint16_t reserved;
  uint32_t size;   /* bytes; 0 unknown */
  uint32_t target; /* of a pointer or array: the type pointed to, or CS_NONE */
  uint32_t first_enumerator;
  uint32_t enumerator_count;
};

struct cs_index_enumerator {
  int64_t value;
  uint32_t name;
  uint32_t reserved;
};

/*
 * Capture programs. A program runs its ops in order on a small stack of 64-bit values (at most CS_STACK_MAX deep; the
 * index writer checks). Each arg's ops end in one EMIT op. When an op fails, the arg's state becomes LOST or
 * UNREADABLE, and the program continues after that arg's EMIT (`skip` ops further on). Args whose initial state is not
 * READ have no ops.
 */
#define CS_STACK_MAX 16u

enum cs_op_code {
  /* Whole arguments in one op: what nearly every parameter needs. */
  CS_OP_EMIT_REG,        /* word = register `reg`, its low `size` bytes, sign-extended when CS_OPF_SIGNED */
  CS_OP_EMIT_NULL_REG,   /* word = register `reg` != 0 */
  CS_OP_EMIT_CONST,      /* word = imm */
  CS_OP_EMIT_FRAME,      /* word = `size` bytes at register `reg` + imm: the program's own frame, never faults */
  CS_OP_EMIT_NULL_FRAME, /* word = (8 bytes at register `reg` + imm) != 0 */
  /* Pushing. */
  CS_OP_REG,     /* push register `reg` (DWARF number 0..15; 7 is rsp before the call of the hook) */
  CS_OP_XMM,     /* push the low 8 bytes of xmm`reg`: here `reg` is 0 to 15, not a DWARF number */
  CS_OP_CONST,   /* push imm */
  CS_OP_ADDRESS, /* push imm + the module's load bias */
  CS_OP_CFA,     /* push the canonical frame address */
  CS_OP_ENTRY, /* push what register `reg` held on entry to the function, by way of the caller's call site; else LOST */
  CS_OP_TLS,   /* push imm + the module's thread-local block; LOST when that is unknown */
  /* Memory. */
  CS_OP_FRAME_LOAD, /* top = `size` bytes at top + imm, zero-extended: only for addresses in the program's own frame */
  CS_OP_LOAD,       /* the same for any address: followed safely; UNREADABLE when it cannot be */
  /* Arithmetic on the top of the stack, as DWARF defines it: the operand names are DWARF's. */
  CS_OP_ADD_CONST, /* top += imm */
  CS_OP_DUP,
  CS_OP_DROP,
  CS_OP_OVER,
  CS_OP_PICK /* imm */,
  CS_OP_SWAP,
  CS_OP_ROT,
  CS_OP_ABS,
  CS_OP_AND,
  CS_OP_DIV /* signed; by zero: LOST */,
  CS_OP_MINUS,
  CS_OP_MOD /* unsigned; by zero: LOST */,
  CS_OP_MUL,
  CS_OP_NEG,
  CS_OP_NOT,
  CS_OP_OR,
  CS_OP_PLUS,
  CS_OP_SHL,
  CS_OP_SHR,
  CS_OP_SHRA,
  CS_OP_XOR,
  CS_OP_EQ,
  CS_OP_GE,
  CS_OP_GT,
  CS_OP_LE,
  CS_OP_LT,
  CS_OP_NE,     /* signed comparisons, 0 or 1 */
  CS_OP_EXTEND, /* top = its low `size` bytes, sign-extended when CS_OPF_SIGNED */
  CS_OP_BITS,   /* top = `size` bits of top from bit imm, sign-extended when CS_OPF_SIGNED: bit-fields */
  CS_OP_SKIP,   /* leave out the next imm ops (0 or more, ending at most before the arg's EMIT) */
  CS_OP_BRANCH, /* pop; when not zero, leave out the next imm ops */
  CS_OP_LOSE,   /* the arg is LOST */
  /* Emitting from the stack: each pops what it uses. */
  CS_OP_EMIT,            /* word = low `size` bytes of top, sign-extended when CS_OPF_SIGNED */
  CS_OP_EMIT_NULL,       /* word = top != 0 */
  CS_OP_EMIT_STRING,     /* the string at top, at most imm bytes; see CS_ARG_STRING */
  CS_OP_EMIT_STRING_N,   /* pops a length, then an address: that many bytes, at most imm */
  CS_OP_EMIT_LOG2,       /* the log2 bucket of top; CS_OPF_SIGNED as the value's type */
  CS_OP_EMIT_RANGE,      /* the bucket of top in range list imm of CS_SECTION_RANGES; CS_OPF_SIGNED */
  CS_OP_EMIT_SPAN,       /* pops a count, then an address: elements of `size` bytes, CS_OPF_SIGNED; see CS_ARG_SPAN */
  CS_OP_EMIT_SPAN_FRAME, /* the same in the program's own frame */
  CS_OP_COUNT
};

enum cs_op_flag {
  CS_OPF_SIGNED = 1u << 0,
  CS_OPF_VOLATILE =
      1u << 1, /* reads rax, r10 or r11, which the lazy resolver destroys on a module's first call: LOST then */
  CS_OPF_STORAGE = 1u << 2, /* CS_OP_LOAD: the parameter itself is kept there, by DWARF; not the target of a pointer */
};

struct cs_op {
  uint8_t code;  /* enum cs_op_code */
  uint8_t reg;   /* DWARF register number */
  uint8_t size;  /* bytes, 1 to 8 */
  uint8_t flags; /* enum cs_op_flag */
  uint16_t arg;  /* the arg this op belongs to, by its place in the function */
  uint16_t skip; /* ops from this one to the one after the arg's EMIT */
  int64_t imm;
};

/* For CS_OP_ENTRY: at the call that returns to `pc`, what the caller put in the argument registers of function
 * `physical` (checked against the running one, because a tail call makes the return address another function's). */
struct cs_index_call_site {
  uint64_t pc;       /* link-time return address */
  uint32_t physical; /* the callee, an index of CS_SECTION_PHYSICALS */
  uint32_t first_value;
  uint32_t value_count;
  uint32_t reserved;
};

enum cs_call_value_kind {
  CS_CALL_CONST,    /* value = imm */
  CS_CALL_REGISTER, /* value = the caller's callee-saved register `source` + imm (found through the site's
                       cs_index_saved) */
  CS_CALL_ADDRESS,  /* value = imm + the module's load bias */
  CS_CALL_FRAME,    /* value = the callee's canonical frame address + imm: something in the caller's frame */
};

struct cs_index_call_value {
  uint8_t reg;    /* the argument register this is for, DWARF number */
  uint8_t kind;   /* enum cs_call_value_kind */
  uint8_t source; /* DWARF register number */
  uint8_t reserved[5];
  int64_t imm;
};

/* A rule of the rules file in this module. A rule that no indexed module knows is an error of the command. */
struct cs_index_rule {
  uint32_t line; /* in the rules file */
  uint32_t
      uses; /* functions or parameters of this module that it applied to; 0 with problem "": known, without effect */
  uint32_t problem; /* string: what does not exist here, "" when everything that it names does */
  uint32_t depth;   /* how far its names were found: of several modules' problems, the one with the highest is told */
};

struct cs_index_symbol {
  uint64_t address; /* link-time */
  uint64_t size;
  uint32_t name; /* string, demangled */
  uint32_t reserved;
};

/*
 * Log2 buckets. 0 is bucket 0; a positive value v is bucket 1 + floor(log2 v); a negative one is minus the bucket of
 * -v. So bucket b > 0 is 2^(b-1)..2^b and prints so; -b prints -2^b..-2^(b-1).
 */
static inline int64_t cs_bucket_log2(uint64_t value, int is_signed)
{
  if (value == 0)
    return 0;
  if (is_signed && (int64_t)value < 0)
    return -(int64_t)(64 - __builtin_clzll(-value));
  return (int64_t)(64 - __builtin_clzll(value));
}

#endif
