/*
 * Pipelines as programs have them, which hand items on by other things than queues in a row: `real_shapes SHAPE
 * THREADS`. The stage "work" has the threads.
 *
 * - sockets: work sleeps 1 ms and sends over a socket inside of its tasks, which is full: "receive" takes 6 ms for each
 * - sockets_in: "send" takes 6 ms for each, and work receives inside of its tasks, and sleeps 1 ms
 * - epoll: eight clients think for 4 ms, ask over sockets and wait; work answers, what is ready, in 3 ms each
 * - polled_ring: items of "make" (1 ms) go through a lock-free ring whose taker polls; work takes 6 ms
 * - spun_ring: likewise, "make" takes 8 ms, work 1 ms, and spins for the next one
 * - stealing: items are dealt to the first thread's deque alone, and the others steal them; each takes 8 ms
 * - priorities: work takes urgent items first, of two queues; each takes 5 ms
 * - coroutines: one thread has so many coroutines, each of which has a task that waits 6 ms for a timer
 * - processes: work writes to a pipe that a child process reads, which takes 5 ms for each
 */
#include <errno.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "shape_parts.h"

enum { MESSAGE = 4096, CLIENTS = 8 };

static struct callsig_stage *work, *other;
static struct callsig_fifo *items;
static int ends[2];
static unsigned left;

static int take_one(void)
{
  unsigned now = __atomic_load_n(&left, __ATOMIC_RELAXED);
  while (now > 0 && !__atomic_compare_exchange_n(&left, &now, now - 1, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  return now > 0;
}

/* A socket that holds few messages, each of which goes as one. */
static void open_ends(void)
{
  int space = 2 * MESSAGE;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
    exit(3);
  setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &space, sizeof space);
}

static void send_message(int end)
{
  static const char message[MESSAGE];
  if (write(end, message, sizeof message) != (ssize_t)sizeof message)
    exit(4);
}

static int receive_message(int end)
{
  char message[MESSAGE];
  return read(end, message, sizeof message) > 0;
}

static void *send_inside(void *data)
{
  while (take_one()) {
    callsig_task_begin(work, NULL);
    sleep_ms(1);
    send_message(ends[0]);
    callsig_task_end(work, 0);
  }
  return data;
}

static void *receive_outside(void *data)
{
  while (receive_message(ends[1])) {
    do_task(other, 6);
    passed();
  }
  return data;
}

static void run_sockets(unsigned threads)
{
  left = 300;
  open_ends();
  work = open_stage(1, "work", threads);
  other = open_stage(2, "receive", 1);
  const struct team senders = start_team(threads, send_inside), receiver = start_team(1, receive_outside);
  join_team(&senders);
  close(ends[0]);
  join_team(&receiver);
}

static void *send_outside(void *data)
{
  while (take_one()) {
    do_task(other, 6);
    send_message(ends[0]);
  }
  return data;
}

static void *receive_inside(void *data)
{
  for (int more = 1; more;) {
    callsig_task_begin(work, NULL);
    more = receive_message(ends[1]);
    if (more) {
      sleep_ms(1);
      passed();
    }
    callsig_task_end(work, 0);
  }
  return data;
}

static void run_sockets_in(unsigned threads)
{
  left = 300;
  open_ends();
  other = open_stage(1, "send", 1);
  work = open_stage(2, "work", threads);
  const struct team sender = start_team(1, send_outside), receivers = start_team(threads, receive_inside);
  join_team(&sender);
  close(ends[0]);
  join_team(&receivers);
}

static int clients[CLIENTS][2], poller;

static void *ask(void *data)
{
  const int end = clients[(uintptr_t)data][0];
  char byte = 0;
  while (take_one()) {
    do_task(other, 4);
    if (write(end, &byte, 1) != 1 || read(end, &byte, 1) != 1)
      exit(4);
    passed();
  }
  close(end);
  return NULL;
}

static void *answer(void *data)
{
  struct epoll_event event;
  char byte;
  while (epoll_wait(poller, &event, 1, -1) == 1) {
    if (event.data.fd < 0)
      return data;
    if (read(event.data.fd, &byte, 1) != 1)
      continue;
    do_task(work, 3);
    if (write(event.data.fd, &byte, 1) != 1)
      exit(4);
    event.events = EPOLLIN | EPOLLONESHOT;
    epoll_ctl(poller, EPOLL_CTL_MOD, event.data.fd, &event);
  }
  return data;
}

static void run_epoll(unsigned threads)
{
  struct epoll_event event = {.events = EPOLLIN, .data.fd = -1};
  left = 500;
  poller = epoll_create1(0);
  other = open_stage(1, "ask", CLIENTS);
  work = open_stage(2, "work", threads);
  for (unsigned i = 0; i < CLIENTS; i++) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, clients[i]) != 0)
      exit(3);
    struct epoll_event one = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = clients[i][1]};
    epoll_ctl(poller, EPOLL_CTL_ADD, clients[i][1], &one);
  }
  const struct team askers = start_team(CLIENTS, ask), answerers = start_team(threads, answer);
  join_team(&askers);
  open_ends();
  epoll_ctl(poller, EPOLL_CTL_ADD, ends[1], &event);
  send_message(ends[0]);
  join_team(&answerers);
}

/* A ring of one writer and one reader without a lock, told as a queue. */
enum { RING = 8 };
static uint64_t ring[RING], head, tail;
static struct callsig_queue *ring_queue;
static int spins;

static void rest(void)
{
  if (spins)
    sched_yield();
  else
    sleep_ms(0.1);
}

