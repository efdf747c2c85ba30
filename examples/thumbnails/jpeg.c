/* Pictures out of JPEG and into it, by libjpeg. */
#include "image.h"
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

/* libjpeg reports errors by a function that must not return: a longjmp out of the library. */
struct failure {
  struct jpeg_error_mgr manager;
  jmp_buf back;
};

static void fail(j_common_ptr codec)
{
  longjmp(((struct failure *)codec->err)->back, 1);
}

/* A warning is a picture that is damaged or cut off, which libjpeg would fill up with gray. */
static void judge_message(j_common_ptr codec, int level)
{
  if (level < 0)
    fail(codec);
}

static struct jpeg_error_mgr *watch(struct failure *failure)
{
  jpeg_std_error(&failure->manager);
  failure->manager.error_exit = fail;
  failure->manager.emit_message = judge_message;
  return &failure->manager;
}

static void read_rows(struct jpeg_decompress_struct *codec, struct image *image)
{
  size_t row = (size_t)image->width * image_channels(image);
  while (codec->output_scanline < codec->output_height) {
    JSAMPROW at = image->pixels + codec->output_scanline * row;
    jpeg_read_scanlines(codec, &at, 1);
  }
}

int decode_jpeg(const struct bytes *file, struct image *image)
{
  struct jpeg_decompress_struct codec;
  struct failure failure;
  *image = (struct image){0};
  codec.err = watch(&failure);
  jpeg_create_decompress(&codec);
  if (setjmp(failure.back)) {
    jpeg_destroy_decompress(&codec);
    image_free(image);
    return -EINVAL;
  }
  jpeg_mem_src(&codec, file->data, (unsigned long)file->size);
  jpeg_read_header(&codec, TRUE);
  codec.out_color_space = codec.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_start_decompress(&codec);
  int error = image_alloc(image, codec.output_width, codec.output_height, codec.num_components == 1 ? GRAY : RGB);
  if (error == 0) {
    read_rows(&codec, image);
    jpeg_finish_decompress(&codec);
  }
  jpeg_destroy_decompress(&codec);
  return error;
}

static void write_rows(struct jpeg_compress_struct *codec, const struct image *image)
{
  size_t row = (size_t)image->width * image_channels(image);
  while (codec->next_scanline < codec->image_height) {
    JSAMPROW at = image->pixels + codec->next_scanline * row;
    jpeg_write_scanlines(codec, &at, 1);
  }
}

int encode_jpeg(const struct image *image, int quality, struct bytes *file)
{
  struct jpeg_compress_struct codec;
  struct failure failure;
  unsigned long size = 0;
  *file = (struct bytes){0};
  codec.err = watch(&failure);
  jpeg_create_compress(&codec);
  if (setjmp(failure.back)) {
    jpeg_destroy_compress(&codec);
    free(file->data);
    *file = (struct bytes){0};
    return -ENOMEM;
  }
  jpeg_mem_dest(&codec, &file->data, &size);
  codec.image_width = image->width;
  codec.image_height = image->height;
  codec.input_components = (int)image_channels(image);
  codec.in_color_space = image->format == RGB ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_set_defaults(&codec);
  jpeg_set_quality(&codec, quality, TRUE);
  jpeg_start_compress(&codec, TRUE);
  write_rows(&codec, image);
  jpeg_finish_compress(&codec);
  jpeg_destroy_compress(&codec);
  file->size = size;
  return 0;
}
