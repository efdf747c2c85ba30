/* Says what is predicted of a pipeline. */
#include "output/verdict/forecast_words.h"

#include <math.h>
#include <string.h>

#include "output/pipeline/pipeline_text.h"
#include "output/pipeline/rings.h"

/* ", which run 0:4:write, too". */
static void put_others(struct out_text *text, const struct out_stage *stage, const struct out_model *model)
{
  const struct out_thread_group *group = &model->stations[out_model_station_of(model, stage)].group;
  const char *before = ", which run ";
  for (uint32_t i = 0; i < group->count; i++) {
    if (group->members[i]->stage == stage)
      continue;
    out_text_printf(text, "%s%s", before, group->members[i]->stage->stats.label);
    before = " and ";
  }
  out_text_puts(text, group->count > 1 ? ", too" : "");
}

/* "0:3:resize with 3 threads, the queue 0:2:decode for 64 items". */
static void put_changes(struct out_text *text, const struct base_vector *changes, const struct out_model *model)
{
  for (uint32_t i = 0; i < changes->count; i++) {
    const struct out_change *change = base_vector_at(changes, i);
    const unsigned long long value = change->value;
    out_text_puts(text, i > 0 ? ", " : "");
    if (change->stage) {
      out_text_printf(text, "%s with %llu thread%s", change->stage->stats.label, value, value == 1 ? "" : "s");
      put_others(text, change->stage, model);
    } else if (out_ring_items(change->queue) > 0 && value > 0)
      out_text_printf(text, "%llu item%s going round by %s", value, value == 1 ? "" : "s", change->queue->label);
    else if (out_ring_items(change->queue) > 0)
      out_text_printf(text, "as many items as are asked for going round by %s", change->queue->label);
    else if (value == 0)
      out_text_printf(text, "the queue %s without bounds", change->queue->label);
    else
      out_text_printf(text, "the queue %s for %llu item%s", change->queue->label, value, value == 1 ? "" : "s");
  }
  if (changes->count == 0)
    out_text_puts(text, "as it is");
}

/* "; then 0:2:decode bounds the pipeline". */
static void put_next(struct out_text *text, const struct out_prediction *prediction, const struct out_model *model)
{
  const struct out_model_station *next = prediction->next;
  if (prediction->by_processors)
    out_put_number(text, "; then all of ", model->network.processors, 2, " processors that it gets are used");
  else if (next && next->view)
    out_text_printf(text, "; then %s bounds the pipeline", next->view->stage->stats.label);
  else if (next)
    out_text_printf(text,
                    next->is_source
                        ? "; then what puts into %s bounds the pipeline, unless it waits for what comes back"
                        : "; then what takes from %s bounds the pipeline",
                    next->queue->label);
}

/* ", at least 1.42". Where no gain is predicted, none is promised, and no word is needed. Why no more is where it was
 * not seen what more tasks at once do, put_unseen() says. */
static void put_promise(struct out_text *text, const struct out_prediction *prediction)
{
  if (prediction->gain < OUT_FORECAST_WORTH)
    return;
  out_text_puts(text, prediction->unseen ? " if no task keeps another waiting" : "");
  if (prediction->least >= OUT_FORECAST_WORTH)
    out_put_number(text, ", at least ", prediction->least, 2,
                   prediction->by_load ? " while others use the processors at most twice as much" : "");
  else
    out_text_printf(text, ", of which nothing can be promised%s",
                    prediction->unbound                          ? ", since it was not seen what bounds it"
                    : prediction->by_load && !prediction->unseen ? ", since others use the processors, too"
                                                                 : "");
}

/* ", since threads of 0:1:read wait between their tasks for what is not told". */
static void put_hidden(struct out_text *text, const struct out_model_station *station)
{
  out_text_printf(text, ", since threads of %s wait between their tasks", station->view->stage->stats.label);
  out_put_percent(text, " ", station->untold, " of their time, for what is not told: tell what they take as a queue");
}

