/* A program whose functions and variables have the names that a profiler may give to its own. */
#include "tests/guest/hazard.h"

int prof_self = 1, prof_process = 2, fmt_hash = 3;
int prof_lock(int n), prof_thread_enter(int n), prof_message(int n), base_vector_add(int n), fmt_index_open(int n);

OWN int prof_lock(int n)
{
  CALLED(prof_lock);
  return n + prof_self;
}

OWN int prof_thread_enter(int n)
{
  CALLED(prof_thread_enter);
  return prof_lock(n) + prof_process;
}

OWN int prof_message(int n)
{
  CALLED(prof_message);
  return prof_thread_enter(n) + fmt_hash;
}

OWN int base_vector_add(int n)
{
  CALLED(base_vector_add);
  return prof_message(n) + prof_lock(n);
}

OWN int fmt_index_open(int n)
{
  CALLED(fmt_index_open);
  return base_vector_add(n) + n;
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (int i = 0; i < 100; i++)
    sum += fmt_index_open(i);
  printf("%d\n", sum);
  return 0;
}
