/* poll, select, epoll, eventfd, timerfd, inotify and a socket pair, whose numbers and events are its own. */
#include "tests/guest/hazard.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

OWN static int ready(int descriptor)
{
  CALLED(ready);
  struct pollfd poller = {.fd = descriptor, .events = POLLIN};
  return poll(&poller, 1, 1000);
}

int main(void)
{
  CALLED(main);
  int sockets[2], sum = 0;
  uint64_t one = 1;
  int events = eventfd(0, 0), timer = timerfd_create(CLOCK_MONOTONIC, 0), notes = inotify_init(),
      poller = epoll_create1(0);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0 && inotify_add_watch(notes, ".", IN_CREATE) >= 0);
  timerfd_settime(timer, 0, &(struct itimerspec){.it_value = {0, 1000000}}, NULL);
  struct epoll_event event = {.events = EPOLLIN, .data = {.fd = events}};
  epoll_ctl(poller, EPOLL_CTL_ADD, events, &event);
  CHECK(write(events, &one, sizeof one) == sizeof one && write(sockets[0], "x", 1) == 1);
  sum += ready(events) + ready(timer) + ready(sockets[1]) + ready(poller);
  struct pollfd quiet = {.fd = notes, .events = POLLIN};
  sum += 100 * poll(&quiet, 1, 0);
  printf("%d %d %d %d %d %d\n", events, timer, notes, poller, sockets[0], sum);
  return 0;
}
