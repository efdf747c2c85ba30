// Constructors and destructors of static and thread_local objects, also of local ones.
#include "tests/guest/hazard.h"

#include <pthread.h>

extern "C" OWN void note(int n)
{
  CALLED(note);
  KEEP(n);
}

struct Noted {
  int number;
  explicit Noted(int n) : number(n)
  {
    note(n);
  }
  ~Noted()
  {
    note(-number);
  }
};

static thread_local Noted mine(3);

static Noted &local()
{
  static Noted object(2);
  return object;
}

extern "C" OWN void *thread(void *unused)
{
  CALLED(thread);
  KEEP(mine.number);
  local();
  return unused;
}

int main()
{
  CALLED(main);
  for (int i = 0; i < 10; i++) {
    pthread_t id;
    CHECK(pthread_create(&id, nullptr, thread, nullptr) == 0);
    pthread_join(id, nullptr);
  }
  return 0;
}
