#!/usr/bin/env python3
# ctest: arguments $<TARGET_FILE:callsig> $<TARGET_FILE:callsig_static>
"""What the runtime asks of others: nothing that a profiled program could be the one to define.

    test_undefined_symbols.py LIBRARY...
"""

import re
import subprocess
import sys

# The C library's own business, none of which allocates, locks what a program could hold, or changes errno (whose place is
# asked for by what stands in for calls that set it).
ALLOWED = {
    "getauxval", "environ", "__environ", "exit", "setcontext", "dlsym", "_dl_find_object", "_r_debug", "dl_iterate_phdr",
    "pthread_mutex_init", "pthread_mutex_destroy", "pthread_mutex_lock", "pthread_mutex_unlock", "pthread_cond_init",
    "pthread_cond_destroy", "pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_signal", "pthread_cond_broadcast",
    "pthread_condattr_init", "pthread_condattr_destroy", "pthread_condattr_setclock", "_pthread_cleanup_push",
    "_pthread_cleanup_pop", "__pthread_register_cancel", "__pthread_unregister_cancel", "__pthread_unwind_next",
    "__sigsetjmp", "pthread_atfork", "__register_atfork", "__fork", "pthread_key_create", "pthread_key_delete", "pthread_setspecific",
    "__cxa_finalize", "__gmon_start__", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable",
    "__rseq_offset", "__rseq_size",
    "_GLOBAL_OFFSET_TABLE_", "_DYNAMIC", "__dso_handle", "__ehdr_start", "etext", "__tls_get_addr", "__errno_location",
    "__start_callsig_holds_no_frame", "__stop_callsig_holds_no_frame",
}


def undefined(path):
    listing = subprocess.run(["nm", "-A", path], check=True, capture_output=True, text=True).stdout
    wanted, defined = set(), set()
    for line in listing.splitlines():
        match = re.search(r"[: ]([A-Za-z]) ([^ ]+)$", line)
        if match:
            (wanted if match[1] in "Uwv" else defined).add(match[2].split("@")[0])
    return wanted - defined


def main(paths):
    bad = {path: sorted(undefined(path) - ALLOWED) for path in paths}
    for path, names in bad.items():
        for name in names:
            print(f"{path}: asks for {name}")
    return 1 if any(bad.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
