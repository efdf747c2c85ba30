/*
 * What pprof's profiles and OTLP's are made of: samples of stacks with calls and nanoseconds, labelled with what the
 * innermost call was called with, and tables of strings, modules, functions and places that samples refer to by number.
 *
 * Numbers of modules, functions and locations begin with 1; 0 is none. Strings are numbered from 0, which is "". What
 * is referred to is handed out before what refers to it, but that a frame's location comes right before its function.
 */
#ifndef CALLSIG_OUTPUT_EXPORT_EXPORT_SAMPLES_H
#define CALLSIG_OUTPUT_EXPORT_EXPORT_SAMPLES_H

#include "output/export/export_writer.h"

/* A string's number in the table of strings. */
typedef uint32_t out_sample_string;

/* Numbers are those of their tables. Every pointer is valid during the call that it is handed to. */
struct out_sample_module {
  uint32_t id;
  out_sample_string filename;
  uint32_t label; /* the profile's string, by which its modules are found */
};

struct out_sample_function {
  uint32_t id;
  out_sample_string name, filename;
  uint32_t line; /* 0: unknown */
};

struct out_sample_line {
  uint32_t function, line;
};

struct out_sample_location {
  uint32_t id, module;
  const struct out_sample_line *lines; /* what is inlined, innermost first, then the function itself */
  uint32_t line_count;
};

/* A string, or a number when `unit` is not 0. */
struct out_sample_label {
  out_sample_string key, string, unit;
  int64_t number;
};

struct out_sample {
  const uint32_t *locations; /* innermost first */
  const struct out_sample_label *labels;
  uint32_t location_count, label_count;
  uint32_t path; /* the number of the path of functions; the path and the caller's location tell a stack from others */
  uint64_t calls, nanoseconds;
};

/* Where all of it goes, in this order, but that tables and samples alternate. Each returns 0, or an error that ends the
 * walk. */
struct out_sample_sink {
  int (*string)(void *data, const char *text);   /* the next of the table */
  int (*head)(void *data, uint64_t nanoseconds); /* after the string "": what the format says of the whole, which took
                                                    so long */
  int (*note)(void *data, out_sample_string note);
  int (*module)(void *data, const struct out_sample_module *module);
  int (*function)(void *data, const struct out_sample_function *function);
  int (*location)(void *data, const struct out_sample_location *location);
  int (*sample)(void *data, const struct out_sample *sample);
  int (*end)(void *data); /* NULL: nothing is left to do */
  void *data;
};

struct out_sample_writer;

/* The number of a string in the table of strings, to which it is handed when it is new. For a sink's functions. An
 * error is kept, and ends the walk when the sink returns. */
out_sample_string out_sample_string_of(struct out_sample_writer *writer, const char *string);

/*
 * Walks an export whose rows are there. `made` gets the walk before the sink is called first. Returns 0, an error of
 * the sink, -ENOMEM, or what out_notes() returns.
 */
int out_samples_walk(const struct out_export *export, const struct out_sample_sink *sink,
                     struct out_sample_writer **made);

#endif
