/*
 * What the tracer knows of elements, kept as data of theirs.
 */
#include "profiler/gstreamer/element.h"

#include <string.h>

static GQuark element_quark(void)
{
  static GQuark quark;
  return quark ? quark : (quark = g_quark_from_static_string("callsig-element"));
}

/* Elements become known under this lock, which is held while a stage is opened: never while data flows. */
static GMutex making;

/* ------------------------------------------------------------------------------------------------------------------ */

GstElement *prof_gst_owner(GstPad *pad)
{
  GstObject *parent = gst_object_get_parent(GST_OBJECT(pad));
  /* The inner pad of a ghost pad has the ghost pad for parent; a ghost pad has its bin. */
  if (parent && GST_IS_ELEMENT(parent) && !GST_IS_BIN(parent))
    return GST_ELEMENT(parent);
  if (parent)
    gst_object_unref(parent);
  return NULL;
}

guint32 prof_gst_pipeline_number(GstElement *element)
{
  static GQuark quark;
  static guint32 pipelines;
  GstObject *top = gst_object_ref(GST_OBJECT(element));
  for (GstObject *parent; (parent = gst_object_get_parent(top));) {
    gst_object_unref(top);
    top = parent;
  }
  if (!quark)
    quark = g_quark_from_static_string("callsig-pipeline");
  guint32 number = GPOINTER_TO_UINT(g_object_get_qdata(G_OBJECT(top), quark));
  if (!number) {
    number = ++pipelines;
    g_object_set_qdata(G_OBJECT(top), quark, GUINT_TO_POINTER(number));
  }
  gst_object_unref(top);
  return number - 1;
}

static gboolean is_queue(GstElement *element)
{
  static const char *const names[] = {"queue", "queue2", "multiqueue"};
  const GstElementFactory *factory = gst_element_get_factory(element);
  const gchar *name = factory ? GST_OBJECT_NAME(factory) : "";
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
    if (strcmp(name, names[i]) == 0)
      return TRUE;
  return FALSE;
}

/* The pad that a sink pad is fed by, or one on the way to it: through the pads of bins. Its reference is the caller's.
 */
static GstPad *feeding_pad(GstPad *sink)
{
  GstPad *pad = gst_pad_get_peer(sink);
  while (pad && GST_IS_PROXY_PAD(pad)) {
    GstPad *next;
    if (GST_IS_GHOST_PAD(pad)) {
      next = gst_ghost_pad_get_target(GST_GHOST_PAD(pad));
    } else {
      GstProxyPad *ghost = gst_proxy_pad_get_internal(GST_PROXY_PAD(pad));
      next = ghost ? gst_pad_get_peer(GST_PAD(ghost)) : NULL;
      g_clear_object(&ghost);
    }
    gst_object_unref(pad);
    pad = next;
  }
  return pad;
}

/* The elements that feed this one, one reference each. */
static GList *feeders(GstElement *element)
{
  GList *pads = NULL, *found = NULL;
  GST_OBJECT_LOCK(element);
  for (GList *at = element->sinkpads; at; at = at->next)
    pads = g_list_append(pads, gst_object_ref(at->data));
  GST_OBJECT_UNLOCK(element);
  for (GList *at = pads; at; at = at->next) {
    GstPad *pad = feeding_pad(at->data);
    GstElement *feeder = pad ? prof_gst_owner(pad) : NULL;
    if (feeder)
      found = g_list_append(found, feeder);
    g_clear_object(&pad);
  }
  g_list_free_full(pads, gst_object_unref);
  return found;
}

/* The place of the element among those of its pipeline: after all that feed it. Queues have none: they have the number
 * of what fills them. A pipeline has no circles; `depth` keeps a broken one from taking us round. */
static guint32 stage_index(GstElement *element, guint depth)
{
  static GQuark quark;
  static guint32 next[64];
  if (!quark)
    quark = g_quark_from_static_string("callsig-index");
  guint32 index = GPOINTER_TO_UINT(g_object_get_qdata(G_OBJECT(element), quark));
  if (index)
    return index - 1;
  GList *before = feeders(element);
  guint32 last = 0;
  for (GList *at = before; at && depth < 256; at = at->next)
    last = stage_index(at->data, depth + 1);
  g_list_free_full(before, gst_object_unref);
  index = is_queue(element) ? last + 1 : ++next[prof_gst_pipeline_number(element) % G_N_ELEMENTS(next)];
  g_object_set_qdata(G_OBJECT(element), quark, GUINT_TO_POINTER(index));
  return index - 1;
}

