/*
 * Copies of memory that may not be there, and the two ends of a signal handler: what the kernel enters for a fault, and where a
 * handler returns to.
 *
 * The copies keep nothing on the stack and change no register that a callee keeps, so that giving up is a jump.
 */
        .intel_syntax noprefix
        .text

        .globl  prof_guarded_begin, prof_guarded_end, prof_guarded_failed
        .hidden prof_guarded_begin, prof_guarded_end, prof_guarded_failed
prof_guarded_begin:

/* long prof_guarded_copy(void *target, uintptr_t address, uint64_t size) */
        .globl  prof_guarded_copy
        .hidden prof_guarded_copy
        .type   prof_guarded_copy, @function
        .p2align 4
prof_guarded_copy:
        sub     rdx, 8
        jb      2f
        je      3f
        xor     ecx, ecx
1:      mov     rax, [rsi + rcx]
        mov     [rdi + rcx], rax
        add     rcx, 8
        cmp     rcx, rdx
        jb      1b
        /* The last eight bytes, of which some may have been copied. */
3:      mov     rax, [rsi + rdx]
        mov     [rdi + rdx], rax
        xor     eax, eax
        ret
2:      xor     ecx, ecx
4:      movzx   eax, byte ptr [rsi + rcx]
        mov     [rdi + rcx], al
        add     rcx, 1
        lea     rax, [rdx + 8]
        cmp     rcx, rax
        jb      4b
        xor     eax, eax
        ret
        .size   prof_guarded_copy, . - prof_guarded_copy

/* long prof_guarded_text(void *target, uintptr_t address, uint64_t size) */
        .globl  prof_guarded_text
        .hidden prof_guarded_text
        .type   prof_guarded_text, @function
        .p2align 4
prof_guarded_text:
        xor     ecx, ecx
        movabs  r10, 0x0101010101010101
        movabs  r11, 0x8080808080808080
        /* Eight bytes at a time while so many are left. */
1:      lea     rax, [rcx + 8]
        cmp     rax, rdx
        ja      3f
        mov     r8, [rsi + rcx]
        mov     [rdi + rcx], r8
        /* The lowest byte that is 0 gets its high bit. */
        mov     r9, r8
        not     r9
        sub     r8, r10
        and     r8, r9
        and     r8, r11
        jnz     2f
        mov     rcx, rax
        jmp     1b
2:      bsf     r8, r8
        shr     r8d, 3
        lea     rax, [rcx + r8 + 1]
        ret
4:      movzx   eax, byte ptr [rsi + rcx]
        mov     [rdi + rcx], al
        add     rcx, 1
        test    al, al
        jz      5f
3:      cmp     rcx, rdx
        jb      4b
5:      mov     rax, rcx
        ret
        .size   prof_guarded_text, . - prof_guarded_text
prof_guarded_end:
prof_guarded_failed:
        mov     rax, -1
        ret

/* void prof_fault_entry(int number, void *info, void *context) */
        .globl  prof_fault_entry
        .hidden prof_fault_entry
        .type   prof_fault_entry, @function
        .p2align 4
prof_fault_entry:
        push    rdi
        push    rsi
        push    rdx
        call    [rip + prof_fault_taken]
        pop     rdx
        pop     rsi
        pop     rdi
        test    rax, rax
        jz      1f
        /* As the kernel enters a handler. */
        mov     rcx, rax
        xor     eax, eax
        jmp     rcx
1:      ret
        .size   prof_fault_entry, . - prof_fault_entry

/* What a fault is for: set before the kernel may enter this. */
        .bss
        .globl  prof_fault_taken
        .hidden prof_fault_taken
        .type   prof_fault_taken, @object
        .p2align 3
prof_fault_taken:
        .zero   8
        .size   prof_fault_taken, . - prof_fault_taken
        .text

/* Unwinders know this place by its bytes, and look one byte before it for what it belongs to. */
        nop
        .p2align 4
        .globl  prof_signal_return
        .hidden prof_signal_return
        .type   prof_signal_return, @function
prof_signal_return:
        .byte   0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00 /* mov rax, SYS_rt_sigreturn */
        .byte   0x0f, 0x05                               /* syscall */
        .size   prof_signal_return, . - prof_signal_return

        .section .note.GNU-stack, "", @progbits
