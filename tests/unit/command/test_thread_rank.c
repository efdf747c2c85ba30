/* In which system calls a thread is stopped without disturbing it, by their arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "cli/attach/thread_list.h"

struct call {
  long number;
  unsigned long arguments[CLI_CALL_ARGUMENTS];
  enum cli_thread_rank rank;
};

static void assert_ranks(const struct call *calls, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (cli_thread_rank_of(calls[i].number, calls[i].arguments) != calls[i].rank)
      fail_msg("system call %ld, the %zu. of them", calls[i].number, i + 1);
}

/* Nothing of what it waits for has come, where not more than one thing is waited for. */
static void one_that_receives_waits(void **state)
{
  static const struct call calls[] = {
      {SYS_recvfrom, {3}, CLI_THREAD_WAITS},
      {SYS_recvfrom, {3, 0, 0, MSG_WAITALL}, CLI_THREAD_BUSY},
      {SYS_recvmsg, {3}, CLI_THREAD_WAITS},
      {SYS_recvmsg, {3, 0, MSG_WAITALL}, CLI_THREAD_BUSY},
      {SYS_recvmmsg, {3, 0, 8, MSG_WAITFORONE}, CLI_THREAD_WAITS},
      {SYS_recvmmsg, {3, 0, 8, MSG_WAITFORONE | MSG_WAITALL}, CLI_THREAD_BUSY},
      {SYS_recvmmsg, {3, 0, 8}, CLI_THREAD_BUSY},
  };
  (void)state;
  assert_ranks(calls, sizeof calls / sizeof *calls);
}

static void one_that_waits_for_a_span_sleeps(void **state)
{
  static const struct call calls[] = {
      {SYS_clock_nanosleep, {0}, CLI_THREAD_SLEEPS}, {SYS_epoll_pwait, {3}, CLI_THREAD_SLEEPS},
#ifdef SYS_epoll_pwait2
      {SYS_epoll_pwait2, {3}, CLI_THREAD_SLEEPS},
#endif
      {SYS_semtimedop, {1}, CLI_THREAD_SLEEPS},      {SYS_restart_syscall, {0}, CLI_THREAD_SLEEPS},
      {SYS_mq_timedreceive, {3}, CLI_THREAD_WAITS},
  };
  (void)state;
  assert_ranks(calls, sizeof calls / sizeof *calls);
}

/* The C library's own locks wait without a mask of bits: their holder may be what is waited for. */
static void a_lock_is_not_a_wait(void **state)
{
  static const struct call calls[] = {
      {SYS_futex, {1, FUTEX_WAIT_PRIVATE}, CLI_THREAD_BUSY},
      {SYS_futex, {1, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME}, CLI_THREAD_WAITS},
      {SYS_futex, {1, FUTEX_WAIT_BITSET, 0, 4096}, CLI_THREAD_SLEEPS},
      {SYS_write, {1}, CLI_THREAD_BUSY},
      {SYS_mmap, {0}, CLI_THREAD_BUSY},
      {-1, {0}, CLI_THREAD_RUNS},
  };
  (void)state;
  assert_ranks(calls, sizeof calls / sizeof *calls);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_that_receives_waits),
      cmocka_unit_test(one_that_waits_for_a_span_sleeps),
      cmocka_unit_test(a_lock_is_not_a_wait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
