/*
 * The GStreamer tracer `callsig`: GST_TRACERS=callsig makes any GStreamer application a callsig pipeline, in which
 * elements are stages, buffers are tasks and queue elements are queues. The application is not changed.
 */
#define GST_USE_UNSTABLE_API
#include <gst/gst.h>
#include <gst/gsttracer.h>

#include "profiler/gstreamer/element.h"
#include "profiler/gstreamer/flow.h"
#include "profiler/gstreamer/queue.h"

typedef GstTracer CallsigTracer;
typedef GstTracerClass CallsigTracerClass;
GType callsig_tracer_get_type(void);
G_DEFINE_TYPE(CallsigTracer, callsig_tracer, GST_TYPE_TRACER)

/* Buffers of one picture have one presentation time wherever they are in the pipeline: that is the item's number. */
static guint64 item_of(const GstBuffer *buffer)
{
  GstClockTime time = buffer ? GST_BUFFER_PTS(buffer) : GST_CLOCK_TIME_NONE;
  return GST_CLOCK_TIME_IS_VALID(time) ? time + 1 : 0;
}

static void push_pre(GstTracer *self, guint64 time, GstPad *pad, GstBuffer *buffer)
{
  (void)self;
  (void)time;
  prof_gst_push_begin(pad, item_of(buffer));
}

static void push_list_pre(GstTracer *self, guint64 time, GstPad *pad, GstBufferList *list)
{
  (void)self;
  (void)time;
  prof_gst_push_begin(pad, item_of(gst_buffer_list_length(list) ? gst_buffer_list_get(list, 0) : NULL));
}

static void push_post(GstTracer *self, guint64 time, GstPad *pad, GstFlowReturn result)
{
  (void)self;
  (void)time;
  prof_gst_push_end(pad, result);
}

static void pull_pre(GstTracer *self, guint64 time, GstPad *pad, guint64 offset, guint size)
{
  (void)self;
  (void)time;
  (void)offset;
  (void)size;
  prof_gst_pull_begin(pad);
}

static void pull_post(GstTracer *self, guint64 time, GstPad *pad, GstBuffer *buffer, GstFlowReturn result)
{
  (void)self;
  (void)time;
  (void)buffer;
  prof_gst_pull_end(pad, result);
}

static void event_pre(GstTracer *self, guint64 time, GstPad *pad, GstEvent *event)
{
  (void)self;
  (void)time;
  prof_gst_event_begin(pad, event);
}

static void event_post(GstTracer *self, guint64 time, GstPad *pad, gboolean handled)
{
  (void)self;
  (void)time;
  prof_gst_event_end(pad, handled);
}

static void message_pre(GstTracer *self, guint64 time, GstElement *element, GstMessage *message)
{
  (void)self;
  (void)time;
  if (GST_MESSAGE_TYPE(message) & (GST_MESSAGE_ERROR | GST_MESSAGE_WARNING))
    prof_gst_failure(element);
}

static void state_post(GstTracer *self, guint64 time, GstElement *element, GstStateChange change,
                       GstStateChangeReturn result)
{
  (void)self;
  (void)time;
  (void)result;
  if (change != GST_STATE_CHANGE_PAUSED_TO_READY)
    return;
  prof_gst_queues_stopped(element);
  prof_gst_element_stopped(element);
}

static void callsig_tracer_class_init(CallsigTracerClass *class)
{
  (void)class;
}

static void callsig_tracer_init(CallsigTracer *self)
{
  static const struct {
    const gchar *name;
    GCallback function;
  } hooks[] = {
      {"pad-push-pre", G_CALLBACK(push_pre)},
      {"pad-push-post", G_CALLBACK(push_post)},
      {"pad-push-list-pre", G_CALLBACK(push_list_pre)},
      {"pad-push-list-post", G_CALLBACK(push_post)},
      {"pad-pull-range-pre", G_CALLBACK(pull_pre)},
      {"pad-pull-range-post", G_CALLBACK(pull_post)},
      {"pad-push-event-pre", G_CALLBACK(event_pre)},
      {"pad-push-event-post", G_CALLBACK(event_post)},
      {"element-post-message-pre", G_CALLBACK(message_pre)},
      {"element-change-state-post", G_CALLBACK(state_post)},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(hooks); i++)
    gst_tracing_register_hook(GST_TRACER(self), hooks[i].name, hooks[i].function);
  callsig_start(NULL);
}

static gboolean plugin_init(GstPlugin *plugin)
{
  return gst_tracer_register(plugin, "callsig", callsig_tracer_get_type());
}

#define PACKAGE "callsig"
/* GStreamer's macro leaves reserved fields out. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, callsig, "Elements as callsig's stages", plugin_init,
                  CALLSIG_VERSION, "MIT/X11", "callsig", "callsig")
