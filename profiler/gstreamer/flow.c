/*
 * An element's task is one buffer that it works on. Elements call each other: a buffer is handed on by calling the next
 * element, inside the call that handed it in. So tasks nest, and stages count the time of a task without those inside
 * it.
 *
 *  - An element that others push to has a task for each buffer that arrives.
 *  - An element with a thread of its own (a source, a demultiplexer that pulls, a mixer) has a task for each buffer
 * that it pushes: from the moment at which the push before it returned.
 *  - What an element pushes while it is told of an event (the rest of a stream, headers) is of no task of its own: its
 * tasks are the buffers that came to it.
 *  - A queue has no tasks. The push that fills it is a put; its own thread pushes what it got, and waits in between.
 */
#include "profiler/gstreamer/flow.h"

#include "profiler/gstreamer/element.h"
#include "profiler/gstreamer/queue.h"

enum entry_kind {
  ENTRY_NONE, /* a pad of a bin, or an element that is no stage */
  ENTRY_TASK,
  ENTRY_PUT,
};

/* A push that has not returned, or a pull. */
struct entry {
  enum entry_kind kind;
  gboolean failed;                /* the element said so itself */
  gboolean inner_failed;          /* something that it pushed to failed */
  struct prof_gst_element *known; /* a reference */
  GstElement *element;            /* only to be compared */
  struct prof_gst_queue *queue;   /* a reference */
  guint64 token;
  guint64 item;
};

enum { MAX_DEPTH = 128 };

/* What a streaming thread is doing. */
struct flow {
  guint depth;  /* pushes and pulls that have not returned; those beyond MAX_DEPTH are not looked at */
  guint events; /* events that are being pushed */
  struct prof_gst_element
      *drive;         /* the element whose own task is open, for it drives this thread: a reference, or NULL */
  GstElement *driver; /* that element, only to be compared */
  struct prof_gst_queue *getting; /* the queue that this thread empties: a reference, or NULL */
  guint64 get_token;
  struct entry entries[MAX_DEPTH];
};

static _Thread_local struct flow flow;

static void begin_task(struct prof_gst_element *known, GstPad *pad, guint64 item)
{
  gchar text[256];
  struct callsig_task_options options = {.size = sizeof options, .item = item};
  if (pad && prof_gst_signature(known, pad, text, sizeof text))
    options.signature = text;
  callsig_task_begin(known->stage, &options);
}

/* ---- the thread's own element ---- */

static void end_drive(gboolean counts)
{
  if (!flow.drive)
    return;
  if (counts)
    callsig_task_end(flow.drive->stage, 0);
  else
    callsig_task_cancel(flow.drive->stage);
  prof_gst_element_unref(flow.drive);
  flow.drive = NULL;
  flow.driver = NULL;
}

/* The element has the thread again, and works on what it will push next. Takes the reference over. */
static void begin_drive(GstElement *element, struct prof_gst_element *known)
{
  g_atomic_int_set(&known->drives, TRUE);
  if (flow.drive || !known->stage) {
    prof_gst_element_unref(known);
    return;
  }
  begin_task(known, NULL, 0);
  flow.drive = known;
  flow.driver = element;
}

static void begin_get(GstElement *element, GstPad *pad)
{
  if (flow.getting)
    return;
  flow.getting = prof_gst_queue(element, pad);
  if (flow.getting)
    flow.get_token = callsig_queue_get_begin(flow.getting->queue);
}

static void end_get(guint64 item, gboolean failed)
{
  if (!flow.getting)
    return;
  callsig_queue_get_end(flow.getting->queue, flow.get_token, item, failed);
  if (!failed)
    prof_gst_queue_emptied(flow.getting);
  prof_gst_queue_unref(flow.getting);
  flow.getting = NULL;
}

/* Is what the thread does now its own element's doing? */
static gboolean driver_acts(void)
{
  return flow.depth == 0 && flow.events == 0;
}

