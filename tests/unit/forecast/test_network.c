/* Networks whose behaviour has a closed form are simulated as it says, the same each time, and no item is lost. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "output/queueing/network.h"

enum { DRAWS = 50000, TASKS = 200000, SEEDS = 4 };

static double exponential[DRAWS];

/* Quantiles of the exponential distribution of mean 1. */
static void make_exponential(void)
{
  double sum = 0;
  for (uint32_t i = 0; i < DRAWS; i++)
    sum += exponential[i] = -log(1 - (i + 0.5) / DRAWS);
  for (uint32_t i = 0; i < DRAWS; i++)
    exponential[i] *= DRAWS / sum;
}

static void use_exponential(struct out_network_station *station, double mean)
{
  station->times = exponential;
  station->num_times = DRAWS;
  station->mean = mean;
  station->spread = 1;
}

static struct out_network_result run(const struct out_network *network, uint64_t seed)
{
  struct out_network_result result;
  assert_int_equal(out_network_run(network, seed, UINT64_C(20000000), &result), 0);
  assert_true(result.ended);
  return result;
}

/* Arrivals at random, `rate` a second, at servers that take a second each: the mean time that an item waits. */
static double mean_wait(double rate, uint32_t servers, bool is_exponential)
{
  const struct out_network_port port = {.queue = 0, .items = 1};
  struct out_network_queue queue = {.capacity = 0};
  struct out_network_station stations[2] = {
      {.servers = 1, .tasks = TASKS, .outside = true, .num_outputs = 1, .outputs = &port},
      {.servers = servers, .num_inputs = 1, .inputs = &port, .mean = 1},
  };
  const struct out_network network = {.stations = stations, .num_stations = 2, .queues = &queue, .num_queues = 1};
  use_exponential(&stations[0], 1 / rate);
  if (is_exponential)
    use_exponential(&stations[1], 1);
  double sum = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct out_network_result result = run(&network, seed);
    assert_int_equal(result.stations[1].tasks, TASKS);
    assert_int_equal(result.queues[0].puts, TASKS);
    assert_int_equal(result.queues[0].gets, TASKS);
    sum += result.queues[0].held / TASKS;
    out_network_result_free(&result);
  }
  return sum / SEEDS;
}

static void one_random_server(void **state)
{
  (void)state;
  static const double rates[] = {0.3, 0.6, 0.8};
  for (unsigned i = 0; i < 3; i++) {
    const double exact = rates[i] / (1 - rates[i]);
    const double found = mean_wait(rates[i], 1, true);
    if (fabs(found - exact) > 0.03 * exact)
      fail_msg("M/M/1 at %.1f: waits %.4f, and is to wait %.4f", rates[i], found, exact);
  }
}

/* The mean number that waits for `servers` of one second each, with `rate` arrivals: the number in the system changes
 * from one second to the next by the arrivals and by all that were being served (Crommelin). */
static double crommelin(double rate, unsigned servers)
{
  enum { MOST = 400 };
  static double now[MOST], next[MOST], arrivals[MOST];
  arrivals[0] = exp(-rate);
  for (unsigned i = 1; i < MOST; i++)
    arrivals[i] = arrivals[i - 1] * rate / i;
  for (unsigned i = 0; i < MOST; i++)
    now[i] = i == 0;
  for (unsigned step = 0; step < 2000; step++) {
    for (unsigned i = 0; i < MOST; i++)
      next[i] = 0;
    for (unsigned i = 0; i < MOST; i++)
      for (unsigned j = 0, left = i > servers ? i - servers : 0; left + j < MOST && arrivals[j] > 1e-15; j++)
        next[left + j] += now[i] * arrivals[j];
    for (unsigned i = 0; i < MOST; i++)
      now[i] = next[i];
  }
  double waiting = 0;
  for (unsigned i = servers; i < MOST; i++)
    waiting += now[i] * (i - servers);
  return waiting;
}