/* "1.51 times the throughput (predicted, +-6 %), at least 1.42; then ...". */
static void put_prediction(struct out_text *text, const struct out_prediction *prediction,
                           const struct out_model *model)
{
  if (prediction->hidden) {
    out_text_puts(text, "not known");
    put_hidden(text, prediction->hidden);
    return;
  }
  out_put_number(text, "", prediction->gain, 2, " times the throughput");
  out_put_number(text, " (predicted, +-", ceil(prediction->error * 100), 0, " %)");
  put_promise(text, prediction);
  put_next(text, prediction, model);
}

/* Is more predicted than is promised because of what the station's tasks may wait for? */
static bool leaves_out(const struct out_prediction *prediction, const struct out_model_station *station)
{
  return prediction->unseen == station && !prediction->hidden && prediction->gain >= OUT_FORECAST_WORTH;
}

static bool is_unseen(const struct out_forecast *forecast, const struct out_model_station *station)
{
  bool unseen = leaves_out(&forecast->doubled, station) || leaves_out(&forecast->asked, station);
  for (uint32_t i = 0; i < forecast->proposals.count; i++)
    unseen = unseen || leaves_out(base_vector_at(&forecast->proposals, i), station);
  return unseen;
}

/* The stage of a station that works longest. */
static const struct out_stage_view *main_of(const struct out_model_station *station)
{
  const struct out_thread_group *group = &station->group;
  const struct out_stage_view *most = group->members[0];
  for (uint32_t i = 1; i < group->count; i++)
    if (group->members[i]->busy > most->busy)
      most = group->members[i];
  return most;
}

/* What was not seen of a station: what its threads wait for, or that more of its tasks at once take no longer. */
static void put_not_seen(struct out_text *text, const struct out_model_station *station)
{
  const struct out_stage_view *view = main_of(station);
  const char *label = view->stage->stats.label;
  const bool waits = view->shares.known && view->shares.waiting >= OUT_MODEL_WAITS_INSIDE;
  if (station->untold >= OUT_MODEL_UNKNOWN)
    out_text_printf(text, "    It is not known what threads of %s wait for between their tasks: ", label);
  else if (waits) {
    out_text_printf(text, "    It is not known what tasks of %s wait for", label);
    out_put_percent(text, " ", view->shares.waiting, " of their time: ");
  } else if (station->divides)
    out_text_printf(text, "    It is not known whether tasks of %s wait for something: ", label);
  else
    out_text_printf(text, "    It was not seen that more tasks of %s at once take no longer: ", label);
}

/* Why no more is promised of the stages of which that was not seen. */
static void put_unseen(struct out_text *text, const struct out_forecast *forecast)
{
  for (uint32_t i = 0; i < forecast->model.network.num_stations; i++) {
    const struct out_model_station *station = &forecast->model.stations[i];
    if (!station->view || !is_unseen(forecast, station))
      continue;
    put_not_seen(text, station);
    if (station->divides && station->counted)
      out_text_printf(text,
                      "more than %u at once were not seen, and where they need what there are only so many of "
                      "(connections, channels of a device, what another process takes), more threads give nothing, so "
                      "no more is promised\n",
                      station->servers);
    else
      out_text_printf(text,
                      "where they need one thing in turn (a lock, a device, a limit on their rate), more threads give "
                      "nothing, so no %sgain is promised\n",
                      station->divides ? "larger " : "");
  }
}

/* What the tasks wait for is one thing, of which no concurrency makes two: that is told already. */
static bool gives_nothing(const struct out_bottleneck *bottleneck)
{
  return bottleneck->shares_wait || bottleneck->locked;
}

void out_put_doubling(struct out_text *text, const struct out_bottleneck *bottleneck,
                      const struct out_forecast *forecast)
{
  if (forecast->why || bottleneck->bound == OUT_BOUND_MOVING)
    return;
  out_text_puts(text,
                bottleneck->bound == OUT_BOUND_THREAD ? "    Twice its threads: " : "    Twice its concurrency: ");
  put_prediction(text, &forecast->doubled, &forecast->model);
  out_text_putc(text, '\n');
}

