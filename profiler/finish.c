/*
 * The end of the process through exit(): frames that are open now were open then.
 */
#include "internal.h"

/* Runs after the program's own destructors. Calls that are made still later are recorded all the same. */
__attribute__((destructor)) static void finish(void)
{
  if (__atomic_load_n(&cs_process.state, __ATOMIC_ACQUIRE) != CS_PROCESS_RECORDING || cs_fork_happened())
    return;
  cs_process.finished = 1;
  __atomic_or_fetch(&cs_process.header->flags, CS_REC_FINISHED, __ATOMIC_RELAXED);
  cs_stamp_last();
}
