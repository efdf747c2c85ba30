/* Lists the laws that there are, evaluates them and writes their names. */
#include "output/scaling/law.h"

#include <math.h>
#include <string.h>

double out_law_logarithm(double value)
{
  return value > 1 ? log2(value) : 0;
}

double out_law_growth(enum out_growth growth, double value, double logarithm)
{
  switch (growth) {
  case OUT_GROWTH_LOG:
    return logarithm;
  case OUT_GROWTH_N:
    return value;
  case OUT_GROWTH_N_LOG:
    return value * logarithm;
  case OUT_GROWTH_N2:
    return value * value;
  case OUT_GROWTH_N3:
    return value * value * value;
  case OUT_GROWTH_N4:
    return value * value * value * value;
  case OUT_GROWTH_EXPONENTIAL_SLOW:
    return pow(1.5, value);
  case OUT_GROWTH_EXPONENTIAL:
    return exp2(value);
  default:
    return 1;
  }
}

static bool has_logarithm(uint8_t growth)
{
  return growth == OUT_GROWTH_LOG || growth == OUT_GROWTH_N_LOG;
}

double out_law_term(const struct out_law *law, uint32_t term, const double *values)
{
  double product = 1;
  for (uint32_t i = 0; i < law->argument_count; i++)
    product *= out_law_growth(law->growth[term][i], values[law->arguments[i]],
                              has_logarithm(law->growth[term][i]) ? out_law_logarithm(values[law->arguments[i]]) : 0);
  return product;
}

double out_law_size(const struct out_law *law, const double *values)
{
  double size = 1;
  for (uint32_t i = 0; i < law->argument_count; i++)
    size *= values[law->arguments[i]];
  return size;
}

double out_law_step(const struct out_law *law, const double *values)
{
  const double size = out_law_size(law, values);
  if (size <= law->from)
    return 0;
  return size >= law->to ? 1 : log(size / law->from) / log(law->to / law->from);
}

struct each {
  uint32_t count;
  int (*take)(const struct out_law *law, void *data);
  void *data;
};

/* One term, and one term above a slower one; and one term that is steeper than all. */
static int each_of_one(const struct each *each, uint8_t argument)
{
  int result = 0;
  for (uint32_t first = OUT_GROWTH_LOG; first <= OUT_GROWTH_STEEPEST && result == 0; first++) {
    struct out_law law = {
        .argument_count = 1, .term_count = 1, .leading = 1, .arguments = {argument}, .growth = {{(uint8_t)first}}};
    result = each->take(&law, each->data);
    law.term_count = 2;
    for (uint32_t second = OUT_GROWTH_LOG; second < first && first < OUT_GROWTH_COUNT && result == 0; second++) {
      law.growth[1][0] = (uint8_t)second;
      result = each->take(&law, each->data);
    }
  }
  return result;
}

/* f(a) * g(b), alone, beside f(a), and beside g(b); and f(a) + g(b). */
static int each_of_growths(const struct each *each, uint8_t a, uint8_t b, uint8_t f, uint8_t g)
{
  struct out_law law = {.argument_count = 2, .term_count = 1, .leading = 1, .arguments = {a, b}, .growth = {{f, g}}};
  int result = each->take(&law, each->data);
  law.term_count = 2;
  law.growth[1][0] = f;
  if (result == 0)
    result = each->take(&law, each->data);
  law.growth[1][0] = OUT_GROWTH_NONE;
  law.growth[1][1] = g;
  if (result == 0)
    result = each->take(&law, each->data);
  law.growth[0][1] = OUT_GROWTH_NONE;
  law.leading = 2;
  return result == 0 ? each->take(&law, each->data) : result;
}

static int each_of_two(const struct each *each, uint8_t a, uint8_t b)
{
  int result = 0;
  for (uint32_t f = OUT_GROWTH_LOG; f < OUT_GROWTH_COUNT; f++)
    for (uint32_t g = OUT_GROWTH_LOG; g < OUT_GROWTH_COUNT && result == 0; g++)
      result = each_of_growths(each, a, b, (uint8_t)f, (uint8_t)g);
  return result;
}

/* a * b * c, alone and beside a product of two of them, and a + b + c. */
static int each_of_three(const struct each *each, uint8_t a, uint8_t b, uint8_t c)
{
  struct out_law law = {.argument_count = 3,
                        .term_count = 1,
                        .leading = 1,
                        .arguments = {a, b, c},
                        .growth = {{OUT_GROWTH_N, OUT_GROWTH_N, OUT_GROWTH_N}}};
  int result = each->take(&law, each->data);
  law.term_count = 2;
  for (uint32_t left_out = 0; left_out < 3 && result == 0; left_out++) {
    for (uint32_t i = 0; i < 3; i++)
      law.growth[1][i] = i == left_out ? OUT_GROWTH_NONE : OUT_GROWTH_N;
    result = each->take(&law, each->data);
  }
  law.term_count = law.leading = 3;
  memset(law.growth, OUT_GROWTH_NONE, sizeof law.growth);
  for (uint32_t i = 0; i < 3; i++)
    law.growth[i][i] = OUT_GROWTH_N;
  return result == 0 ? each->take(&law, each->data) : result;
}