static void push(uint64_t item)
{
  const uint64_t token = callsig_queue_put_begin(ring_queue), at = __atomic_load_n(&head, __ATOMIC_RELAXED);
  while (at - __atomic_load_n(&tail, __ATOMIC_ACQUIRE) == RING)
    rest();
  ring[at % RING] = item;
  callsig_queue_put_end(ring_queue, token, item, 0);
  __atomic_store_n(&head, at + 1, __ATOMIC_RELEASE);
}

static uint64_t pop(void)
{
  const uint64_t token = callsig_queue_get_begin(ring_queue), at = __atomic_load_n(&tail, __ATOMIC_RELAXED);
  while (__atomic_load_n(&head, __ATOMIC_ACQUIRE) == at)
    rest();
  const uint64_t item = ring[at % RING];
  callsig_queue_get_end(ring_queue, token, item, item == 0);
  __atomic_store_n(&tail, at + 1, __ATOMIC_RELEASE);
  return item;
}

static double make_ms, work_ms;

static void *make_items(void *data)
{
  for (unsigned i = left; i > 0; i--) {
    do_task(other, make_ms);
    push(i);
  }
  push(0);
  return data;
}

static void *pop_items(void *data)
{
  while (pop()) {
    do_task(work, work_ms);
    passed();
  }
  return data;
}

static void run_ring(void)
{
  const struct callsig_queue_options options = {.size = sizeof options, .index = 1, .name = "ring", .capacity = RING};
  left = 250;
  other = open_stage(1, "make", 1);
  work = open_stage(2, "work", 1);
  if (callsig_queue_open(&options, &ring_queue) < 0)
    exit(3);
  const struct team maker = start_team(1, make_items), taker = start_team(1, pop_items);
  join_team(&maker);
  join_team(&taker);
}

static void run_polled_ring(unsigned threads)
{
  (void)threads;
  make_ms = 1;
  work_ms = 6;
  run_ring();
}

static void run_spun_ring(unsigned threads)
{
  (void)threads;
  spins = 1;
  make_ms = 8;
  work_ms = 1;
  run_ring();
}

/* The first thread's deque, of which the others steal. */
static void *steal(void *data)
{
  while (take_one()) {
    do_task(work, 8);
    passed();
  }
  return data;
}

static void run_stealing(unsigned threads)
{
  left = 200 * threads;
  work = open_stage(1, "work", threads);
  const struct team thieves = start_team(threads, steal);
  join_team(&thieves);
}

static struct callsig_fifo *urgent;

static void *take_by_priority(void *data)
{
  struct callsig_fifo_item item;
  while (callsig_fifo_get(urgent, &item, 0) == 0 || callsig_fifo_get(items, &item, UINT64_MAX) == 0) {
    do_task(work, 5);
    passed();
  }
  return data;
}

static void run_priorities(unsigned threads)
{
  work = open_stage(1, "work", threads);
  urgent = open_queue(0, "urgent", 8);
  items = open_queue(0, "items", 8);
  const struct team workers = start_team(threads, take_by_priority);
  for (unsigned i = 1; i <= 300; i++)
    put_item(i % 3 == 0 ? urgent : items, i);
  callsig_fifo_shut(urgent);
  callsig_fifo_shut(items);
  join_team(&workers);
}

/* One thread goes round coroutines whose timers have come. */
static struct coroutine {
  ucontext_t context;
  double wakes;
  int over;
  char stack[65536];
} coroutines[MOST_THREADS], *current;
static ucontext_t loop;

static void await_ms(double ms)
{
  current->wakes = now_ms() + ms;
  swapcontext(&current->context, &loop);
}

static void coroutine(void)
{
  while (take_one()) {
    callsig_task_begin(work, NULL);
    await_ms(6);
    callsig_task_end(work, 0);
    passed();
  }
  current->over = 1;
}

static int resume_ready(unsigned count)
{
  int more = 0;
  for (unsigned i = 0; i < count; i++) {
    current = &coroutines[i];
    if (!current->over && current->wakes <= now_ms())
      swapcontext(&loop, &current->context);
    more |= !coroutines[i].over;
  }
  return more;
}

static void run_coroutines(unsigned threads)
{
  left = 200 * threads;
  work = open_stage(1, "work", threads);
  for (unsigned i = 0; i < threads; i++) {
    struct coroutine *each = &coroutines[i];
    getcontext(&each->context);
    each->context.uc_stack = (stack_t){.ss_sp = each->stack, .ss_size = sizeof each->stack};
    each->context.uc_link = &loop;
    makecontext(&each->context, coroutine, 0);
  }
  while (resume_ready(threads))
    sleep_ms(0.2);
}

static void run_processes(unsigned threads)
{
  left = 300;
  open_ends();
  work = open_stage(1, "work", threads);
  other = open_stage(2, "receive", 1);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    receive_outside(NULL);
    exit(0);
  }
  close(ends[1]);
  const struct team senders = start_team(threads, send_inside);
  join_team(&senders);
  close(ends[0]);
  waitpid(child, NULL, 0);
  came = 300;
}

int main(int argc, char **argv)
{
  static const struct shape shapes[] = {
      {"sockets", run_sockets},       {"sockets_in", run_sockets_in},
      {"epoll", run_epoll},           {"polled_ring", run_polled_ring},
      {"spun_ring", run_spun_ring},   {"stealing", run_stealing},
      {"priorities", run_priorities}, {"coroutines", run_coroutines},
      {"processes", run_processes},   {NULL, NULL},
  };
  return run_shape(shapes, argc, argv);
}
