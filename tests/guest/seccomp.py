"""System calls that the kernel refuses to a program: by a filter (seccomp) that is in force from its first instruction on."""

import ctypes
import errno
import struct

MPROTECT = 10  # x86-64
PROT_WRITE, PROT_EXEC = 2, 4
EVERY_BIT = 0xFFFFFFFF

LOAD, JUMP_EQUAL, AND, RETURN = 0x20, 0x15, 0x54, 0x06  # of BPF
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES
NUMBER, LENGTH, PROTECTION = 0, 24, 32  # offsets in struct seccomp_data

NO_NEW_PRIVS, SET_SECCOMP, MODE_FILTER = 38, 22, 2  # of prctl()


def without_mprotect(protection, length=None):
    """A preexec_fn: mprotect() with all bits of `protection`, and of just that length if one is given, fails with EACCES."""
    checks = [(NUMBER, EVERY_BIT, MPROTECT), (PROTECTION, protection, protection)]
    if length is not None:
        checks.append((LENGTH, EVERY_BIT, length))
    code = []
    for number, (offset, mask, value) in enumerate(checks):
        behind = 3 * (len(checks) - number - 1) + 1  # to what allows
        code += [(LOAD, 0, 0, offset), (AND, 0, 0, mask), (JUMP_EQUAL, 0, behind, value)]
    code += [(RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    filters = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *each) for each in code))
    program = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(code), ctypes.addressof(filters)))
    libc = ctypes.CDLL(None, use_errno=True)

    def install():
        if libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(SET_SECCOMP, MODE_FILTER, program, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")
        assert filters  # which the program points to

    return install
