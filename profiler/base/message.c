/*
 * Messages: one line to the program's callback or to stderr.
 */
#include "profiler/base/message.h"

#include <errno.h>
#include <linux/signal.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"

#define MESSAGE_SIZE 1024
#define PATIENCE_NS  100000000 /* for who reads stderr slowly */

static void add_argument(struct prof_text *text, const char **format, va_list *arguments)
{
  const char *f = *format;
  bool is_long = *f == 'l';
  f += is_long;
  if (*f == 's') {
    prof_text_add(text, va_arg(*arguments, const char *));
  } else if (*f == 'd') {
    long value = is_long ? va_arg(*arguments, long) : va_arg(*arguments, int);
    if (value < 0)
      prof_text_add(text, "-");
    prof_text_add_number(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10);
  } else if (*f == 'u' || *f == 'x') {
    uint64_t value = is_long ? va_arg(*arguments, unsigned long) : va_arg(*arguments, unsigned);
    prof_text_add_number(text, value, *f == 'u' ? 10 : 16);
  } else {
    prof_text_add_bytes(text, f, 1);
  }
  *format = f + 1;
}

/* The file that stderr was at the process's start; inode 0: none. */
static struct {
  uint64_t device, inode;
} stderr_file;

static bool prepared;

/* The file that descriptor 2 is now. */
static bool identify_stderr(uint64_t *device, uint64_t *inode)
{
  struct stat status;
  if (PROF_SYSCALL2(SYS_fstat, 2, &status) != 0)
    return false;
  *device = status.st_dev;
  *inode = status.st_ino;
  return true;
}

void prof_message_prepare(void)
{
  if (!identify_stderr(&stderr_file.device, &stderr_file.inode))
    stderr_file.inode = 0;
  __atomic_store_n(&prepared, true, __ATOMIC_RELEASE);
}

/* A program that closed its stderr may have a file of its own under that number by now. */
static bool is_stderr(void)
{
  uint64_t device, inode;
  return identify_stderr(&device, &inode) && inode == stderr_file.inode && device == stderr_file.device;
}

/* Does stderr take a line at once, or soon? Nobody may ever read a pipe that is full, or let a terminal that is stopped
 * go on, and the program, whose signals are blocked here, would wait with the line. Once in vain is enough. */
static bool takes_a_line(void)
{
  static bool given_up; /* atomic */
  const bool patient = !__atomic_load_n(&given_up, __ATOMIC_RELAXED);
  struct pollfd stream = {.fd = 2, .events = POLLOUT};
  const int64_t limit[2] = {0, patient ? PATIENCE_NS : 0};
  const uint64_t *mask = NULL;
  const bool full = PROF_SYSCALL6(SYS_ppoll, &stream, 1, limit, mask, sizeof *mask, 0) == 0;
  if (full)
    __atomic_store_n(&given_up, true, __ATOMIC_RELAXED);
  return !full;
}

/* Writes to stderr, which may be a pipe that nobody reads: the SIGPIPE of this write is taken back. */
static void write_stderr(const char *line, size_t size)
{
  uint64_t mask = prof_block_signals(), before = 0;
  PROF_SYSCALL2(SYS_rt_sigpending, &before, sizeof before);
  long written = takes_a_line() ? prof_sys_write(2, line, size) : 0;
  const uint64_t broken_pipe = 1ull << (SIGPIPE - 1);
  if (written == -EPIPE && !(before & broken_pipe)) {
    const int64_t at_once[2] = {0, 0};
    PROF_SYSCALL4(SYS_rt_sigtimedwait, &broken_pipe, 0, at_once, sizeof broken_pipe);
  }
  prof_restore_signals(mask);
}

void prof_message(const char *format, ...)
{
  char line[MESSAGE_SIZE];
  if (!__atomic_load_n(&prepared, __ATOMIC_ACQUIRE))
    prof_message_prepare();
  struct prof_text text = prof_text_begin(line, sizeof line - 1); /* room for the newline */
  prof_text_add(&text, "callsig: ");
  char *message = text.next;
  va_list arguments;
  va_start(arguments, format);
  while (*format) {
    if (*format != '%') {
      prof_text_add_bytes(&text, format++, 1);
      continue;
    }
    format++;
    add_argument(&text, &format, &arguments);
  }
  va_end(arguments);
  if (prof_process.message) {
    prof_process.message(message, prof_process.message_data);
    return;
  }
  *text.next++ = '\n';
  if (is_stderr())
    write_stderr(line, (size_t)(text.next - line));
}
