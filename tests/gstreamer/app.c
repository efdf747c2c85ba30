/*
 * A pipeline between an appsrc and an appsink: app PIPELINE COUNT pushes so many buffers into `source`, and prints how
 * many `sink` gave.
 */
#include <gst/gst.h>
#include <stdlib.h>

static void push_all(GstElement *source, int count)
{
  for (int i = 0; i < count; i++) {
    GstFlowReturn result;
    GstBuffer *buffer = gst_buffer_new_allocate(NULL, 4096, NULL);
    gst_buffer_memset(buffer, 0, 0, 4096);
    GST_BUFFER_PTS(buffer) = (GstClockTime)i * GST_MSECOND;
    g_signal_emit_by_name(source, "push-buffer", buffer, &result);
    gst_buffer_unref(buffer);
  }
  GstFlowReturn result;
  g_signal_emit_by_name(source, "end-of-stream", &result);
}

int main(int argc, char **argv)
{
  gst_init(&argc, &argv);
  if (argc != 3)
    return 2;
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch(argv[1], &error);
  if (!pipeline || error)
    return 3;
  GstElement *source = gst_bin_get_by_name(GST_BIN(pipeline), "source");
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  push_all(source, atoi(argv[2]));
  int came = 0;
  for (GstSample *sample; g_signal_emit_by_name(sink, "pull-sample", &sample), sample; came++)
    gst_sample_unref(sample);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  g_print("%d\n", came);
  gst_object_unref(source);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
  return 0;
}
