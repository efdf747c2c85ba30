/*
 * What a picture shows: one process, by its recording, by its intervals in a database, or by both.
 */
#ifndef CALLSIG_OUTPUT_PLOT_PICTURE_H
#define CALLSIG_OUTPUT_PLOT_PICTURE_H

#include "output/monitor/database_course.h"
#include "output/plot/chart.h"

/* A stage or queue as the diagram has it. Shares and times are NAN where they are not known. */
struct out_node {
  const char *label;
  enum out_series_kind kind;
  unsigned pipeline, index;
  const struct callsig_queue_stats *queue; /* NULL: of a database */
  uint64_t count, failures;                /* tasks; items taken */
  double each;                             /* seconds an item keeps a stage: its mean time / its replicas */
  double mean, replicas;
  double busy, get_wait, put_wait; /* shares of its time */
  double occupancy;
  const char *state;     /* "starved"; NULL unknown */
  bool bounds;           /* the pipeline */
  int32_t input, output; /* of a stage: which nodes; -1 none */
};

struct out_verdict {
  unsigned pipeline;
  const char *sentence;
};

struct out_picture {
  const char *program, *source;      /* printable */
  struct callsig_pipeline *pipeline; /* NULL: there is no recording. Owned */
  struct out_course slots;           /* of the recording */
  struct out_run_course run;         /* of the database */
  bool has_run;
  double start, end;           /* of what is drawn */
  struct base_vector nodes;    /* struct out_node, as the pipelines flow */
  struct base_vector counters; /* struct out_node: counters and levels, of which there are charts alone */
  struct base_vector verdicts; /* struct out_verdict */
  struct base_arena strings;
};

/* Finds what the picture shows. 0, or -ENOMEM after a message. */
int out_picture_fill(struct out_picture *picture);
void out_picture_free(struct out_picture *picture);

static inline const struct out_node *out_node_at(const struct out_picture *picture, uint32_t index)
{
  return base_vector_at(&picture->nodes, index);
}

static inline const struct out_node *out_counter_node_at(const struct out_picture *picture, uint32_t index)
{
  return base_vector_at(&picture->counters, index);
}

static inline bool out_node_is_queue(const struct out_node *node)
{
  return node->kind == OUT_SERIES_QUEUE;
}

enum { OUT_NODE_CHARTS = 4 };

/* The charts of a node, some of which may have nothing to draw. False: none has. */
bool out_picture_charts(const struct out_picture *picture, const struct out_node *node,
                        struct out_chart charts[OUT_NODE_CHARTS]);

/* What all its charts have in common. */
struct out_chart_time out_picture_time(const struct out_picture *picture, unsigned number);

/* "decode.out: ./decode (1234), 12.5 s" where text may be. */
void out_picture_put_heading(const struct out_picture *picture, struct out_text *text);

/* Sentences on what is not in it, or not as it was: a line each, to be escaped. */
void out_picture_put_notes(const struct out_picture *picture, struct out_text *text);

/* diagram.c: puts the pipeline as a diagram, as an <svg> at a place. Returns its height. */
unsigned out_diagram_put(struct out_text *text, const struct out_picture *picture, unsigned number, unsigned x,
                         unsigned y);
/* diagram.c: the same for a page that is shown less wide than that, at its place. */
void out_diagram_put_narrow(struct out_text *text, const struct out_picture *picture, unsigned number);
#define OUT_DIAGRAM_WIDTH 1128

#endif
