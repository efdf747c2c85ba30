/*
 * Starts and ends XRay's recorder through its own interface: in LLVM 14 XRAY_OPTIONS alone chooses the profiling mode
 * without starting it. Linked into the XRay builds only; BENCH_XRAY_MODE names the mode, and without it the sleds stay
 * unpatched.
 */
#include <stdio.h>
#include <stdlib.h>

/* From xray/xray_interface.h and xray/xray_log_interface.h, which only a C++ compiler reads. */
enum { PATCHING_SUCCESS = 1, REGISTRATION_OK = 0, LOG_INITIALIZED = 2 };
int __xray_patch(void);
int __xray_log_select_mode(const char *mode);
const char *__xray_log_get_current_mode(void);
int __xray_log_init_mode(const char *mode, const char *options);
int __xray_log_finalize(void);
int __xray_log_flushLog(void);

static __attribute__((destructor)) void end_recording(void)
{
  if (__xray_log_get_current_mode() != NULL) {
    (void)__xray_log_finalize();
    (void)__xray_log_flushLog();
  }
}

static __attribute__((constructor)) void start_recording(void)
{
  const char *mode = getenv("BENCH_XRAY_MODE");
  const char *options = getenv("BENCH_XRAY_MODE_OPTIONS");
  if (mode == NULL)
    return;
  if (__xray_log_select_mode(mode) != REGISTRATION_OK ||
      __xray_log_init_mode(mode, options ? options : "") != LOG_INITIALIZED || __xray_patch() != PATCHING_SUCCESS) {
    fprintf(stderr, "xray_start: XRay did not start mode %s\n", mode);
    exit(1);
  }
}
