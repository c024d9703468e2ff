#include "images/dpi/inspect.h"

#include <stdio.h>
#include <string.h>

#include "images/dpi/flows.h"

enum { LOG2_JOBS = INSPECT_LOG2_BUCKETS };

typedef struct {
  NicFrame frame;
  Segment segment;
  uint32_t next; /* in a list of its flow */
} Held;

struct Inspector {
  AccelQueue queue;
  NicQueue* nic;
  unsigned ports, first_stream, under_way;
  uint32_t ready_head, ready_tail; /* flows that could not go on for want of a ring entry */
  FlowTable table;
  Held held[NIC_BUFFERS]; /* by buffer number */
  AccelMatch matches[INSPECT_MAX_FLOWS][INSPECT_RECORDS];
  InspectCounters counters;
};

static Inspector inspectors[NIC_MAX_CORES] __attribute__((section(".noinit")));
static uint8_t rings[NIC_MAX_CORES][ACCEL_QUEUE_OCTETS(LOG2_JOBS)] __attribute__((aligned(64), section(".noinit")));

const char* frame_verdict_name(FrameVerdict verdict) {
  static const char* const names[FRAME_VERDICTS] = {
      [FRAME_CLEAN] = "clean",         [FRAME_UNINSPECTED] = "uninspected", [FRAME_EMPTY] = "empty",
      [FRAME_MATCHED] = "matched",     [FRAME_BLOCKED] = "blocked",         [FRAME_OUT_OF_ORDER] = "out_of_order",
      [FRAME_AFTER_END] = "after_end", [FRAME_NO_FLOW] = "no_flow",         [FRAME_ERROR] = "error"};
  return names[verdict];
}

Inspector* inspect_open(unsigned core, const AccelDevice* device, NicQueue* nic, unsigned ports, unsigned first_stream,
                        unsigned flows) {
  Inspector* const inspector = &inspectors[core];
  memset(&inspector->counters, 0, sizeof inspector->counters);
  inspector->nic = nic;
  inspector->ports = ports;
  inspector->first_stream = first_stream;
  inspector->under_way = 0;
  inspector->ready_head = inspector->ready_tail = NONE;
  flows_init(&inspector->table, flows);
  return accel_open(&inspector->queue, device, core, rings[core], LOG2_JOBS) ? inspector : NULL;
}

bool inspect_try(Inspector* inspector) {
  static const AccelJob jobs[] = {
      {.opcode = ACCEL_OP_REGEX_SCAN},
      {.opcode = ACCEL_OP_REGEX_STREAM, .flags = ACCEL_FLAG_STREAM_OPEN | ACCEL_FLAG_STREAM_END}};
  for (unsigned i = 0; i < sizeof jobs / sizeof jobs[0]; ++i) {
    AccelCompletion completion;
    *accel_next(&inspector->queue) = jobs[i];
    accel_post(&inspector->queue);
    accel_flush(&inspector->queue);
    while (!accel_poll(&inspector->queue, &completion)) {
    }
    if (completion.status == ACCEL_STATUS_OK || completion.status == ACCEL_STATUS_OUTPUT_FULL) continue;
    if (completion.status == ACCEL_STATUS_BAD_KEY) {
      printf("dpi: the regex accelerator has no rules (dpusim run --set 'regex.rules=[\"FILE\"]' gives it some)\n");
    } else {
      printf("dpi: the regex accelerator answers %s with %s\n", accel_opcode_name(jobs[i].opcode),
             accel_status_name(completion.status));
    }
    return false;
  }
  return true;
}

void inspect_enable_interrupt(Inspector* inspector) { accel_enable_interrupt(&inspector->queue); }
bool inspect_busy(const Inspector* inspector) { return inspector->under_way != 0 || inspector->ready_head != NONE; }
void inspect_arm(Inspector* inspector) { accel_arm(&inspector->queue); }
uint32_t inspect_events(const Inspector* inspector) { return inspector->queue.events; }

const InspectCounters* inspect_counters(const Inspector* inspector) {
  Inspector* const self = &inspectors[inspector - inspectors];
  self->counters.forgotten_flows = self->table.forgotten;
  return &self->counters;
}

/* ---- frames ---- */

/* A frame's way ends here: out of the other port of its pair, or nowhere. */
static void finish(Inspector* inspector, uint32_t buffer, FrameVerdict verdict) {
  const NicFrame* const frame = &inspector->held[buffer].frame;
  const unsigned port = frame->port ^ 1u;
  ++inspector->counters.verdicts[verdict];
  if (!frame_is_forwarded(verdict) || port >= inspector->ports) {
    nic_release(inspector->nic, frame);
    return;
  }
  ++inspector->counters.sent[port];
  nic_send(inspector->nic, port, frame, frame->length);
}

static void append(Inspector* inspector, TrackedFlow* flow, uint32_t buffer) {
  inspector->held[buffer].next = NONE;
  if (flow->queue_tail == NONE) {
    flow->queue_head = buffer;
  } else {
    inspector->held[flow->queue_tail].next = buffer;
  }
  flow->queue_tail = buffer;
}

