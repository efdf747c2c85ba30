/*
 * The dictionary of an OTLP profile: strings, modules, functions, locations, stacks and attributes, each there once and
 * written when it is first needed. It is one message in pieces, which a reader of protobuf joins.
 */
#ifndef CALLSIG_OUTPUT_EXPORT_OTLP_DICTIONARY_H
#define CALLSIG_OUTPUT_EXPORT_OTLP_DICTIONARY_H

#include "otlp.pb-c.h"
#include "output/export/export_samples.h"

/* Zero-initialised by out_otlp_dictionary_init(); set `walk` to the walk that hands the samples out. */
struct out_otlp_dictionary {
  const struct out_export *export;
  struct out_sample_writer *walk;
  struct out_packed packed;      /* scratch */
  struct base_vector attributes; /* of labels, by what they say */
  struct out_idset attribute_set;
  struct base_vector stacks;
  struct out_idset stack_set;
  struct base_vector indices; /* int32_t: what out_otlp_labels() made */
  uint32_t attribute_count;   /* of attribute_table */
  uint32_t known_names[3];    /* the attributes that every module has; 0: not there yet */
  uint32_t dropped;           /* labels whose key their sample had already */
  uint64_t size;              /* bytes that were written */
};

void out_otlp_dictionary_init(struct out_otlp_dictionary *dictionary, const struct out_export *export);
void out_otlp_dictionary_free(struct out_otlp_dictionary *dictionary);

/* Packing takes strings that are not constant, and only reads them. */
static inline char *out_otlp_taken(const char *given)
{
  union {
    const char *given;
    char *taken;
  } text = {.given = given};
  return text.taken;
}

/* Writes bytes of the document and counts them: no reader of protobuf takes a message of 2 GiB. 0; -EIO; -EFBIG after a
 * message. */
int out_otlp_put(struct out_otlp_dictionary *dictionary, const void *bytes, size_t size);

/* Writes entry 0 of every table but that of strings, the empty one. 0, or an error of out_otlp_put() or -ENOMEM, as all
 * below. */
int out_otlp_put_empty_entries(struct out_otlp_dictionary *dictionary);

/* Adds an attribute of the key; `index` gets its place in attribute_table. */
int out_otlp_attribute(struct out_otlp_dictionary *dictionary, const char *key, Callsig__Otlp__AnyValue *value,
                       uint32_t *index);

/* The place of a sample's stack in stack_table. */
int out_otlp_stack(struct out_otlp_dictionary *dictionary, const struct out_sample *known, int32_t *index);

/* The attributes of a sample into dictionary->indices. A key that is there twice (two arguments of one name) can be two
 * labels of pprof's, but one attribute: the second is dropped and counted. */
int out_otlp_labels(struct out_otlp_dictionary *dictionary, const struct out_sample *known);

/* For a struct out_sample_sink whose data is the dictionary or begins with it. */
int out_otlp_string(void *data, const char *text);
int out_otlp_mapping(void *data, const struct out_sample_module *module);
int out_otlp_function(void *data, const struct out_sample_function *known);
int out_otlp_location(void *data, const struct out_sample_location *known);

#endif