static void several_even_servers(void **state)
{
  (void)state;
  static const unsigned servers[] = {1, 2, 4};
  for (unsigned i = 0; i < 3; i++) {
    const double rate = 0.8 * servers[i], exact = crommelin(rate, servers[i]) / rate;
    const double found = mean_wait(rate, servers[i], false);
    if (fabs(found - exact) > 0.03 * exact)
      fail_msg("M/D/%u: waits %.4f, and is to wait %.4f", servers[i], found, exact);
  }
}

/* A station that always has items, a queue, and another station, both random and as fast: with room for N in all behind
 * the first, it works (N + 1) / (N + 2) of the time. A server that cannot put is room, too. */
static void tandem(void **state)
{
  (void)state;
  for (uint64_t capacity = 1; capacity <= 8; capacity *= 2) {
    const struct out_network_port port = {.queue = 0, .items = 1};
    struct out_network_queue queue = {.capacity = capacity};
    struct out_network_station stations[2] = {
        {.servers = 1, .tasks = TASKS, .num_outputs = 1, .outputs = &port},
        {.servers = 1, .num_inputs = 1, .inputs = &port},
    };
    const struct out_network network = {.stations = stations, .num_stations = 2, .queues = &queue, .num_queues = 1};
    use_exponential(&stations[0], 1);
    use_exponential(&stations[1], 1);
    struct out_network_result result = run(&network, capacity);
    const double exact = (double)(capacity + 2) / (double)(capacity + 3), found = TASKS / (result.end - result.begin);
    if (fabs(found - exact) > 0.01 * exact)
      fail_msg("capacity %u: %.4f a second, and is to be %.4f", (unsigned)capacity, found, exact);
    assert_int_equal(result.queues[0].most, capacity);
    out_network_result_free(&result);
  }
}

/* Ten servers that compute: what they do is what there are processors for. Where they wait half of the time, at random,
 * one processor is never without work. */
static void processors(void **state)
{
  (void)state;
  static const double counts[] = {0, 1, 2.5, 8};
  static const double rates[] = {10, 1, 2.5, 8};
  for (unsigned i = 0; i < 4; i++) {
    struct out_network_station station = {.servers = 10, .tasks = 10000, .mean = 1, .on_processor = 1};
    struct out_network network = {.stations = &station, .num_stations = 1, .processors = counts[i]};
    struct out_network_result result = run(&network, 1);
    const double found = 10000 / (result.end - result.begin);
    assert_true(fabs(found - rates[i]) < 0.01 * rates[i]);
    assert_true(fabs(result.processor_time - 10000) < 1e-6);
    out_network_result_free(&result);
    station.on_processor = 0.5;
    network.processors = 1;
    result = run(&network, 1);
    assert_true(fabs(10000 / (result.end - result.begin) - 2) < 0.02);
    assert_true(fabs(result.processor_time - 5000) < 1e-6);
    out_network_result_free(&result);
  }
}

/* A fan to a fast and to a slow branch, and a station that takes an item of each; one that makes an item of eight, and
 * one that makes four of one. All that goes in comes out. */
static void branches(void **state)
{
  (void)state;
  const struct out_network_port fan[2] = {{0, 1}, {1, 1}}, fast_out = {2, 1}, slow_out = {3, 1};
  const struct out_network_port join[2] = {{2, 1}, {3, 1}}, batches = {4, 0.125}, batch = {4, 1}, parts = {5, 4};
  const struct out_network_port part = {5, 1};
  struct out_network_queue queues[6];
  for (unsigned i = 0; i < 6; i++)
    queues[i] = (struct out_network_queue){.capacity = 2};
  struct out_network_station stations[] = {
      {.servers = 1, .tasks = 8000, .num_outputs = 2, .outputs = fan, .mean = 0.001},
      {.servers = 1, .num_inputs = 1, .inputs = &fan[0], .num_outputs = 1, .outputs = &fast_out, .mean = 0.001},
      {.servers = 1, .num_inputs = 1, .inputs = &fan[1], .num_outputs = 1, .outputs = &slow_out, .mean = 0.01},
      {.servers = 1, .num_inputs = 2, .inputs = join, .num_outputs = 1, .outputs = &batches, .mean = 0.001},
      {.servers = 1, .num_inputs = 1, .inputs = &batch, .num_outputs = 1, .outputs = &parts, .mean = 0.001},
      {.servers = 2, .num_inputs = 1, .inputs = &part, .mean = 0.001},
  };
  const struct out_network network = {.stations = stations, .num_stations = 6, .queues = queues, .num_queues = 6};
  struct out_network_result result = run(&network, 1);
  static const uint64_t tasks[] = {8000, 8000, 8000, 8000, 1000, 4000};
  for (unsigned i = 0; i < 6; i++)
    assert_int_equal(result.stations[i].tasks, tasks[i]);
  for (unsigned i = 0; i < 6; i++)
    assert_int_equal(result.queues[i].puts, result.queues[i].gets);
  assert_true(fabs(result.end - result.begin - 80) < 0.1);
  out_network_result_free(&result);
}