static void put_why(struct out_text *text, const struct out_bottleneck *bottleneck, const struct out_forecast *forecast)
{
  if (gives_nothing(bottleneck) || bottleneck->is_cpu_clock)
    return;
  out_text_printf(text, "    What would help is not predicted: %s", forecast->why);
  if (forecast->simulated > 0) {
    out_put_number(text, ": it gives ", forecast->simulated, 1, " tasks/s");
    out_put_number(text, " in place of ", forecast->model.throughput, 1, "");
  }
  out_text_putc(text, '\n');
}

void out_put_help(struct out_text *text, const struct out_bottleneck *bottleneck, const struct out_forecast *forecast)
{
  if (forecast->why) {
    put_why(text, bottleneck, forecast);
    return;
  }
  if (forecast->is_asked) {
    out_text_puts(text, "    What if: ");
    put_changes(text, &forecast->asked.changes, &forecast->model);
    out_text_puts(text, ": ");
    put_prediction(text, &forecast->asked, &forecast->model);
    out_text_putc(text, '\n');
  }
  out_text_puts(text, "    What would help: ");
  for (uint32_t i = 0; i < forecast->proposals.count; i++) {
    const struct out_prediction *proposal = base_vector_at(&forecast->proposals, i);
    out_text_puts(text, i > 0 ? ";\n      " : "");
    put_changes(text, &proposal->changes, &forecast->model);
    out_text_puts(text, ": ");
    put_prediction(text, proposal, &forecast->model);
  }
  if (forecast->proposals.count == 0 && forecast->hidden) {
    out_text_puts(text, "that is not known");
    put_hidden(text, forecast->hidden);
  } else if (forecast->proposals.count == 0)
    out_text_puts(text, "no other number of threads and no larger queue gives 3 % more");
  out_text_puts(text, forecast->cut ? " (not all settings were tried, since that would take too long)\n" : "\n");
  put_unseen(text, forecast);
}

static void write_changes(struct out_json *json, const struct base_vector *changes)
{
  out_json_key(json, "changes");
  out_json_open_array(json);
  for (uint32_t i = 0; i < changes->count; i++) {
    const struct out_change *change = base_vector_at(changes, i);
    out_json_open_map(json);
    if (change->stage)
      out_json_key_string(json, "stage", change->stage->stats.label);
    else
      out_json_key_string(json, "queue", change->queue->label);
    out_json_key(json, change->stage ? "threads" : out_ring_items(change->queue) > 0 ? "items" : "capacity");
    if (change->stage || change->value > 0)
      out_json_integer(json, change->value);
    else
      out_json_null(json);
    out_json_close_map(json);
  }
  out_json_close_array(json);
}

static const char *label_of(const struct out_model_station *station)
{
  return station && station->view ? station->view->stage->stats.label : NULL;
}

/* A figure of what is predicted, which JSON has as null where that is not known. */
static double known(const struct out_prediction *prediction, double value)
{
  return prediction->hidden ? NAN : value;
}

static void write_prediction(struct out_json *json, const struct out_prediction *prediction,
                             const struct out_model *model)
{
  out_json_open_map(json);
  write_changes(json, &prediction->changes);
  out_json_key_number(json, "gain", known(prediction, prediction->gain));
  out_json_key_number(json, "error", known(prediction, prediction->error));
  out_json_key_number(json, "least", known(prediction, prediction->least));
  out_json_key_string(json, "not_told", label_of(prediction->hidden));
  out_json_key_string(json, "not_seen", label_of(prediction->unseen));
  out_json_key_number(json, "throughput", known(prediction, prediction->gain * model->throughput));
  out_json_key_number(json, "processors_used", prediction->used);
  out_json_key_string(json, "then", label_of(prediction->next));
  out_json_close_map(json);
}

static void write_ports(struct out_json *json, const char *key, const struct out_model *model,
                        const struct out_network_port *ports, uint32_t count)
{
  out_json_key(json, key);
  out_json_open_array(json);
  for (uint32_t i = 0; i < count; i++) {
    out_json_open_map(json);
    out_json_key_string(json, "queue", model->queues[ports[i].queue]->label);
    out_json_key_number(json, "items", ports[i].items);
    out_json_close_map(json);
  }
  out_json_close_array(json);
}

