/*
 * What the tracer knows of queue elements, kept as data of their pads.
 */
#include "profiler/gstreamer/queue.h"

#include "profiler/gstreamer/element.h"

static GQuark queue_quark(void)
{
  static GQuark quark;
  return quark ? quark : (quark = g_quark_from_static_string("callsig-queue"));
}

/* Queues become known under this lock. */
static GMutex making;

void prof_gst_queue_unref(struct prof_gst_queue *known)
{
  if (!g_atomic_int_dec_and_test(&known->references))
    return;
  callsig_queue_close(known->queue);
  g_free(known->name);
  g_free(known);
}

static void queue_unref(gpointer data)
{
  prof_gst_queue_unref(data);
}

static gpointer queue_ref(gpointer data, gpointer user)
{
  (void)user;
  struct prof_gst_queue *known = data;
  if (known)
    g_atomic_int_inc(&known->references);
  return known;
}

/* The pad on the other side of the queue: its reference is the caller's. */
static GstPad *other_side(GstPad *pad)
{
  GValue value = G_VALUE_INIT;
  GstPad *other = NULL;
  GstIterator *iterator = gst_pad_iterate_internal_links(pad);
  if (iterator && gst_iterator_next(iterator, &value) == GST_ITERATOR_OK)
    other = g_value_dup_object(&value);
  if (G_IS_VALUE(&value))
    g_value_unset(&value);
  if (iterator)
    gst_iterator_free(iterator);
  return other;
}

static gboolean has_property(gpointer object, const gchar *name)
{
  return g_object_class_find_property(G_OBJECT_GET_CLASS(object), name) != NULL;
}

static guint64 read_capacity(GstElement *element)
{
  guint most = 0;
  if (has_property(element, "max-size-buffers"))
    g_object_get(element, "max-size-buffers", &most, NULL);
  return most;
}

static gboolean read_leaks(GstElement *element)
{
  gint leaky = 0;
  if (has_property(element, "leaky"))
    g_object_get(element, "leaky", &leaky, NULL);
  return leaky != 0;
}

/* What says how many items there are: the pad that a multiqueue's queue is filled by, or the element. */
static GstObject *find_holder(GstElement *element, GstPad *pad, GstPad *other)
{
  GstPad *sink = GST_PAD_IS_SINK(pad) ? pad : other;
  if (sink && has_property(sink, "current-level-buffers"))
    return GST_OBJECT(sink);
  return has_property(element, "current-level-buffers") ? GST_OBJECT(element) : NULL;
}

/* Opens the queue by its options, once more when these have changed. */
static void open_queue(struct prof_gst_queue *known)
{
  struct callsig_queue *opened;
  known->options.name = known->name;
  if (callsig_queue_open(&known->options, &opened) < 0)
    return;
  callsig_queue_close(known->queue);
  known->queue = opened;
}

static gboolean makes_pads(GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory(element);
  const GList *templates = factory ? gst_element_factory_get_static_pad_templates(factory) : NULL;
  for (; templates; templates = templates->next)
    if (((const GstStaticPadTemplate *)templates->data)->presence == GST_PAD_REQUEST)
      return TRUE;
  return FALSE;
}

static struct prof_gst_queue *make_queue(GstElement *element, GstPad *pad)
{
  struct prof_gst_queue *known = g_new0(struct prof_gst_queue, 1);
  GstPad *other = other_side(pad), *filled = GST_PAD_IS_SINK(pad) || !other ? pad : other;
  gchar *name = gst_object_get_name(GST_OBJECT(element));
  known->options = (struct callsig_queue_options){.size = sizeof known->options,
                                                  .pipeline = prof_gst_pipeline_number(element),
                                                  .index = prof_gst_index_before(filled),
                                                  .capacity = read_capacity(element)};
  /* The queues of a multiqueue are told apart by the pad that fills them. */
  known->name = makes_pads(element) ? g_strdup_printf("%s.%s", name, GST_OBJECT_NAME(filled)) : g_strdup(name);
  known->holder = find_holder(element, pad, other);
  known->leaks = read_leaks(element);
  known->references = 1;
  open_queue(known);
  g_object_set_qdata_full(G_OBJECT(pad), queue_quark(), known, queue_unref);
  if (other) {
    g_atomic_int_inc(&known->references);
    g_object_set_qdata_full(G_OBJECT(other), queue_quark(), known, queue_unref);
    gst_object_unref(other);
  }
  g_free(name);
  return known;
}

struct prof_gst_queue *prof_gst_queue(GstElement *element, GstPad *pad)
{
  struct prof_gst_queue *known = g_object_dup_qdata(G_OBJECT(pad), queue_quark(), queue_ref, NULL);
  if (!known) {
    g_mutex_lock(&making);
    known = g_object_dup_qdata(G_OBJECT(pad), queue_quark(), queue_ref, NULL);
    if (!known)
      known = queue_ref(make_queue(element, pad), NULL);
    g_mutex_unlock(&making);
  }
  if (known->queue)
    return known;
  prof_gst_queue_unref(known);
  return NULL;
}

static void close_queue(const GValue *value, gpointer data)
{
  (void)data;
  g_object_set_qdata(g_value_get_object(value), queue_quark(), NULL);
}

void prof_gst_queues_stopped(GstElement *element)
{
  GstIterator *pads = gst_element_iterate_pads(element);
  while (gst_iterator_foreach(pads, close_queue, NULL) == GST_ITERATOR_RESYNC)
    gst_iterator_resync(pads);
  gst_iterator_free(pads);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* How many items the element says there are, at most what there is room for: where it says more it has made room. */
static gint read_level(struct prof_gst_queue *known)
{
  guint level = 0;
  if (!known->holder)
    return g_atomic_int_get(&known->level);
  g_object_get(known->holder, "current-level-buffers", &level, NULL);
  if (known->options.capacity && level > known->options.capacity) {
    g_mutex_lock(&making);
    known->options.capacity = level;
    open_queue(known);
    g_mutex_unlock(&making);
  }
  return (gint)level;
}

void prof_gst_queue_filled(struct prof_gst_queue *known)
{
  const gint level = g_atomic_int_add(&known->level, 1) + 1;
  if (!known->leaks && (known->options.capacity == 0 || level <= (gint)known->options.capacity))
    return;
  const gint real = read_level(known);
  g_atomic_int_set(&known->level, real);
  /* The put that follows adds the one. */
  callsig_queue_set_level(known->queue, real > 0 ? (guint64)real - 1 : 0);
}

void prof_gst_queue_settled(struct prof_gst_queue *known)
{
  if (known->leaks && g_atomic_int_get(&known->level) == 0)
    callsig_queue_set_level(known->queue, 0);
}

void prof_gst_queue_emptied(struct prof_gst_queue *known)
{
  if (g_atomic_int_add(&known->level, -1) > 0 || !known->holder)
    return;
  /* What is being put may be out again already, and is counted when the push returns. One too few is put right by the
   * next get, one too many would stay. */
  const gint real = read_level(known) - g_atomic_int_get(&known->putting);
  g_atomic_int_set(&known->level, real);
  callsig_queue_set_level(known->queue, (guint64)(gint64)real);
}

void prof_gst_queue_flushed(struct prof_gst_queue *known)
{
  g_atomic_int_set(&known->level, 0);
  callsig_queue_set_level(known->queue, 0);
}
