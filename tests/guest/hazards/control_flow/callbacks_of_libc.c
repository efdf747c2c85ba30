/* qsort, bsearch, twalk and scandir call the program back. */
#include "tests/guest/hazard.h"

#include <dirent.h>
#include <search.h>

static int visited;

OWN static int compare(const void *a, const void *b)
{
  CALLED(compare);
  return *(const int *)a - *(const int *)b;
}

OWN static void visit(const void *node, VISIT which, int depth)
{
  CALLED(visit);
  (void)node, (void)depth;
  visited += which == leaf || which == postorder;
}

OWN static int choose(const struct dirent *entry)
{
  CALLED(choose);
  return entry->d_name[0] != '.';
}

int main(void)
{
  CALLED(main);
  int numbers[500], key = 77;
  void *tree = NULL;
  for (int i = 0; i < 500; i++)
    numbers[i] = i * 7919 % 1009;
  qsort(numbers, 500, sizeof numbers[0], compare);
  int *found = (int *)bsearch(&key, numbers, 500, sizeof numbers[0], compare);
  for (int i = 0; i < 100; i++)
    tsearch(&numbers[i], &tree, compare);
  twalk(tree, visit);
  struct dirent **entries;
  int there = scandir("/proc/self/task", &entries, choose, alphasort);
  printf("%d %d %d\n", found ? *found : -1, visited, there);
  return 0;
}