/* Puts a frame among those that wait for one before them, nearest first. */
static void wait(Inspector* inspector, TrackedFlow* flow, uint32_t buffer) {
  if (flow->waiting_count == INSPECT_MAX_WAITING) {
    finish(inspector, buffer, FRAME_OUT_OF_ORDER);
    return;
  }
  const uint32_t distance = tcp_distance(&flow->order, &inspector->held[buffer].segment);
  uint32_t* link = &flow->waiting;
  while (*link != NONE && tcp_distance(&flow->order, &inspector->held[*link].segment) <= distance) {
    link = &inspector->held[*link].next;
  }
  inspector->held[buffer].next = *link;
  *link = buffer;
  ++flow->waiting_count;
}

/* Takes the frame that is next in its flow, or returns NONE: the nearest of the waiting ones when it waits no longer,
 * else one that came while a job was under way. */
static uint32_t take_next(Inspector* inspector, TrackedFlow* flow) {
  uint32_t buffer = flow->waiting;
  if (buffer != NONE && (flow->blocked || (int32_t)tcp_distance(&flow->order, &inspector->held[buffer].segment) <= 0)) {
    flow->waiting = inspector->held[buffer].next;
    --flow->waiting_count;
    return buffer;
  }
  buffer = flow->queue_head;
  if (buffer == NONE) return NONE;
  flow->queue_head = inspector->held[buffer].next;
  if (flow->queue_head == NONE) flow->queue_tail = NONE;
  return buffer;
}

/* ---- jobs ---- */

/* Starts a job: `buffer`'s payload, or only the end of a stream for NONE. The ring has room. */
static void start(Inspector* inspector, uint32_t number, uint32_t buffer, bool tcp, bool ends) {
  TrackedFlow* const flow = &inspector->table.flow[number];
  AccelJob* const job = accel_next(&inspector->queue);
  job->cookie = number;
  job->parameter0 = INSPECT_RECORDS;
  job->opcode = ACCEL_OP_REGEX_SCAN;
  if (tcp) {
    job->opcode = ACCEL_OP_REGEX_STREAM;
    job->key = (uint16_t)(inspector->first_stream + number);
    job->flags = (uint8_t)((flow->open ? 0 : ACCEL_FLAG_STREAM_OPEN) | (ends ? ACCEL_FLAG_STREAM_END : 0));
  }
  if (buffer != NONE && inspector->held[buffer].segment.length != 0) {
    accel_source(job, inspector->held[buffer].segment.data, inspector->held[buffer].segment.length);
    inspector->counters.scanned_octets += job->source_length;
  }
  accel_destination(job, inspector->matches[number], sizeof inspector->matches[number]);
  accel_post(&inspector->queue);
  flow->busy = true;
  flow->ending = ends;
  flow->under_way = buffer;
  ++inspector->under_way;
  ++inspector->counters.jobs;
}

/* Judges a frame of a flow that no job is under way for, or starts its job. */
static void judge(Inspector* inspector, uint32_t number, uint32_t buffer) {
  TrackedFlow* const flow = &inspector->table.flow[number];
  Segment* const segment = &inspector->held[buffer].segment;
  bool ends = false;
  if (flow->blocked) {
    finish(inspector, buffer, FRAME_BLOCKED);
    return;
  }
  if (segment->tcp) {
    flow->before = flow->order;
    switch (tcp_take(&flow->order, segment, &ends)) {
      case TCP_PASS:
        finish(inspector, buffer, FRAME_EMPTY);
        return;
      case TCP_REFUSE:
        finish(inspector, buffer, FRAME_AFTER_END);
        return;
      case TCP_WAIT:
        wait(inspector, flow, buffer);
        return;
      case TCP_SCAN:
        break;
    }
    if (!flow->before.started) { /* should the frame be dropped for want of a stream, the flow still begins with it */
      flow->before.started = true;
      flow->before.next = flow->order.next - segment->length - (segment->fin && ends ? 1 : 0);
    }
  }
  if (segment->length == 0 && !flow->open) { /* an empty datagram, or the end of a flow without data */
    finish(inspector, buffer, FRAME_EMPTY);
    return;
  }
  start(inspector, number, buffer, segment->tcp, ends);
}

/* Goes on with a flow until a job is under way or there is nothing to do. */
static void advance(Inspector* inspector, uint32_t number) {
  TrackedFlow* const flow = &inspector->table.flow[number];
  while (!flow->busy) {
    if (!flow->stale && flow->queue_head == NONE && flow->waiting == NONE) return;
    if (accel_next(&inspector->queue) == NULL) { /* later, when a job has completed */
      if (flow->in_ready) return;
      flow->in_ready = true;
      flow->next_ready = NONE;
      if (inspector->ready_tail == NONE) {
        inspector->ready_head = number;
      } else {
        inspector->table.flow[inspector->ready_tail].next_ready = number;
      }
      inspector->ready_tail = number;
      return;
    }
    if (flow->stale) {
      start(inspector, number, NONE, true, true);
      return;
    }
    const uint32_t buffer = take_next(inspector, flow);
    if (buffer == NONE) return;
    judge(inspector, number, buffer);
  }
}

