/* Structures of bit-fields, by value and behind pointers, and structures that end with an array of any length. */
#include "tests/guest/hazard.h"

struct flags {
  unsigned low : 3, middle : 13, : 0, high : 31;
  signed long wide : 47;
  _Bool is_set : 1;
};

struct text {
  unsigned length : 24, kind : 8;
  char bytes[];
};

union either {
  struct flags flags;
  struct text text;
};

OWN static long spread(struct flags flags, unsigned low, int is_set)
{
  CALLED(spread);
  return flags.wide * (is_set ? -1 : 1) + low + flags.middle + flags.high;
}

OWN static int length_of(const struct text *text, union either either)
{
  CALLED(length_of);
  return (int)text->length + text->bytes[0] + (int)either.text.kind;
}

int main(void)
{
  CALLED(main);
  long sum = 0;
  struct text *text = malloc(sizeof *text + 16);
  for (int i = 0; i < 60; i++) {
    struct flags flags = {(unsigned)i & 7, (unsigned)i * 17u & 0x1fff, (unsigned)i * 99991u & 0x7fffffff, i - 30,
                          i & 1};
    union either either = {.flags = flags};
    sum += spread(flags, flags.low, flags.is_set);
    text->length = (unsigned)i;
    text->kind = 7;
    text->bytes[0] = (char)i;
    sum += length_of(text, either);
  }
  free(text);
  printf("%ld\n", sum);
  return 0;
}
