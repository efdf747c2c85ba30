/* Pictures made smaller: each pixel is the mean of those that it covers. */
#include "image.h"
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

/* Adds row `y` of the source to `sums`, each column to the destination column that covers it. */
static void add_row(const struct image *src, unsigned y, uint64_t *sums, unsigned width)
{
  unsigned channels = image_channels(src);
  const unsigned char *pixel = src->pixels + (size_t)y * src->width * channels;
  for (unsigned x = 0; x < src->width; x++) {
    uint64_t *sum = sums + (size_t)((uint64_t)x * width / src->width) * channels;
    for (unsigned c = 0; c < channels; c++)
      sum[c] += *pixel++;
  }
}

/* Makes one row of the destination from the sums of `rows` rows of the source. */
static void put_row(const struct image *src, unsigned rows, const uint64_t *sums, unsigned width, unsigned char *out)
{
  unsigned channels = image_channels(src);
  for (unsigned x = 0; x < width; x++) {
    uint64_t from = ((uint64_t)x * src->width + width - 1) / width;
    uint64_t to = ((uint64_t)(x + 1) * src->width + width - 1) / width;
    uint64_t count = (to - from) * rows;
    assert(count > 0); /* the destination is no larger than the source */
    for (unsigned c = 0; c < channels; c++)
      *out++ = (unsigned char)((sums[(size_t)x * channels + c] + count / 2) / count);
  }
}

int resize(const struct image *src, unsigned width, unsigned height, struct image *dst)
{
  *dst = (struct image){0};
  if (width == 0 || height == 0 || width > src->width || height > src->height)
    return -EINVAL; /* pictures are made smaller here, never larger */
  size_t row = (size_t)width * image_channels(src);
  int error = image_alloc(dst, width, height, src->format);
  uint64_t *sums = calloc(row, sizeof *sums);
  if (error == 0 && !sums)
    error = -ENOMEM;
  for (unsigned y = 0, from = 0; error == 0 && y < height; y++) {
    unsigned to = (unsigned)((uint64_t)(y + 1) * src->height / height);
    for (unsigned at = from; at < to; at++)
      add_row(src, at, sums, width);
    put_row(src, to - from, sums, width, dst->pixels + y * row);
    for (size_t i = 0; i < row; i++)
      sums[i] = 0;
    from = to;
  }
  free(sums);
  if (error)
    image_free(dst);
  return error;
}
