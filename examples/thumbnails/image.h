/*
 * Pictures in memory, and their way in and out of JPEG.
 */
#ifndef THUMBNAILS_IMAGE_H
#define THUMBNAILS_IMAGE_H

#include <stddef.h>

enum format { GRAY, RGB };

/* Rows of width * channels bytes each, without gaps. The pixels belong to the image: image_free(). */
struct image {
  unsigned width, height;
  enum format format;
  unsigned char *pixels;
};

/* Bytes that a file has, or is to have: malloc'ed, owned by whoever holds it. */
struct bytes {
  unsigned char *data;
  size_t size;
};

/* Makes an image without content. -ENOMEM. */
int image_alloc(struct image *image, unsigned width, unsigned height, enum format format);
void image_free(struct image *image);
unsigned image_channels(const struct image *image);

/* Decodes a JPEG file. -EINVAL for what is none, or is damaged or cut off: no part of a broken picture is given out. */
int decode_jpeg(const struct bytes *file, struct image *image);

/* Encodes at this quality, 1 to 100. -ENOMEM. */
int encode_jpeg(const struct image *image, int quality, struct bytes *file);

/* Scales to `width` x `height` by averaging the source pixels that each pixel covers. -ENOMEM. */
int resize(const struct image *src, unsigned width, unsigned height, struct image *dst);

#endif
