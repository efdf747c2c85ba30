"""Fortran passes by reference what has not the attribute VALUE: rows have what the program itself prints."""

import json
import re
import shutil
import unittest

import harness

PROGRAM = """
module shapes
contains
  subroutine scaled(n, x, text, a, is_told, v, last)
    integer, intent(in) :: n
    real(8), intent(in) :: x
    character(len=*), intent(in) :: text
    real, intent(in) :: a(:)
    logical, intent(in) :: is_told
    integer, value :: v
    integer(8), intent(in) :: last
    print '(A,I0,A,L1,A,I0,A,I0)', 'scaled n=', n, ' is_told=', is_told, ' v=', v, ' last=', last
    if (x > 1d9) print *, text, a
  end subroutine
  integer function twice(k)
    integer, value :: k
    print '(A,I0)', 'twice k=', k
    twice = k * 2
  end function
  recursive subroutine deep(m, f)
    integer, intent(in) :: m
    integer, intent(inout) :: f
    print '(A,I0,A,I0)', 'deep m=', m, ' f=', f
    f = f * m
    if (m > 1) call deep(m - 1, f)
  end subroutine
  function filled(n, k) result(r)
    integer :: n, k
    integer :: r(n)
    print '(A,I0,A,I0)', 'filled n=', n, ' k=', k
    r = k
  end function
  function fixed(n, k) result(r)
    integer :: n, k
    integer :: r(2)
    print '(A,I0,A,I0)', 'fixed n=', n, ' k=', k
    r = k
  end function
  function pointed(n, k) result(r)
    integer :: n, k
    integer, pointer :: r(:)
    print '(A,I0,A,I0)', 'pointed n=', n, ' k=', k
    allocate(r(n))
    r = k
  end function
  function allocated_one(n, k) result(r)
    integer :: n, k
    integer, allocatable :: r(:)
    print '(A,I0,A,I0)', 'allocated_one n=', n, ' k=', k
    allocate(r(n))
    r = k
  end function
  function words(n, k) result(r)
    integer :: n, k
    character(len=2) :: r(3)
    print '(A,I0,A,I0)', 'words n=', n, ' k=', k
    r = 'ab'
  end function
  subroutine host(m, n, v, a, k)
    integer :: m, n, k
    integer, value :: v
    real :: a(:)
    print '(A,I0,A,I0,A,I0,A,I0)', 'host m=', m, ' n=', n, ' v=', v, ' k=', k
    call guest(n)
  contains
    subroutine guest(j)
      integer :: j
      print '(A,I0)', 'guest j=', j
      if (m + v + k < 0) print *, a
    end subroutine
  end subroutine
end module
program all_ways
  use shapes
  real :: b(10)
  integer :: r(2)
  integer, pointer :: p(:)
  character(len=2) :: w(3)
  integer :: f
  b = 1.0
  f = 1
  call scaled(3, 2.5d0, 'hello', b, .true., 7, 5000000000_8)
  call scaled(1000000, -1d0, 'hi', b(1:4), .false., -8, -1_8)
  if (twice(21) /= 42) stop 1
  call deep(5, f)
  r = filled(2, 31)
  r = fixed(41, 42)
  p => pointed(2, 51)
  r = allocated_one(2, 61)
  w = words(71, 72)
  call host(81, 82, 83, b, 84)
end program
"""
FUNCTIONS = ("scaled", "twice", "deep", "filled", "fixed", "pointed", "allocated_one", "words", "host", "guest")


@unittest.skipUnless(shutil.which("gfortran"), "gfortran is not installed")
class Fortran(harness.Case):
    def told(self, text):
        """The calls that the program prints: function and arguments, in order of their text."""
        calls = []
        for line in text.splitlines():
            name, *pairs = line.split()
            if name in FUNCTIONS:
                calls.append((name, *(re.sub("=T$", "=true", re.sub("=F$", "=false", pair)) for pair in pairs)))
        return sorted(calls)

    def recorded(self):
        done = self.callsig("report", "--format", "json", "callsig.out")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = []
        for row in json.loads(done.stdout)["rows"]:
            # Floating-point numbers, strings and arrays print as their type or not at all.
            values = [f"{arg['name']}={json.dumps(arg['value'])}" for arg in row["args"] if isinstance(arg["value"], int)]
            calls += [(row["function"], *values)] * row["ncalls"]
        return sorted(call for call in calls if call[0] in FUNCTIONS)

    def test_arguments(self):
        source = self.path("ways.f90")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        for hooks in "sleds", "calls":
            for level in "-O0", "-O1":
                program = self.path(f"ways_{hooks}{level}")
                compiler = ["env", "CALLSIG_CC=gfortran", harness.CALLSIG_CC] if hooks == "sleds" else ["gfortran", "-finstrument-functions"]
                # Where a caller is optimised, one that is not inlined may be passed less than it declares.
                done = self.run_command(*compiler, level, "-fno-inline", "-fno-ipa-cp", "-fno-ipa-sra", "-g", source, "-J", self.folder, "-o", program)
                self.assertEqual(done.returncode, 0, done.stderr)
                done = self.callsig("run", program)
                self.assertEqual(done.returncode, 0, done.stderr)
                told = self.told(done.stdout)
                self.assertEqual(len(told), 15, done.stdout)
                self.assertEqual(self.recorded(), told, (hooks, level))
                done = self.callsig("index", "--verify", program)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    harness.main()
