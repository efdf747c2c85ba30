/* Pictures in memory: made, freed, and named in the profile. */
#include "image.h"

#include <callsig/callsig.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

/* With these rules the profile tells calls apart by what they were given: resize(src:image[1920x1080,RGB], width=256,
 * ...). What a function is only to fill says nothing of its call, and the number of a row is of no interest. */
CALLSIG_TYPE(image, "width, height, format print \\\"image[{0}x{1},{2}]\\\"");
CALLSIG_TYPE(bytes, "size print \\\"bytes[{0}]\\\"");
CALLSIG_IGNORE(decode_jpeg, image);
CALLSIG_IGNORE(encode_jpeg, file);
CALLSIG_IGNORE(resize, dst);
CALLSIG_IGNORE(add_row, y);

unsigned image_channels(const struct image *image)
{
  return image->format == RGB ? 3 : 1;
}

int image_alloc(struct image *image, unsigned width, unsigned height, enum format format)
{
  *image = (struct image){.width = width, .height = height, .format = format};
  size_t row = (size_t)width * image_channels(image);
  if (row == 0 || height == 0 || row > SIZE_MAX / height)
    return -EINVAL;
  image->pixels = malloc(row * height);
  return image->pixels ? 0 : -ENOMEM;
}

void image_free(struct image *image)
{
  free(image->pixels);
  *image = (struct image){0};
}