/* Items that one station gives to two in turn, and that another takes from whichever of two queues has one. */
static void either(void **state)
{
  (void)state;
  const struct out_network_port split[2] = {{0, 0.5}, {1, 0.5}}, out[2] = {{2, 1}, {3, 1}}, both[2] = {{2, 1}, {3, 1}};
  const struct out_network_port in[2] = {{0, 1}, {1, 1}};
  struct out_network_queue queues[4] = {{.capacity = 4}, {.capacity = 4}, {.capacity = 4}, {.capacity = 4}};
  struct out_network_station stations[] = {
      {.servers = 1, .tasks = 1000, .num_outputs = 2, .outputs = split, .mean = 0.01},
      {.servers = 1, .num_inputs = 1, .inputs = &in[0], .num_outputs = 1, .outputs = &out[0], .mean = 0.015},
      {.servers = 1, .num_inputs = 1, .inputs = &in[1], .num_outputs = 1, .outputs = &out[1], .mean = 0.018},
      {.servers = 1, .num_inputs = 2, .inputs = both, .takes_any = true, .mean = 0.001},
  };
  const struct out_network network = {.stations = stations, .num_stations = 4, .queues = queues, .num_queues = 4};
  struct out_network_result result = run(&network, 1);
  assert_int_equal(result.stations[1].tasks, 500);
  assert_int_equal(result.stations[2].tasks, 500);
  assert_int_equal(result.stations[3].tasks, 1000);
  assert_true(fabs(result.end - result.begin - 10) < 0.1);
  out_network_result_free(&result);
}

/* Tasks that change half way, a slow server, a first task, and time between tasks. */
static void changing_times(void **state)
{
  (void)state;
  static const double levels[2] = {0.5, 1.5};
  struct out_network_station station = {
      .servers = 1, .tasks = 1000, .mean = 0.01, .levels = levels, .num_levels = 2, .expected = 1000};
  const struct out_network network = {.stations = &station, .num_stations = 1};
  struct out_network_result result = run(&network, 1);
  assert_true(fabs(result.end - 10) < 1e-6);
  out_network_result_free(&result);
  station.first = 2;
  station.between = 0.005;
  result = run(&network, 1);
  assert_true(fabs(result.end - (10 - 0.005 + 2 + 5)) < 1e-6);
  assert_true(fabs(result.begin - 0.005) < 1e-9);
  out_network_result_free(&result);
  station = (struct out_network_station){
      .servers = 2, .tasks = 1000, .mean = 0.01, .slow_servers = 1, .slow_factor = 4, .other_factor = 1};
  result = run(&network, 1);
  assert_true(fabs(result.end - 8) < 0.05);
  out_network_result_free(&result);
}

static void same_each_time(void **state)
{
  (void)state;
  assert_true(mean_wait(0.5, 2, true) == mean_wait(0.5, 2, true));
}

