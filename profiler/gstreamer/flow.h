/*
 * The flow of data as the tracer's hooks see it: pushes, pulls and events, by thread.
 */
#ifndef CALLSIG_PROFILER_GSTREAMER_FLOW_H
#define CALLSIG_PROFILER_GSTREAMER_FLOW_H

#include <gst/gst.h>

/* A buffer, or a list of them (`item` is the number of its first), is about to be pushed from `pad`, and was. */
void prof_gst_push_begin(GstPad *pad, guint64 item);
void prof_gst_push_end(GstPad *pad, GstFlowReturn result);

/* The element of `pad` is about to pull a buffer from the element before it, and did. */
void prof_gst_pull_begin(GstPad *pad);
void prof_gst_pull_end(GstPad *pad, GstFlowReturn result);

/* An event is about to be pushed from `pad`, and was. */
void prof_gst_event_begin(GstPad *pad, GstEvent *event);
void prof_gst_event_end(GstPad *pad, gboolean handled);

/* An element said that it cannot go on, or that some of its input could not be used. */
void prof_gst_failure(GstElement *element);

#endif
