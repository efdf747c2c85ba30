/* system() and popen() of programs without hooks. */
#include "tests/guest/hazard.h"

OWN static int run(const char *command)
{
  CALLED(run);
  return system(command);
}

OWN static int read_from(const char *command)
{
  CALLED(read_from);
  FILE *stream = popen(command, "r");
  int sum = 0, byte;
  while ((byte = fgetc(stream)) != EOF)
    sum += byte;
  return sum + pclose(stream);
}

int main(void)
{
  CALLED(main);
  for (int i = 0; i < 3; i++)
    printf("%d %d\n", run("exit 3"), read_from("echo hello; exit 2"));
  return 0;
}