/* The thread's element pushes a buffer: it was got from the queue, or the element's task is done. */
static void driver_pushes(GstElement *element, GstPad *pad, guint64 item)
{
  struct prof_gst_element *known = prof_gst_element(element);
  if (known->is_queue) {
    begin_get(element, pad);
    end_get(item, FALSE);
    prof_gst_element_unref(known);
    return;
  }
  begin_drive(element, known);
  end_drive(TRUE);
}

/* The push returned, so the thread's element goes on. */
static void driver_goes_on(GstElement *element, GstPad *pad)
{
  struct prof_gst_element *known = prof_gst_element(element);
  if (!known->is_queue) {
    begin_drive(element, known);
    return;
  }
  begin_get(element, pad);
  prof_gst_element_unref(known);
}

/* Nothing more comes from this thread's element. */
static void driver_ends(void)
{
  end_drive(FALSE);
  end_get(0, TRUE);
}

/* ---- the element that is pushed to ---- */

static struct entry *open_entry(void)
{
  struct entry *entry = flow.depth < MAX_DEPTH ? &flow.entries[flow.depth] : NULL;
  static gint told;
  if (flow.depth++ == MAX_DEPTH && g_atomic_int_compare_and_exchange(&told, 0, 1))
    g_printerr("callsig: more than %d elements push to one another in one thread: those further in are not recorded\n",
               MAX_DEPTH);
  if (entry)
    *entry = (struct entry){0};
  return entry;
}

static struct entry *close_entry(void)
{
  if (flow.depth == 0)
    return NULL; /* the tracer came to be in the middle of a push */
  flow.depth--;
  return flow.depth < MAX_DEPTH ? &flow.entries[flow.depth] : NULL;
}

static void arrive(struct entry *entry, GstElement *element, GstPad *pad, guint64 item)
{
  struct prof_gst_element *known = prof_gst_element(element);
  entry->known = known;
  entry->element = element;
  entry->item = item;
  if (known->is_queue) {
    entry->queue = prof_gst_queue(element, pad);
    if (entry->queue) {
      entry->kind = ENTRY_PUT;
      g_atomic_int_inc(&entry->queue->putting);
      entry->token = callsig_queue_put_begin(entry->queue->queue);
    }
  } else if (known->stage && !g_atomic_int_get(&known->drives)) {
    entry->kind = ENTRY_TASK;
    begin_task(known, pad, item);
  }
}

static void release(struct entry *entry)
{
  if (entry->queue)
    prof_gst_queue_unref(entry->queue);
  if (entry->known)
    prof_gst_element_unref(entry->known);
  entry->queue = NULL;
  entry->known = NULL;
}

static gboolean is_failure(GstFlowReturn result)
{
  return result <= GST_FLOW_NOT_NEGOTIATED && result > GST_FLOW_CUSTOM_ERROR;
}

/* An error is passed back through everything that pushed: it is the failure of the innermost. */
static void leave(struct entry *entry, GstFlowReturn result)
{
  gboolean own = entry->failed || (is_failure(result) && !entry->inner_failed);
  if (entry->kind == ENTRY_TASK)
    callsig_task_end(entry->known->stage, own);
  if (entry->kind == ENTRY_PUT) {
    if (result == GST_FLOW_OK)
      prof_gst_queue_filled(entry->queue);
    callsig_queue_put_end(entry->queue->queue, entry->token, entry->item, result != GST_FLOW_OK);
    g_atomic_int_add(&entry->queue->putting, -1);
    prof_gst_queue_settled(entry->queue);
  }
  if (is_failure(result) && flow.depth > 0 && flow.depth <= MAX_DEPTH)
    flow.entries[flow.depth - 1].inner_failed = TRUE;
  release(entry);
}

/* ---- hooks ---- */

void prof_gst_push_begin(GstPad *pad, guint64 item)
{
  GstElement *sender = prof_gst_owner(pad);
  if (sender && driver_acts())
    driver_pushes(sender, pad, item);
  struct entry *entry = open_entry();
  GstPad *peer = gst_pad_get_peer(pad);
  GstElement *receiver = peer ? prof_gst_owner(peer) : NULL;
  if (entry && receiver)
    arrive(entry, receiver, peer, item);
  g_clear_object(&receiver);
  g_clear_object(&peer);
  g_clear_object(&sender);
}