void inspect_frame(Inspector* inspector, const NicFrame* frame) {
  const uint32_t buffer = frame->buffer;
  Held* const held = &inspector->held[buffer];
  held->frame = *frame;
  ++inspector->counters.received[frame->port];
  if (frame->status != NIC_STATUS_OK) {
    finish(inspector, buffer, FRAME_ERROR);
    return;
  }
  const bool checksum_known = (frame->flags & NIC_RX_IPV4_CHECKSUM_OK) != 0;
  if ((frame->flags & NIC_RX_L4_CHECKSUM_BAD) != 0 ||
      !segment_parse(&held->segment, frame->data, frame->length, frame->port, checksum_known)) {
    finish(inspector, buffer, FRAME_UNINSPECTED);
    return;
  }
  bool fresh;
  const uint32_t number = flows_find(&inspector->table, &held->segment.key, &fresh);
  if (number == NONE) {
    finish(inspector, buffer, FRAME_NO_FLOW);
    return;
  }
  if (fresh) ++inspector->counters.flows;
  append(inspector, &inspector->table.flow[number], buffer);
  advance(inspector, number);
}

/* ---- results ---- */

static void count_rule(InspectCounters* counters, uint32_t rule) {
  for (unsigned i = 0; i < counters->rule_count; ++i) {
    if (counters->rules[i].rule != rule) continue;
    ++counters->rules[i].frames;
    return;
  }
  if (counters->rule_count < INSPECT_MAX_RULES) counters->rules[counters->rule_count++] = (RuleCount){rule, 1};
}

/* Counts each rule of a job's records once. */
static void count_rules(InspectCounters* counters, const AccelMatch* matches, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    bool first = true;
    for (unsigned j = 0; j < i; ++j) first = first && matches[j].rule != matches[i].rule;
    if (first) count_rule(counters, matches[i].rule);
  }
}

static FrameVerdict judge_result(Inspector* inspector, uint32_t number, bool tcp, const AccelCompletion* completion) {
  TrackedFlow* const flow = &inspector->table.flow[number];
  bool matched = false, failed = false;
  switch (completion->status) {
    case ACCEL_STATUS_OK:
    case ACCEL_STATUS_OUTPUT_FULL:
      flow->open = tcp && !flow->ending;
      matched = completion->value != 0;
      count_rules(&inspector->counters, inspector->matches[number], completion->produced / sizeof(AccelMatch));
      break;
    case ACCEL_STATUS_LIMIT: /* more matches than the accelerator counts; it has closed the stream */
      flow->open = false;
      matched = true;
      break;
    case ACCEL_STATUS_STREAM: /* no stream left: the frame is as if it had not come */
      flow->order = flow->before;
      return FRAME_ERROR;
    default:
      failed = true;
      break;
  }
  if (!matched && !failed) return FRAME_CLEAN;
  flow->blocked = true;
  flow->stale = flow->open;
  ++inspector->counters.blocked_flows;
  return matched ? FRAME_MATCHED : FRAME_ERROR;
}

static void complete(Inspector* inspector, const AccelCompletion* completion) {
  const uint32_t number = completion->cookie;
  TrackedFlow* const flow = &inspector->table.flow[number];
  const uint32_t buffer = flow->under_way;
  --inspector->under_way;
  flow->busy = false;
  flow->under_way = NONE;
  if (buffer == NONE) {
    flow->open = flow->stale = false;
  } else {
    const Segment* const segment = &inspector->held[buffer].segment;
    const FrameVerdict verdict = judge_result(inspector, number, segment->tcp, completion);
    finish(inspector, buffer, verdict == FRAME_CLEAN && segment->length == 0 ? FRAME_EMPTY : verdict);
  }
  advance(inspector, number);
}

unsigned inspect_poll(Inspector* inspector) {
  AccelCompletion completion;
  unsigned done = 0;
  for (; accel_poll(&inspector->queue, &completion); ++done) complete(inspector, &completion);
  uint32_t number = inspector->ready_head;
  inspector->ready_head = inspector->ready_tail = NONE;
  while (number != NONE) {
    TrackedFlow* const flow = &inspector->table.flow[number];
    const uint32_t next = flow->next_ready;
    flow->in_ready = false;
    advance(inspector, number);
    number = next;
  }
  accel_flush(&inspector->queue);
  return done;
}

void inspect_finish(Inspector* inspector) {
  for (uint32_t i = 0; i < inspector->table.known; ++i) {
    TrackedFlow* const flow = &inspector->table.flow[i];
    for (uint32_t buffer = flow->waiting; buffer != NONE; buffer = inspector->held[buffer].next) {
      finish(inspector, buffer, FRAME_OUT_OF_ORDER);
    }
    flow->waiting = NONE;
  }
  nic_flush(inspector->nic);
}
