/*
 * What the tracer knows of queue elements: which queue a pad of one belongs to, and what it holds.
 */
#ifndef CALLSIG_PROFILER_GSTREAMER_QUEUE_H
#define CALLSIG_PROFILER_GSTREAMER_QUEUE_H

#include <callsig/callsig.h>
#include <gst/gst.h>

/* A queue, known to the sink pad that fills it and the source pad that empties it. */
struct prof_gst_queue {
  struct callsig_queue *queue;
  GstObject *holder; /* has the property "current-level-buffers": the element, or its sink pad; or NULL. Not referenced:
                        the pads, which hold this, belong to it */
  struct callsig_queue_options options; /* but for the name */
  gchar *name;
  gboolean leaks;  /* drops items by itself */
  gint level;      /* atomic: puts less gets */
  gint putting;    /* atomic: puts that have not returned */
  gint references; /* atomic: of its pads, and of puts and gets that have not returned */
};

/* The queue behind a pad of a queue element. A reference is the caller's. NULL when it cannot be opened. */
struct prof_gst_queue *prof_gst_queue(GstElement *element, GstPad *pad);
void prof_gst_queue_unref(struct prof_gst_queue *known);

/* An item was put, which is still to be told to `queue`; it was told; an item was got, and all of them were dropped,
 * which was told. A thread of the queue's takes an item out a moment before it is seen to push it: where the level
 * would therefore be above the capacity, or below 0, and where items leave otherwise, it is what the element says. */
void prof_gst_queue_filled(struct prof_gst_queue *known);
void prof_gst_queue_settled(struct prof_gst_queue *known);
void prof_gst_queue_emptied(struct prof_gst_queue *known);
void prof_gst_queue_flushed(struct prof_gst_queue *known);

/* Closes the queues of an element that stopped, if it has some. */
void prof_gst_queues_stopped(GstElement *element);

#endif