int out_laws_each(uint32_t count, int (*take)(const struct out_law *law, void *data), void *data)
{
  struct each each = {.count = count, .take = take, .data = data};
  struct out_law constant = {0};
  int result = take(&constant, data);
  for (uint32_t a = 0; a < count && result == 0; a++)
    result = each_of_one(&each, (uint8_t)a);
  for (uint32_t a = 0; a < count; a++)
    for (uint32_t b = a + 1; b < count && result == 0; b++)
      result = each_of_two(&each, (uint8_t)a, (uint8_t)b);
  for (uint32_t a = 0; a < count; a++)
    for (uint32_t b = a + 1; b < count; b++)
      for (uint32_t c = b + 1; c < count && result == 0; c++)
        result = each_of_three(&each, (uint8_t)a, (uint8_t)b, (uint8_t)c);
  return result;
}

bool out_law_is_steeper(const struct out_law *law)
{
  return law->leading > 0 && law->growth[0][0] >= OUT_GROWTH_COUNT;
}

/* The growth of `candidate` in a term, whether or not the law knows the candidate. */
static uint8_t growth_of(const struct out_law *law, uint32_t term, uint8_t candidate)
{
  for (uint32_t i = 0; i < law->argument_count; i++)
    if (law->arguments[i] == candidate)
      return law->growth[term][i];
  return OUT_GROWTH_NONE;
}

/* The growth without its logarithm: that of log n is none. */
static uint8_t power_of(uint8_t growth)
{
  return growth == OUT_GROWTH_LOG ? OUT_GROWTH_NONE : growth == OUT_GROWTH_N_LOG ? OUT_GROWTH_N : growth;
}

bool out_law_is_plain_form(const struct out_law *plain, const struct out_law *law)
{
  if (plain->leading != law->leading)
    return false;
  for (uint32_t i = 0; i < law->leading; i++)
    for (uint8_t candidate = 0; candidate < OUT_LAW_CANDIDATES; candidate++) {
      uint8_t growth = growth_of(law, i, candidate), without = growth_of(plain, i, candidate);
      if (without != growth && without != power_of(growth))
        return false;
    }
  return true;
}

static bool same_term(const struct out_law *left, uint32_t left_term, const struct out_law *right, uint32_t right_term)
{
  for (uint8_t candidate = 0; candidate < OUT_LAW_CANDIDATES; candidate++)
    if (growth_of(left, left_term, candidate) != growth_of(right, right_term, candidate))
      return false;
  return true;
}

bool out_law_same_name(const struct out_law *left, const struct out_law *right)
{
  if (left->leading != right->leading)
    return false;
  for (uint32_t i = 0; i < left->leading; i++)
    if (!same_term(left, i, right, i))
      return false;
  return true;
}

static void growth_name(enum out_growth growth, const char *name, struct out_text *text)
{
  static const char *const forms[OUT_GROWTH_COUNT][2] = {
      [OUT_GROWTH_LOG] = {"log ", ""}, [OUT_GROWTH_N] = {"", ""},    [OUT_GROWTH_N_LOG] = {"", " log "},
      [OUT_GROWTH_N2] = {"", "^2"},    [OUT_GROWTH_N3] = {"", "^3"},
  };
  out_text_puts(text, forms[growth][0]);
  out_text_puts(text, name);
  out_text_puts(text, forms[growth][1]);
  if (growth == OUT_GROWTH_N_LOG)
    out_text_puts(text, name);
}

void out_law_term_name(const struct out_law *law, uint32_t term, const char *const *names, struct out_text *text)
{
  const char *separator = "";
  for (uint32_t i = 0; i < law->argument_count; i++) {
    if (law->growth[term][i] == OUT_GROWTH_NONE)
      continue;
    out_text_puts(text, separator);
    growth_name(law->growth[term][i], names[law->arguments[i]], text);
    separator = " * ";
  }
}

void out_law_name(const struct out_law *law, const char *const *names, struct out_text *text)
{
  if (law->leading == 0)
    out_text_puts(text, "constant");
  for (uint32_t i = 0; i < law->leading; i++) {
    if (i > 0)
      out_text_puts(text, " + ");
    out_law_term_name(law, i, names, text);
  }
}
