/* What a sample costs whoever is sampled. */
#ifndef CALLSIG_CLI_BESIDE_SAMPLE_PRICE_H
#define CALLSIG_CLI_BESIDE_SAMPLE_PRICE_H

#include <stddef.h>
#include <stdint.h>

struct perf_event_attr;

/* How long the kernel takes for one sample as `event` asks for it, in nanoseconds: measured on the calling thread, in
 * some milliseconds of its CPU time. `pages`: of the ring to use, without its first one. At most half of the event's
 * period, so that a sample always stands for some of the program's time. 0 when that cannot be measured, which is said
 * where something else was in its place. */
uint64_t cli_sample_price(const struct perf_event_attr *event, size_t pages);

/* The middle one of `count` gaps between readings of a clock, which are reordered, of those that are longer than
 * reading it takes, without those that are too long for a sample; 0 when there are fewer than `samples`: then not each
 * sample made one. */
uint64_t cli_sample_price_of(uint64_t *gaps, uint32_t count, uint32_t samples);

/* `price`, or 0 after a message where it is more than half of the `period` between two samples: then the machine had
 * something else to do, or takes no more than samples. */
uint64_t cli_sample_price_within(uint64_t price, uint64_t period);

#endif
