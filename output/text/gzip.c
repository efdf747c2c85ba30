/* Compresses a stream on its way out, by zlib. */
#include "output/text/gzip.h"

#include <errno.h>
#include <limits.h>

int out_gzip_begin(struct out_gzip *gzip, FILE *out)
{
  enum { GZIP_HEADER = 16 };
  *gzip = (struct out_gzip){.out = out};
  int result = deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_HEADER, MAX_MEM_LEVEL,
                            Z_DEFAULT_STRATEGY);
  return result == Z_OK ? 0 : -ENOMEM;
}

/* Compresses what the stream was given, as far as `flush` asks for. */
static int compress_all(struct out_gzip *gzip, int flush)
{
  int result;
  do {
    gzip->stream.next_out = gzip->buffer;
    gzip->stream.avail_out = sizeof gzip->buffer;
    result = deflate(&gzip->stream, flush);
    size_t size = sizeof gzip->buffer - gzip->stream.avail_out;
    if (fwrite(gzip->buffer, 1, size, gzip->out) != size)
      return -EIO;
  } while (gzip->stream.avail_out == 0 || (flush == Z_FINISH && result != Z_STREAM_END));
  return 0;
}

int out_gzip_write(struct out_gzip *gzip, const void *bytes, size_t size)
{
  union {
    const void *given;
    Bytef *taken; /* zlib reads it, whatever its type says */
  } input = {.given = bytes};
  int result = 0;
  while (size > 0 && result == 0) {
    uInt part = size < UINT_MAX ? (uInt)size : UINT_MAX;
    gzip->stream.next_in = input.taken;
    gzip->stream.avail_in = part;
    result = compress_all(gzip, Z_NO_FLUSH);
    input.taken += part;
    size -= part;
  }
  return result;
}

int out_gzip_end(struct out_gzip *gzip, int result)
{
  if (result == 0)
    result = compress_all(gzip, Z_FINISH);
  deflateEnd(&gzip->stream);
  return result;
}
