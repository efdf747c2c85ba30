#!/usr/bin/env python3
# ctest: name oracle.scaling_libraries
# ctest: case - full @PROJECT_BINARY_DIR@
"""callsig scaling on 43 functions of mini-gmp, libsodium, xxHash, LZ4, libbsd and C/C++ Minpack, from their Debian sources, compiled
with sleds. Their laws were written down before the first recording, and nothing was chosen by them: thresholds are those that
test_everyday.py led to. docs/scaling.md has what was measured.

Two may be false by the processor's clock: qrfac() and mpn_get_str() call short functions n times and more, and what hooks take of that
hides the term that grows faster. Without hooks in those functions both laws are found.

    test_libraries.py BUILD [--print]"""

import os
import sys

from judged import HERE, SOURCES, Judged, by_function, main

FILES = {"gmp/mini-gmp": ["mini-gmp"], "xxhash": ["xxhash"], "lz4/lib": ["lz4"], "libbsd/src": ["heapsort", "merge"],
         "cminpack": "enorm qrfac qrsolv covar qform r1mpyq r1updt rwupdt dogleg dpmpar".split(),
         "libsodium/src/libsodium": ["sodium/utils", "sodium/codecs", "sodium/core", "sodium/runtime", "crypto_hash/sha256/cp/hash_sha256_cp",
                                     "crypto_hash/sha512/cp/hash_sha512_cp", "crypto_shorthash/siphash24/ref/shorthash_siphash24_ref"]}
# Where several arguments are the same number in every call, the law may be by any of them.
# lr and ls are the elements of a triangle, n * (n + 1) / 2.
SQUARE_N3, SQUARE_N2 = ("n^3", "m^3"), ("n^2", "m^2")


class Libraries(Judged):
    WANTED = by_function({
        "constant": "LZ4_compressBound",
        "n": "mpn_copyi mpn_cmp mpn_add_n mpn_sub_n mpn_mul_1 mpn_addmul_1 mpn_lshift mpn_rshift mpn_com mpn_popcount enorm",
        "len": "sodium_memcmp sodium_compare sodium_add XXH32 XXH64 XXH3_64bits", "nlen": "sodium_is_zero sodium_increment",
        "inlen": "crypto_hash_sha256 crypto_hash_sha512 crypto_shorthash_siphash24",
        "bin_len": "sodium_bin2hex sodium_bin2base64", "hex_len": "sodium_hex2bin",
        "srcSize": "LZ4_compress_default", "compressedSize": "LZ4_decompress_safe",
        "nmemb log nmemb": "heapsort mergesort",
        "n^2": "mpn_sqr mpn_mul_n rwupdt", ("n^2", "lr"): "dogleg", "un^2": "mpn_get_str", "sn^2": "mpn_set_str",
        ("un * vn", "vn * un"): "mpn_mul", ("m * n", "n * m"): "r1mpyq",
        (*SQUARE_N2, "ls"): "r1updt", SQUARE_N3: "qrfac qform", "n^3": "qrsolv covar"})

    FALSE = 2

    @classmethod
    def compile(cls):
        cls.fetch("gmp", "libsodium", "xxhash", "lz4", "libbsd", "cminpack")
        sodium = os.path.join(SOURCES, "libsodium", "src", "libsodium", "include")
        # What its configure script would make of a template.
        with open(os.path.join(sodium, "sodium", "version.h.in")) as template, open(os.path.join(cls.folder, "version.h"), "w") as header:
            header.write("".join("" if "@" in line else line for line in template))
        cls.compile_with_sleds("-D__cminpack_double__", "-DCONFIGURED=1", "-D_GNU_SOURCE", f"-I{sodium}", f"-I{sodium}/sodium",
                               f"-I{SOURCES}/libbsd/include", *(os.path.join(SOURCES, folder, name + ".c") for folder, names in FILES.items() for name in names),
                               os.path.join(HERE, "library_calls.c"))

    def test_cpu_clock(self):
        self.check(0.60, "--clock", "cpu")

    def test_every_call_by_the_wall_clock(self):
        self.check(0.40, "--times", "exact")

    def test_sampled_calls(self):
        self.check(0.40, "--times", "auto")


if __name__ == "__main__":
    main()
