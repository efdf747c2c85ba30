/*
 * Loads from behind a pointer for the code of a site: in rdx is the address, and then what lies there.
 *
 * A page that was read before is loaded from directly, as profiler/base/read_memory.c does, if the net of
 * profiler/base/fault_net.c holds for this thread. Then a load that faults goes on at prof_follow_failed.
 */
#include "profiler/arch/x86_64/primitives/registers.h"
#include "profiler/base/known_pages.h"

        .intel_syntax noprefix
        .text

/* Where the hook of the sled would save a register, by its DWARF number, whose stack pointer was higher by this call's return
 * address. */
#define KEPT(dwarf) [rsp + 8 - PROF_R_SIZE + 8 * dwarf]
#define RBX 3
#define RSI 4
#define RBP 6

#define PAGE (1 << PROF_PAGE_BITS)

        .globl  prof_follow_begin, prof_follow_end, prof_follow_failed
        .hidden prof_follow_begin, prof_follow_end, prof_follow_failed
prof_follow_begin:

/* Goes on if the page of the address in rdx is known, and the net holds. Changes \page and rcx. */
        .macro  CHECK_PAGE page, page_low, fail
        mov     rcx, prof_net_armed@GOTTPOFF[rip]
        mov     \page_low, fs:[rcx]
        cmp     \page_low, [rip + prof_net_generation]
        jne     \fail
        mov     rcx, prof_signals_blocked@GOTTPOFF[rip]
        cmp     dword ptr fs:[rcx], 0
        jne     \fail
        mov     \page, rdx
        shr     \page, PROF_PAGE_BITS
        jz      \fail /* page 0 is none */
        movabs  rcx, PROF_PAGE_FACTOR
        imul    rcx, \page
        shr     rcx, 64 - PROF_PAGE_SET_BITS - 5
        and     ecx, -8 * PROF_PAGE_WAYS
        add     rcx, prof_known_pages@GOTPCREL[rip]
        cmp     \page, [rcx]
        je      1f
        cmp     \page, [rcx + 8]
        je      1f
        cmp     \page, [rcx + 16]
        je      1f
        cmp     \page, [rcx + 24]
        jne     \fail
1:
        .endm

        .macro  FOLLOW size, load:vararg
        .globl  prof_follow_\size
        .hidden prof_follow_\size
        .type   prof_follow_\size, @function
        .p2align 4
prof_follow_\size:
        .if     \size > 1
        test    dl, \size - 1
        jnz     .Lfollow_nothing
        .endif
        mov     KEPT(RBX), rax
        mov     KEPT(RBP), rcx
        CHECK_PAGE rax, eax, prof_follow_failed
        mov     rax, KEPT(RBX)
        mov     rcx, KEPT(RBP)
        \load
        ret /* without the carry: the comparison has found the page */
        .size   prof_follow_\size, . - prof_follow_\size
        .endm

        FOLLOW  1, movzx edx, byte ptr [rdx]
        FOLLOW  2, movzx edx, word ptr [rdx]
        FOLLOW  4, mov edx, [rdx]
        FOLLOW  8, mov rdx, [rdx]

        .globl  prof_follow_text
        .hidden prof_follow_text
        .type   prof_follow_text, @function
        .p2align 4
prof_follow_text:
        mov     KEPT(RBP), rcx
        test    rdx, rdx
        jz      3f
        mov     KEPT(14), r11
        CHECK_PAGE r11, r11d, prof_follow_failed
        /* The last place where the NUL byte may be. */
        mov     ecx, KEPT(RSI)
        add     rcx, rdx
        mov     KEPT(RSI), rcx
        /* Eight bytes at a time, which lie in one page. */
1:      mov     ecx, edx
        and     ecx, PAGE - 1
        cmp     ecx, PAGE - 8
        ja      prof_follow_failed
        mov     r11, [rdx]
        /* The lowest byte that is 0 gets its high bit. */
        mov     rcx, r11
        not     r11
        add     rcx, [rip + .Lless_ones]
        and     rcx, r11
        not     r11
        and     rcx, [rip + .Lhigh_bits]
        jnz     2f
        crc32   rax, r11
        add     rdx, 8
        cmp     rdx, KEPT(RSI)
        jbe     1b
        jmp     prof_follow_failed
        /* What lies behind the NUL byte is no part of it. */
2:      bsf     rcx, rcx
        xor     ecx, 63
        shl     r11, cl
        crc32   rax, r11
        shr     ecx, 3
        neg     rcx
        lea     rdx, [rdx + rcx + 7]
        mov     rcx, KEPT(RBP)
        mov     r11, KEPT(14)
        cmp     KEPT(RSI), rdx
3:      ret
        .size   prof_follow_text, . - prof_follow_text

        .globl  prof_follow_same
        .hidden prof_follow_same
        .type   prof_follow_same, @function
        .p2align 4
prof_follow_same:
        mov     KEPT(RBX), rax
        mov     KEPT(RBP), rcx
        mov     rax, KEPT(14)
        mov     rcx, [rax]
        add     rax, 8
        test    rdx, rdx
        jz      4f
        test    rcx, rcx
        js      prof_follow_failed /* NULL, or one that was cut */
1:      sub     rcx, 8
        jb      2f
        mov     r11, [rdx]
        cmp     r11, [rax]
        jne     prof_follow_failed
        add     rdx, 8
        add     rax, 8
        jmp     1b
        /* The rest and the NUL byte, above which the word has zeros. */
2:      not     ecx
        shl     ecx, 3
        mov     r11, [rdx]
        shl     r11, cl
        xor     edx, edx
        cmp     ecx, 56
        je      3f /* nothing is left */
        mov     rdx, [rax]
        add     rax, 8
        shl     rdx, cl
3:      cmp     r11, rdx
        jne     prof_follow_failed
5:      mov     KEPT(14), rax
        mov     rax, KEPT(RBX)
        mov     rcx, KEPT(RBP)
        clc
        ret
4:      cmp     rcx, -1
        je      5b
        jmp     prof_follow_failed
        .size   prof_follow_same, . - prof_follow_same
prof_follow_end:
/* The caller goes on to the hook, so that rax and r11 are as good as lost. */
prof_follow_failed:
        mov     rcx, KEPT(RBP)
.Lfollow_nothing:
        stc
        ret

        .section .rodata
        .p2align 3
.Lless_ones:
        .quad   -0x0101010101010101
.Lhigh_bits:
        .quad   0x8080808080808080

        .section .note.GNU-stack, "", @progbits
