/*
 * What the tracer knows of elements: which stage an element is.
 */
#ifndef CALLSIG_PROFILER_GSTREAMER_ELEMENT_H
#define CALLSIG_PROFILER_GSTREAMER_ELEMENT_H

#include <callsig/callsig.h>
#include <gst/gst.h>

/* One for each element that data goes through, made when it first does. The element has a reference until it stops, and
 * whoever has a task of it open has one: an element may have stopped when a push to it is seen to return. */
struct prof_gst_element {
  gint references;             /* atomic */
  struct callsig_stage *stage; /* NULL: queues have none, and what could not be opened */
  gboolean is_queue;           /* items wait in it for another thread to take them out */
  gint drives;                 /* atomic: pushes from a thread of its own, so its tasks are what it pushes */
  GMutex lock;                 /* of what follows */
  GstCaps *caps;               /* those that `signature` was made of */
  gchar *signature;
};

/* The element that a pad belongs to when it is one that works on data itself: NULL for the pads of bins. Its reference
 * is the caller's. */
GstElement *prof_gst_owner(GstPad *pad);

/* What is known of the element. A reference is the caller's. */
struct prof_gst_element *prof_gst_element(GstElement *element);
void prof_gst_element_unref(struct prof_gst_element *known);

/* The number of the pipeline that the element is in: pipelines are numbered as they are met. */
guint32 prof_gst_pipeline_number(GstElement *element);
/* The place in its pipeline of the element that feeds a sink pad; 0 when nothing does. */
guint32 prof_gst_index_before(GstPad *sink);

/* The text that tells tasks apart: the kind of data that arrives at the pad, "media=video/x-raw, format=I420,
 * width=640, height=480". Writes at most `size` bytes; FALSE when the pad has no caps. */
gboolean prof_gst_signature(struct prof_gst_element *known, GstPad *pad, gchar *text, gsize size);

/* Closes the stage of an element that stopped. */
void prof_gst_element_stopped(GstElement *element);

#endif
