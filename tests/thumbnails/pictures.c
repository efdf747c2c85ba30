/* Writes JPEG pictures of mixed sizes: pictures FOLDER. Their names say their sizes; broken ones say that they are. */
#include <stdio.h>
#include <stdlib.h>

#include "image.h"

static int write_file(const char *folder, const char *name, const void *data, size_t size)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.jpg", folder, name);
  FILE *file = fopen(path, "wb");
  size_t written = file ? fwrite(data, 1, size, file) : 0;
  return file && fclose(file) == 0 && written == size ? 0 : -1;
}

static int make(const char *folder, unsigned width, unsigned height, enum format format)
{
  struct image image;
  struct bytes jpeg;
  char name[64];
  if (image_alloc(&image, width, height, format) < 0)
    return -1;
  for (size_t i = 0; i < (size_t)width * height * image_channels(&image); i++)
    image.pixels[i] = (unsigned char)(i * 2654435761u >> 24);
  snprintf(name, sizeof name, "%ux%u", width, height);
  int error = encode_jpeg(&image, 90, &jpeg);
  if (error == 0)
    error = write_file(folder, name, jpeg.data, jpeg.size);
  if (error == 0 && width == 640)
    error = write_file(folder, "cut-off", jpeg.data, jpeg.size / 2);
  image_free(&image);
  free(jpeg.data);
  return error;
}

int main(int argc, char **argv)
{
  static const unsigned sizes[][2] = {{320, 200}, {640, 480}, {800, 600}, {1200, 900}, {100, 300}, {8, 5}};
  if (argc != 2)
    return 2;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    if (make(argv[1], sizes[i][0], sizes[i][1], i % 4 == 3 ? GRAY : RGB) < 0)
      return 1;
  return write_file(argv[1], "none", "this is no picture", 18) < 0;
}