static void write_inputs(struct out_json *json, const struct out_model *model)
{
  out_json_key(json, "stations");
  out_json_open_array(json);
  for (uint32_t i = 0; i < model->network.num_stations; i++) {
    const struct out_model_station *meaning = &model->stations[i];
    const struct out_network_station *station = &model->network.stations[i];
    out_json_open_map(json);
    out_json_key_string(json, "stage", label_of(meaning));
    out_json_key(json, "with");
    out_json_open_array(json);
    for (uint32_t j = 1; j < meaning->group.count; j++) {
      const char *label = meaning->group.members[j]->stage->stats.label;
      out_json_string(json, label, strlen(label));
    }
    out_json_close_array(json);
    out_json_key_integer(json, "threads", meaning->servers);
    out_json_key_number(json, "task_time", station->mean);
    out_json_key_number(json, "on_processor", meaning->computes);
    out_json_key_number(json, "between", station->between);
    write_ports(json, "takes", model, station->inputs, station->num_inputs);
    write_ports(json, "gives", model, station->outputs, station->num_outputs);
    out_json_close_map(json);
  }
  out_json_close_array(json);
  out_json_key(json, "queues");
  out_json_open_array(json);
  for (uint32_t i = 0; i < model->network.num_queues; i++) {
    out_json_open_map(json);
    out_json_key_string(json, "queue", model->queues[i]->label);
    out_json_key(json, out_ring_items(model->queues[i]) > 0 ? "items" : "capacity");
    if (model->capacities[i] > 0)
      out_json_integer(json, model->capacities[i]);
    else
      out_json_null(json);
    out_json_close_map(json);
  }
  out_json_close_array(json);
}

static void write_help(struct out_json *json, const struct out_forecast *forecast)
{
  out_json_key_string(json, "not_predicted", forecast->why);
  out_json_key_number(json, "simulated_throughput", forecast->simulated);
  out_json_key_number(json, "off", forecast->off);
  out_json_key_number(json, "simulated_share", forecast->model.share);
  out_json_key_number(json, "waits_by_others", forecast->ready);
  out_json_key_number(json, "processors", forecast->model.network.processors);
  out_json_key(json, "cut");
  out_json_bool(json, forecast->cut);
  if (forecast->simulated > 0)
    write_inputs(json, &forecast->model);
  out_json_key(json, "proposals");
  out_json_open_array(json);
  for (uint32_t i = 0; i < forecast->proposals.count; i++)
    write_prediction(json, base_vector_at(&forecast->proposals, i), &forecast->model);
  out_json_close_array(json);
  out_json_key(json, "what_if");
  if (forecast->is_asked)
    write_prediction(json, &forecast->asked, &forecast->model);
  else
    out_json_null(json);
}

/* What twice the concurrency gives, as it was predicted; where it was not, 1 if it is known to give nothing. */
static void write_doubling(struct out_json *json, const char *key, const struct out_forecast *forecast, double gain,
                           bool gives_none)
{
  out_json_key(json, key);
  if (!forecast->why && !forecast->doubled.hidden)
    out_json_number(json, gain, false);
  else if (forecast->why && gives_none)
    out_json_integer(json, 1);
  else
    out_json_null(json);
}

void out_write_forecast(struct out_json *json, const struct out_bottleneck *bottleneck,
                        const struct out_forecast *forecast)
{
  const bool gives_none = gives_nothing(bottleneck);
  write_doubling(json, "doubling_gain", forecast, forecast->doubled.gain, gives_none);
  write_doubling(json, "doubling_promised", forecast, forecast->doubled.least, gives_none);
  out_json_key_string(json, "not_seen", forecast->why ? NULL : label_of(forecast->doubled.unseen));
  out_json_key_string(json, "then", forecast->why ? NULL : label_of(forecast->doubled.next));
  out_json_key(json, "what_would_help");
  out_json_open_map(json);
  write_help(json, forecast);
  out_json_close_map(json);
}
