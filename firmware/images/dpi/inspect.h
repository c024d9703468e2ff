/* Verdicts on frames by the regex accelerator. A core has a share of the accelerator's streams and a flow for each; TCP
 * flows are scanned as streams, in order, UDP datagrams each by itself. A flow has one job under way at a time, and its
 * frames leave in the order in which they came. The frame in which a match ends is dropped, and all of its flow that
 * come later. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "drivers/accel/accel.h"
#include "drivers/nic/nic.h"
#include "images/dpi/tcp.h"

enum {
  INSPECT_MAX_FLOWS = 4096, /* of a core */
  INSPECT_MAX_RULES = 256,  /* counted one by one */
  INSPECT_MAX_WAITING = 64, /* frames of a flow that wait for one missing before them */
  INSPECT_RECORDS = 16,     /* matches of a frame that are told apart */
  INSPECT_LOG2_BUCKETS = 12
};

/* What became of a frame. */
typedef enum {
  FRAME_CLEAN,        /* forwarded: scanned, no match */
  FRAME_UNINSPECTED,  /* forwarded: no TCP or UDP, a fragment, malformed, or a wrong checksum */
  FRAME_EMPTY,        /* forwarded: no payload, or none that is new */
  FRAME_MATCHED,      /* dropped: a match ended in it */
  FRAME_BLOCKED,      /* dropped: its flow had a match before */
  FRAME_OUT_OF_ORDER, /* dropped: too many of its flow wait already, or what was missing never came */
  FRAME_AFTER_END,    /* dropped: data behind the end of its flow */
  FRAME_NO_FLOW,      /* dropped: all flows have frames under way */
  FRAME_ERROR,        /* dropped: the NIC or the accelerator could not handle it */
  FRAME_VERDICTS
} FrameVerdict;
const char* frame_verdict_name(FrameVerdict verdict);
static inline bool frame_is_forwarded(FrameVerdict verdict) { return verdict <= FRAME_EMPTY; }

typedef struct Inspector Inspector;

typedef struct {
  uint32_t rule;
  uint64_t frames;
} RuleCount;

typedef struct {
  uint64_t verdicts[FRAME_VERDICTS];
  uint64_t received[NIC_MAX_PORTS], sent[NIC_MAX_PORTS];
  uint64_t flows, blocked_flows, forgotten_flows, jobs, scanned_octets;
  RuleCount rules[INSPECT_MAX_RULES]; /* frames dropped in which the rule was among the first matches */
  unsigned rule_count;
} InspectCounters;

/* Sets a core's inspector up. @param first_stream, @param flows the core's share of streams. @param ports of the NIC;
 * frames go from one port of a pair to the other. @return NULL after a message. */
Inspector* inspect_open(unsigned core, const AccelDevice* device, NicQueue* nic, unsigned ports, unsigned first_stream,
                        unsigned flows);
/* Tries a scan and a stream of no octets. @return whether the accelerator has rules and streams; else there was a
 * message.
 */
bool inspect_try(Inspector* inspector);
/* Installs the accelerator's interrupt for the calling core. */
void inspect_enable_interrupt(Inspector* inspector);
/* Takes a received frame: sooner or later it is sent or released. */
void inspect_frame(Inspector* inspector, const NicFrame* frame);
/* Takes completed jobs, starts new ones and rings the doorbell. @return how many jobs have completed. */
unsigned inspect_poll(Inspector* inspector);
/* Returns whether jobs are under way. */
bool inspect_busy(const Inspector* inspector);
/* Asks for an interrupt at the next completed job; counts in inspect_events. */
void inspect_arm(Inspector* inspector);
uint32_t inspect_events(const Inspector* inspector);
/* Drops the frames that still wait for something that is missing. Nothing is under way. */
void inspect_finish(Inspector* inspector);
const InspectCounters* inspect_counters(const Inspector* inspector);
