#!/usr/bin/env python3
# ctest: name oracle.scaling_gsl
# ctest: case - full @PROJECT_BINARY_DIR@
"""callsig scaling on 32 functions of the GNU Scientific Library, from its Debian source, compiled with sleds: their laws are those
of its manual and of textbooks. They tell whether what was chosen for those of test_everyday.py fits other programs.

    test_gsl.py BUILD [--print]

gsl_permute() follows cycles, n log n steps on average (D. Knuth, The Art of Computer
Programming, 1.3.3)."""

import os

from judged import HERE, SOURCES, Judged, by_function, main

FILES = """statistics/mean statistics/variance statistics/covariance statistics/skew statistics/lag1 statistics/absdev statistics/minmax
    statistics/wmean statistics/median statistics/quantiles statistics/Sn statistics/Qn statistics/select sort/sort sort/sortind
    sort/sortvec sort/sortvecind fft/fft fft/dft poly/dd interpolation/inline interpolation/interp interpolation/accel
    permutation/permute vector/view sys/fdiv sys/infnan sys/fcmp sys/coerce err/error err/stream err/message err/strerror cblas/ddot
    cblas/daxpy cblas/dnrm2 cblas/idamax cblas/dtrsv cblas/dsyr cblas/dgemv cblas/dger cblas/dgemm cblas/xerbla""".split()
# What its configure script would find out of this machine.
CONFIGURED = """#define HAVE_INLINE 1
#define HAVE_IEEE_COMPARISONS 1
#define GSL_COERCE_DBL(x) (x)
#define RETURN_IF_NULL(x) if (!x) { return ; }
"""
LAWS = {
    "constant": "gsl_stats_median_from_sorted_data gsl_stats_quantile_from_sorted_data",
    "log index_hi": "gsl_interp_bsearch",
    "n": "gsl_stats_variance gsl_stats_covariance gsl_stats_skew gsl_stats_lag1_autocorrelation gsl_stats_absdev gsl_stats_minmax "
         "gsl_stats_correlation",
    "size": "gsl_stats_mean gsl_stats_wmean",
    "N": "cblas_ddot cblas_daxpy cblas_dnrm2 cblas_idamax",
    "n log n": "gsl_sort gsl_sort_index gsl_permute gsl_fft_complex_radix2_transform gsl_fft_real_radix2_transform gsl_stats_spearman "
               "gsl_stats_Sn0_from_sorted_data gsl_stats_Qn0_from_sorted_data",
    "count log count": "gsl_heapsort",
    "n^2": "gsl_dft_complex_transform", "size^2": "gsl_poly_dd_init", "N^2": "cblas_dtrsv cblas_dsyr",
    "M * N": "cblas_dgemv cblas_dger", "M * N * K": "cblas_dgemm"}
FOUND = 0.60


class Gsl(Judged):
    WANTED = by_function(LAWS)

    @classmethod
    def compile(cls):
        cls.fetch("gsl")
        gsl = os.path.join(SOURCES, "gsl")
        headers = os.path.join(cls.folder, "gsl")
        os.mkdir(headers)
        for folder in (gsl, *(os.path.join(gsl, name) for name in os.listdir(gsl))):
            for name in os.listdir(folder) if os.path.isdir(folder) else ():
                if name.startswith("gsl_") and name.endswith(".h"):
                    os.symlink(os.path.join(folder, name), os.path.join(headers, name))
        with open(os.path.join(cls.folder, "config.h"), "w") as file:
            file.write(CONFIGURED)
        cls.compile_with_sleds(*("-I" + os.path.join(gsl, name) for name in ("cblas", "fft", "statistics", "")),
                               *(os.path.join(gsl, name + ".c") for name in FILES), os.path.join(HERE, "gsl_calls.c"))

    def test_cpu_clock(self):
        self.check(FOUND, "--clock", "cpu")

    def test_every_call_by_the_wall_clock(self):
        self.check(FOUND, "--times", "exact")

    def test_sampled_calls(self):
        self.check(FOUND, "--times", "auto")


if __name__ == "__main__":
    main()
