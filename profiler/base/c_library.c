/*
 * What the linker says where a program is linked with musl in place of the GNU C library.
 *
 * It would name functions that are missing, and not why. A section of this name is its warning for whoever refers to
 * the symbol, _start_c, which the start of musl's programs does and that of the GNU C library's does not.
 */
__asm__(".pushsection .gnu.warning._start_c, \"\"\n\t"
        ".ascii \"libcallsig needs the GNU C library: musl lacks its setcontext(), __pthread_register_cancel() and "
        "__pthread_unregister_cancel()\"\n\t"
        ".popsection");
