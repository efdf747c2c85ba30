/*
 * callsig: what runs inside the profiled program.
 *
 * A program compiled with `-g -finstrument-functions` needs none of this: `callsig run PROGRAM` profiles it as it is.
 * The functions here are for programs that link libcallsig and want to say when they are profiled, with which clock, or
 * under which action's name. All of them may be called from any thread. Functions that can fail return 0 or a negative
 * errno.
 */
#ifndef CALLSIG_CALLSIG_H
#define CALLSIG_CALLSIG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CALLSIG_API           __attribute__((visibility("default"), no_instrument_function))
#define CALLSIG_NO_INSTRUMENT __attribute__((no_instrument_function))
#else
#define CALLSIG_API
#define CALLSIG_NO_INSTRUMENT
#endif

/* The library's version, "MAJOR.MINOR.PATCH". Static storage. */
CALLSIG_API const char *callsig_version(void);

/* Reads the profile's clock. `data` is what callsig_set_clock() was given. It is called inside hooks: it must not call
 * instrumented code, block or change errno, and must never go backwards within a thread. */
typedef uint64_t (*callsig_clock_fn)(void *data);

/* How a process is recorded. Set `size` to sizeof(struct callsig_options) and the rest to 0 for the defaults; fields
 * are only ever added at the end. Strings are copied. An environment variable CALLSIG_* of the same meaning, which
 * `callsig run` sets, wins over the field. */
struct callsig_options {
  size_t size;
  const char
      *output; /* the recording's path; default callsig.out, "callsig.out.PID" when that exists   (CALLSIG_OUTPUT) */
  int no_signatures;   /* rows by function only                                             (CALLSIG_NO_SIGNATURES=1) */
  const char *rules;   /* rules file                                                        (CALLSIG_RULES) */
  const char *include; /* globs, separated by newlines; see docs/filters.md                 (CALLSIG_INCLUDE) */
  const char *exclude; /*                                                                   (CALLSIG_EXCLUDE) */
  int cpu_clock;       /* the thread's CPU time in place of wall time                       (CALLSIG_CLOCK=cpu) */
  int start_disabled;  /* record nothing before callsig_enable()                            (CALLSIG_DISABLED=1) */
  uint64_t memory_limit; /* upper bound of the recording, bytes; default 1 GiB                (CALLSIG_MEMORY) */
};

/* Starts recording with these options (NULL: the defaults). Without it the first instrumented call starts with the
 * defaults and the environment. -EALREADY when recording has started. */
CALLSIG_API int callsig_start(const struct callsig_options *options);

/* Stops counting in every thread: open frames end now, as finished calls. Until callsig_enable(), hooks return at once.
 * Calls nest neither way: enabling twice is enabling once. */
CALLSIG_API int callsig_disable(void);
CALLSIG_API int callsig_enable(void);

/* 1 when calls are being counted, else 0. */
CALLSIG_API int callsig_is_enabled(void);

/* The recording's path, or NULL while there is none. Owned by the library, valid until the process ends. */
CALLSIG_API const char *callsig_path(void);

/* Replaces the clock by `clock(data)`, which counts `hz` ticks a second, from now on. Only before the first recorded
 * call or right after callsig_start(); -EBUSY later. */
CALLSIG_API int callsig_set_clock(callsig_clock_fn clock, void *data, uint64_t hz);

/* Receives every message of the runtime, one line without the newline; default: stderr, after "callsig: ". It may be
 * called from a hook's slow path: the rules of callsig_clock_fn hold. */
typedef void (*callsig_message_fn)(const char *line, void *data);
CALLSIG_API void callsig_set_message(callsig_message_fn message, void *data);

/* A named action: a row of its own, `{name}`, whose callees are what runs until its end. Actions nest and must end in
 * reverse order in the thread that began them: -EINVAL for ending what is not the innermost open action. The name is
 * copied. */
CALLSIG_API int callsig_action_begin(const char *name);
CALLSIG_API int callsig_action_end(const char *name);

/* An action for the rest of the enclosing block: CALLSIG_ACTION("load"); It cannot leak. */
CALLSIG_API void callsig_action_cleanup(const char **name);
#define CALLSIG_ACTION(name)        CALLSIG_ACTION_(name, __LINE__)
#define CALLSIG_ACTION_(name, line) CALLSIG_ACTION__(name, line)
#define CALLSIG_ACTION__(name, line)                                                                                   \
  __attribute__((cleanup(callsig_action_cleanup))) const char *callsig_action_##line = (name);                         \
  (void)callsig_action_begin(callsig_action_##line)

/* Profiling for the rest of the enclosing block only: CALLSIG_ENABLED_SCOPE(); */
CALLSIG_API void callsig_enabled_cleanup(int *was_enabled);
#define CALLSIG_ENABLED_SCOPE()                                                                                        \
  __attribute__((cleanup(callsig_enabled_cleanup))) int callsig_was_enabled_ = callsig_is_enabled();                   \
  (void)callsig_enable()

/*
 * Rules in the program's own source: each macro, at file scope, puts one line of the rules language (docs/rules.md)
 * into a note section that the index reads. It makes no code and no data that is loaded.
 *
 *   CALLSIG_STRING(open_file, path)         the content of open_file's char *path
 *   CALLSIG_BUCKET(resize, width, "log2")   or "0,64,1024"
 *   CALLSIG_IGNORE(draw, cookie)
 *   CALLSIG_LENGTH(dot, a, n)               a has n elements
 *   CALLSIG_FIELD(handle, "req->hdr.kind")
 *   CALLSIG_TYPE(tensor, "dtype=type, shape=ne[0..ndim]")
 */
#define CALLSIG_RULE(text)                                                                                             \
  __asm__(".pushsection .note.callsig,\"\",%note\n\t.balign 4\n\t.long 8, 8802f - 8801f, 1\n\t"                        \
          ".asciz \"callsig\"\n8801:\n\t.asciz \"" text "\"\n8802:\n\t.balign 4\n\t.popsection")
#define CALLSIG_STRING(function, parameter)      CALLSIG_RULE("function " #function ": " #parameter " string")
#define CALLSIG_BUCKET(function, parameter, how) CALLSIG_RULE("function " #function ": " #parameter " bucket " how)
#define CALLSIG_IGNORE(function, parameter)      CALLSIG_RULE("function " #function ": " #parameter " ignore")
#define CALLSIG_LENGTH(function, parameter, length)                                                                    \
  CALLSIG_RULE("function " #function ": " #parameter " length " #length)
#define CALLSIG_FIELD(function, path) CALLSIG_RULE("function " #function ": show " path)
#define CALLSIG_TYPE(type, fields)    CALLSIG_RULE("type " #type ": " fields)

/* What the compiler's instrumentation calls. */
CALLSIG_API void __cyg_profile_func_enter(void *function, void *call_site);
CALLSIG_API void __cyg_profile_func_exit(void *function, void *call_site);

#ifdef __cplusplus
}
#endif

#endif
