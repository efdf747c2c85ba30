/*
 * Copies of memory that may not be there, and what the kernel enters for a fault.
 *
 * The copies keep nothing on the stack and change no register that a callee keeps, so that giving up is a jump.
 */
#include "profiler/arch/aarch64/primitives/function.inc"

        .text

        .globl  prof_guarded_begin, prof_guarded_end, prof_guarded_failed
        .hidden prof_guarded_begin, prof_guarded_end, prof_guarded_failed
prof_guarded_begin:

/* long prof_guarded_copy(void *target, uintptr_t address, uint64_t size) */
        FUNCTION prof_guarded_copy
        mov     x3, xzr
        subs    x4, x2, #8
        b.lo    2f
        b.eq    3f
1:      ldr     x5, [x1, x3]
        str     x5, [x0, x3]
        add     x3, x3, #8
        cmp     x3, x4
        b.lo    1b
        /* The last eight bytes, of which some may have been copied. */
3:      ldr     x5, [x1, x4]
        str     x5, [x0, x4]
        mov     x0, xzr
        ret
2:      ldrb    w5, [x1, x3]
        strb    w5, [x0, x3]
        add     x3, x3, #1
        cmp     x3, x2
        b.lo    2b
        mov     x0, xzr
        ret
        END_FUNCTION prof_guarded_copy

/* long prof_guarded_text(void *target, uintptr_t address, uint64_t size) */
        FUNCTION prof_guarded_text
        mov     x3, xzr
        mov     x10, #0x0101010101010101
        /* Eight bytes at a time while so many are left. */
1:      add     x4, x3, #8
        cmp     x4, x2
        b.hi    3f
        ldr     x5, [x1, x3]
        str     x5, [x0, x3]
        /* The lowest byte that is 0 gets its high bit. */
        sub     x6, x5, x10
        bic     x6, x6, x5
        ands    x6, x6, #0x8080808080808080
        b.ne    2f
        mov     x3, x4
        b       1b
2:      rbit    x6, x6
        clz     x6, x6
        add     x0, x3, x6, lsr #3
        add     x0, x0, #1
        ret
4:      ldrb    w5, [x1, x3]
        strb    w5, [x0, x3]
        add     x3, x3, #1
        cbz     w5, 5f
3:      cmp     x3, x2
        b.lo    4b
5:      mov     x0, x3
        ret
        END_FUNCTION prof_guarded_text
prof_guarded_end:
prof_guarded_failed:
        mov     x0, #-1
        ret

/* void prof_fault_entry(int number, void *info, void *context) */
        FUNCTION prof_fault_entry
        stp     x29, x30, [sp, #-48]!
        mov     x29, sp
        stp     x0, x1, [sp, #16]
        str     x2, [sp, #32]
        adrp    x16, prof_fault_taken
        ldr     x16, [x16, #:lo12:prof_fault_taken]
        blr     x16
        mov     x16, x0
        ldp     x0, x1, [sp, #16]
        ldr     x2, [sp, #32]
        ldp     x29, x30, [sp], #48
        cbz     x16, 1f
        /* As the kernel enters a handler. */
        br      x16
1:      ret
        END_FUNCTION prof_fault_entry

/* What a fault is for: set before the kernel may enter this. */
        .bss
        .globl  prof_fault_taken
        .hidden prof_fault_taken
        .type   prof_fault_taken, %object
        .p2align 3
prof_fault_taken:
        .zero   8
        .size   prof_fault_taken, . - prof_fault_taken

        .section .note.GNU-stack, "", %progbits