guint32 prof_gst_index_before(GstPad *sink)
{
  GstPad *pad = feeding_pad(sink);
  GstElement *feeder = pad ? prof_gst_owner(pad) : NULL;
  const guint32 index = feeder ? stage_index(feeder, 0) : 0;
  g_clear_object(&feeder);
  g_clear_object(&pad);
  return index;
}

void prof_gst_element_unref(struct prof_gst_element *known)
{
  if (!g_atomic_int_dec_and_test(&known->references))
    return;
  callsig_stage_close(known->stage);
  gst_clear_caps(&known->caps);
  g_free(known->signature);
  g_mutex_clear(&known->lock);
  g_free(known);
}

static void open_stage(GstElement *element, struct prof_gst_element *known)
{
  gchar *name = gst_object_get_name(GST_OBJECT(element));
  struct callsig_stage_options options = {.size = sizeof options,
                                          .pipeline = prof_gst_pipeline_number(element),
                                          .index = stage_index(element, 0),
                                          .name = name,
                                          .own_time = 1};
  if (callsig_stage_open(&options, &known->stage) < 0)
    known->stage = NULL;
  g_free(name);
}

static void element_unref(gpointer data)
{
  prof_gst_element_unref(data);
}

static struct prof_gst_element *make_element(GstElement *element)
{
  struct prof_gst_element *known = g_new0(struct prof_gst_element, 1);
  GType aggregator = g_type_from_name("GstAggregator");
  g_mutex_init(&known->lock);
  known->references = 1;
  known->is_queue = is_queue(element);
  known->drives = aggregator && g_type_is_a(G_OBJECT_TYPE(element), aggregator);
  if (!known->is_queue)
    open_stage(element, known);
  g_object_set_qdata_full(G_OBJECT(element), element_quark(), known, element_unref);
  return known;
}

static gpointer element_ref(gpointer data, gpointer user)
{
  (void)user;
  struct prof_gst_element *known = data;
  if (known)
    g_atomic_int_inc(&known->references);
  return known;
}

struct prof_gst_element *prof_gst_element(GstElement *element)
{
  /* The reference is taken before anybody else can give up the element's own. */
  struct prof_gst_element *known = g_object_dup_qdata(G_OBJECT(element), element_quark(), element_ref, NULL);
  if (known)
    return known;
  g_mutex_lock(&making);
  known = g_object_dup_qdata(G_OBJECT(element), element_quark(), element_ref, NULL);
  if (!known)
    known = element_ref(make_element(element), NULL);
  g_mutex_unlock(&making);
  return known;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void append_field(GString *text, const GstStructure *structure, const gchar *field)
{
  const GValue *value = gst_structure_get_value(structure, field);
  gchar *printed = value ? gst_value_serialize(value) : NULL;
  if (printed)
    g_string_append_printf(text, ", %s=%s", field, printed);
  g_free(printed);
}

static gchar *describe(const GstCaps *caps)
{
  static const gchar *const fields[] = {"format", "width", "height", "rate", "channels"};
  if (gst_caps_is_any(caps) || gst_caps_is_empty(caps))
    return NULL;
  const GstStructure *structure = gst_caps_get_structure(caps, 0);
  GString *text = g_string_new("media=");
  g_string_append(text, gst_structure_get_name(structure));
  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++)
    append_field(text, structure, fields[i]);
  return g_string_free(text, FALSE);
}

gboolean prof_gst_signature(struct prof_gst_element *known, GstPad *pad, gchar *text, gsize size)
{
  GstCaps *caps = gst_pad_get_current_caps(pad);
  if (!caps)
    return FALSE;
  g_mutex_lock(&known->lock);
  if (caps != known->caps) {
    g_free(known->signature);
    known->signature = describe(caps);
    gst_caps_replace(&known->caps, caps);
  }
  gboolean described = known->signature != NULL;
  if (described)
    g_strlcpy(text, known->signature, size);
  g_mutex_unlock(&known->lock);
  gst_caps_unref(caps);
  return described;
}

/* ------------------------------------------------------------------------------------------------------------------ */

void prof_gst_element_stopped(GstElement *element)
{
  struct prof_gst_element *known = g_object_get_qdata(G_OBJECT(element), element_quark());
  if (!known)
    return;
  g_object_set_qdata(G_OBJECT(element), element_quark(), NULL);
}