/* Items that go round for ever end with the steps that are allowed; a queue that nobody takes from ends at once. */
static void hostile(void **state)
{
  (void)state;
  const struct out_network_port in = {0, 1}, out = {0, 1};
  struct out_network_queue queue = {.capacity = 4};
  struct out_network_station stations[] = {
      {.servers = 1, .tasks = 2, .num_outputs = 1, .outputs = &out},
      {.servers = 3, .num_inputs = 1, .inputs = &in, .num_outputs = 1, .outputs = &out},
  };
  struct out_network network = {.stations = stations, .num_stations = 2, .queues = &queue, .num_queues = 1};
  struct out_network_result result;
  assert_int_equal(out_network_run(&network, 1, 1000, &result), 0);
  assert_false(result.ended);
  assert_true(result.steps < 1010);
  out_network_result_free(&result);
  network.num_stations = 1;
  stations[0].tasks = UINT64_MAX;
  result = run(&network, 1);
  assert_int_equal(result.queues[0].puts, 4);
  out_network_result_free(&result);
}

/* Items that go round between two exponential servers (Gordon and Newell): so many keep each one busy n / (n + 1) of
 * the time. With tasks that take the same each time, all of them are at work until one station is always. */
static void rings(void **state)
{
  (void)state;
  const struct out_network_port there = {.queue = 0, .items = 1}, back = {.queue = 1, .items = 1};
  struct out_network_queue queues[2] = {{.capacity = 0}};
  struct out_network_station stations[2] = {
      {.servers = 1, .tasks = TASKS, .num_inputs = 1, .inputs = &back, .num_outputs = 1, .outputs = &there, .mean = 1},
      {.servers = 1, .num_inputs = 1, .inputs = &there, .num_outputs = 1, .outputs = &back, .mean = 1},
  };
  const struct out_network network = {.stations = stations, .num_stations = 2, .queues = queues, .num_queues = 2};
  use_exponential(&stations[0], 1);
  use_exponential(&stations[1], 1);
  for (uint64_t items = 1; items <= 8; items *= 2) {
    queues[1].initial = items;
    struct out_network_result result = run(&network, items);
    const double rate = TASKS / (result.end - result.begin), expected = (double)items / (double)(items + 1);
    assert_true(fabs(rate / expected - 1) < 0.01);
    assert_int_equal(result.stations[1].tasks, TASKS);
    assert_int_equal(result.queues[1].most, items);
    out_network_result_free(&result);
  }
  stations[0].num_times = stations[1].num_times = 0;
  stations[1].mean = 3;
  for (uint64_t items = 1; items <= 3; items++) {
    queues[1].initial = items;
    struct out_network_result result = run(&network, 1);
    assert_true(fabs(TASKS / (result.end - result.begin) - (items == 1 ? 1 / 4. : 1 / 3.)) < 0.001);
    out_network_result_free(&result);
  }
}

/* Without anything in it a ring does nothing, and that is an end. */
static void empty_ring(void **state)
{
  (void)state;
  const struct out_network_port there = {.queue = 0, .items = 1}, back = {.queue = 1, .items = 1};
  struct out_network_queue queues[2] = {{.capacity = 0}};
  struct out_network_station stations[2] = {
      {.servers = 1, .tasks = 10, .num_inputs = 1, .inputs = &back, .num_outputs = 1, .outputs = &there, .mean = 1},
      {.servers = 1, .num_inputs = 1, .inputs = &there, .num_outputs = 1, .outputs = &back, .mean = 1},
  };
  const struct out_network network = {.stations = stations, .num_stations = 2, .queues = queues, .num_queues = 2};
  struct out_network_result result = run(&network, 1);
  assert_int_equal(result.stations[0].tasks + result.stations[1].tasks, 0);
  assert_true(result.end == result.begin);
  out_network_result_free(&result);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_random_server),
      cmocka_unit_test(several_even_servers),
      cmocka_unit_test(tandem),
      cmocka_unit_test(processors),
      cmocka_unit_test(branches),
      cmocka_unit_test(either),
      cmocka_unit_test(changing_times),
      cmocka_unit_test(same_each_time),
      cmocka_unit_test(hostile),
      cmocka_unit_test(rings),
      cmocka_unit_test(empty_ring),
  };
  make_exponential();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