void prof_gst_push_end(GstPad *pad, GstFlowReturn result)
{
  struct entry *entry = close_entry();
  if (entry)
    leave(entry, result);
  GstElement *sender = driver_acts() ? prof_gst_owner(pad) : NULL;
  if (sender && result == GST_FLOW_OK)
    driver_goes_on(sender, pad);
  else if (sender)
    driver_ends();
  g_clear_object(&sender);
}

/* The thread's element pulls what it works on next. One that has pushed nothing yet may never do so, as what finds out
 * the type of a stream. */
static void driver_pulls(GstPad *pad)
{
  GstElement *puller = driver_acts() ? prof_gst_owner(pad) : NULL;
  struct prof_gst_element *known = puller ? prof_gst_element(puller) : NULL;
  if (known && g_atomic_int_get(&known->drives))
    driver_goes_on(puller, pad);
  if (known)
    prof_gst_element_unref(known);
  g_clear_object(&puller);
}

void prof_gst_pull_begin(GstPad *pad)
{
  driver_pulls(pad);
  struct entry *entry = open_entry();
  GstPad *peer = gst_pad_get_peer(pad);
  GstElement *source = peer ? prof_gst_owner(peer) : NULL;
  struct prof_gst_element *known = entry && source ? prof_gst_element(source) : NULL;
  if (known) {
    entry->known = known;
    entry->element = source;
  }
  if (known && known->stage) {
    entry->kind = ENTRY_TASK;
    begin_task(known, NULL, 0);
  }
  g_clear_object(&source);
  g_clear_object(&peer);
}

void prof_gst_pull_end(GstPad *pad, GstFlowReturn result)
{
  (void)pad;
  struct entry *entry = close_entry();
  if (!entry)
    return;
  if (entry->kind == ENTRY_TASK && (result == GST_FLOW_EOS || result == GST_FLOW_FLUSHING)) {
    callsig_task_cancel(entry->known->stage);
    release(entry);
    return;
  }
  leave(entry, result);
}

void prof_gst_event_begin(GstPad *pad, GstEvent *event)
{
  GstElement *sender = flow.depth == 0 && flow.events == 0 ? prof_gst_owner(pad) : NULL;
  flow.events++;
  if (sender && GST_EVENT_TYPE(event) == GST_EVENT_EOS)
    driver_ends();
  g_clear_object(&sender);
  if (GST_EVENT_TYPE(event) != GST_EVENT_FLUSH_STOP)
    return;
  /* What was in the queue is gone. */
  GstPad *peer = gst_pad_get_peer(pad);
  GstElement *receiver = peer ? prof_gst_owner(peer) : NULL;
  struct prof_gst_element *known = receiver ? prof_gst_element(receiver) : NULL;
  struct prof_gst_queue *queue = known && known->is_queue ? prof_gst_queue(receiver, peer) : NULL;
  if (queue) {
    prof_gst_queue_flushed(queue);
    prof_gst_queue_unref(queue);
  }
  if (known)
    prof_gst_element_unref(known);
  g_clear_object(&receiver);
  g_clear_object(&peer);
}

void prof_gst_event_end(GstPad *pad, gboolean handled)
{
  if (flow.events > 0)
    flow.events--;
  /* A stream begins with events: after each of them the thread's element may be working on its first buffer. */
  GstElement *sender = handled && GST_PAD_IS_SRC(pad) && driver_acts() ? prof_gst_owner(pad) : NULL;
  if (sender && GST_PAD_TASK(pad) && !GST_PAD_IS_EOS(pad) && !flow.getting)
    driver_goes_on(sender, pad);
  g_clear_object(&sender);
}

void prof_gst_failure(GstElement *element)
{
  for (guint i = MIN(flow.depth, MAX_DEPTH); i-- > 0;) {
    if (flow.entries[i].element == element) {
      flow.entries[i].failed = TRUE;
      return;
    }
  }
  if (flow.driver == element)
    callsig_task_fail();
}
