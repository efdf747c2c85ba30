"""What a scenario is: a command, the faults that there are in it, and what has to hold."""

import errno
import os
import re

# brk() tells of a failure by what it returns; allocations have a scenario of their own.
ERRORS = {"openat": errno.EMFILE, "mmap": errno.ENOMEM, "mremap": errno.ENOMEM, "mprotect": errno.ENOMEM,
          "memfd_create": errno.EMFILE, "ftruncate": errno.ENOSPC, "fallocate": errno.ENOSPC, "write": errno.ENOSPC, "pwrite64": errno.ENOSPC,
          "writev": errno.ENOSPC, "read": errno.EIO, "pread64": errno.EIO, "fsync": errno.EIO, "fdatasync": errno.EIO, "rename": errno.EIO,
          "linkat": errno.EIO, "clone": errno.EAGAIN, "clone3": errno.EAGAIN, "fork": errno.EAGAIN, "vfork": errno.EAGAIN, "execve": errno.ENOMEM,
          "process_vm_readv": errno.EPERM}
# The operations of a futex that may fail: waiting for it, and taking one that inherits priority.
FUTEX_ERRORS = {0: errno.EAGAIN, 9: errno.EAGAIN, 6: errno.ENOMEM}
FUTEX_OPERATION = 0x7F
STDERR = 2
# What a command ends with: it has done it, or a line says what failed. Any other status is a crash, or a signal that nobody sent.
ENDS = (0, 1)


class Failure(Exception):
    """What does not hold."""


def expect(true, text):
    if not true:
        raise Failure(text)


def error_of(name, arguments):
    """What the call fails with, or None where it is none that can. What stderr does not take cannot be told either."""
    if name == "futex":
        return FUTEX_ERRORS.get(arguments[1] & FUTEX_OPERATION)
    if name in ("write", "writev") and arguments[0] == STDERR:
        return None
    return ERRORS.get(name)


def check_said(ran, told):
    """Each line is callsig's own and says what failed; `told`: there has to be one."""
    for line in ran.said:
        expect(re.match(r"callsig: \S.{10}", line), f"it said: {line}")
    expect(ran.said or not told, f"not a word, and status {ran.status}")


def check_end(ran):
    """The command ended by itself, and said why where it failed."""
    expect(ran.status in ENDS, f"status {ran.status}, {ran.said}")
    check_said(ran, told=ran.status != 0)


def spread(faults, most):
    """At most so many of them (None: all), the first among them, evenly spread."""
    return [faults[i * len(faults) // most] for i in range(most)] if most and len(faults) > most else faults


class Scenario:
    """A command, and what has to hold of it: the scenarios below. Each has run(), measure(), of the run without a fault, and judge()."""

    kills = False
    # How many faults are tried of those of one system call from one place, evenly spread.
    alike = 3

    def __init__(self, bench, program):
        self.bench, self.program = bench, program

    def faults(self, folder):
        """(number, system call, error, what it is) of the faults there are. The caches have been filled by a first run."""
        found = []
        for number, call, name, arguments, way in self.run(folder).calls:
            error = error_of(name, arguments)
            if self.kills:
                found.append(((name, way), (number, "any", "kill", name)))
            elif error:
                call = f"{call}.{arguments[1] & FUTEX_OPERATION}" if name == "futex" else call
                found.append(((name, way), (number, call, error, f"{name}, {os.strerror(error)}")))
        return self.of_each_place(found)

    def of_each_place(self, found):
        """Of pairs of a place and a fault, the faults that are tried."""
        places = {}
        for place, fault in found:
            places.setdefault(place, []).append(fault)
        return sorted(fault for faults in places.values() for fault in spread(faults, self.alike))
