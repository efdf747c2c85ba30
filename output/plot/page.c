/* Writes what all pages begin and end with. */
#include "output/plot/page.h"

static void put_part(struct out_text *text, const char *element, const char *part)
{
  if (!part)
    return;
  out_text_printf(text, "<%s>", element);
  out_text_puts(text, part);
  out_text_printf(text, "</%s>\n", element);
}

void out_page_begin(struct out_text *text, const struct out_page_parts *parts)
{
  out_text_puts(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"");
  out_text_puts(text, parts->policy);
  out_text_puts(text, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
  out_text_puts(text, parts->title);
  out_text_puts(text, "</title>\n");
  for (unsigned i = 0; i < sizeof parts->styles / sizeof *parts->styles; i++)
    put_part(text, "style", parts->styles[i]);
  out_text_puts(text, "</head>\n<body>\n<main>\n");
}

void out_page_end(struct out_text *text, const struct out_page_parts *parts)
{
  for (unsigned i = 0; i < sizeof parts->scripts / sizeof *parts->scripts; i++)
    put_part(text, "script", parts->scripts[i]);
  out_text_puts(text, "</body>\n</html>\n");
}
