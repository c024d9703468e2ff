/* dpi: an intrusion prevention system on the wire. What comes in at one port goes out at the other of its pair,
 * unchanged, unless the regex accelerator finds a match in a TCP flow or a UDP datagram: the frame in which the match
 * ends and all that come later in its flow are dropped. Frames wait for their verdict.
 *
 * Command line (all optional): "cores=N streams=N". Rules are the accelerator's: dpusim run --set
 * 'regex.rules=["FILE"]', rule set 0. On the shutdown interrupt the cores stop, the first prints the counters and ends
 * the run with exit code 0. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "hal/board.h"
#include "hal/cpu.h"
#include "hal/gic.h"
#include "hal/psci.h"
#include "hal/smp.h"
#include "images/common/options.h"
#include "images/dpi/inspect.h"

enum { BURST = 32, WAKE_SGI = 1 };

typedef struct {
  NicQueue* nic;
  Inspector* inspector;
  uint64_t sleeps;
  atomic_uint state; /* see below */
} Core;
enum { CORE_STARTING, CORE_RUNNING, CORE_STOPPED };

static AccelDevice regex;
static Core cores[NIC_MAX_CORES];
static unsigned core_count, port_count;
static volatile bool stop;

static void on_shutdown(unsigned intid, void* argument) {
  (void)argument;
  irq_disable(intid); /* the line stays high */
  stop = true;
}
static void on_wake(unsigned intid, void* argument) {
  (void)intid;
  (void)argument;
}

/* ---- the data path ---- */

static uint32_t events(const Core* core) { return core->nic->events + inspect_events(core->inspector); }

static void sleep(Core* core) {
  const uint32_t before = events(core); /* before arming: the interrupt may come at once */
  nic_arm(core->nic);
  if (inspect_busy(core->inspector)) inspect_arm(core->inspector);
  const uint64_t daif = irq_save();
  /* An interrupt that comes between this test and WFI stays pending and ends it. */
  if (events(core) == before && !(stop && !inspect_busy(core->inspector))) {
    ++core->sleeps;
    wait_for_interrupt();
  }
  irq_restore(daif);
}

static void inspect_until_stopped(Core* core) {
  for (;;) { /* what has been received gets its verdict before stopping */
    NicFrame frame;
    unsigned done = 0;
    while (done < BURST && nic_receive(core->nic, &frame)) {
      inspect_frame(core->inspector, &frame);
      ++done;
    }
    done += inspect_poll(core->inspector);
    nic_flush(core->nic);
    if (done != 0) continue;
    if (stop && !inspect_busy(core->inspector)) break;
    sleep(core);
  }
  inspect_finish(core->inspector);
}

static void run_core(void* argument) {
  Core* const core = argument;
  irq_register(WAKE_SGI, true, core_number(), on_wake, NULL);
  nic_enable_interrupt(core->nic);
  inspect_enable_interrupt(core->inspector);
  atomic_store_explicit(&core->state, CORE_RUNNING, memory_order_release);
  inspect_until_stopped(core);
  atomic_store_explicit(&core->state, CORE_STOPPED, memory_order_release);
}

/* ---- the report ---- */

static int by_number(const void* a, const void* b) {
  const uint32_t x = ((const RuleCount*)a)->rule, y = ((const RuleCount*)b)->rule;
  return x < y ? -1 : x > y;
}

static void add_rule(InspectCounters* total, const RuleCount* rule) {
  for (unsigned i = 0; i < total->rule_count; ++i) {
    if (total->rules[i].rule != rule->rule) continue;
    total->rules[i].frames += rule->frames;
    return;
  }
  if (total->rule_count < INSPECT_MAX_RULES) total->rules[total->rule_count++] = *rule;
}

static void print_report(void) {
  static InspectCounters total;
  uint64_t sleeps = 0, transmit_errors = 0;
  for (unsigned c = 0; c < core_count; ++c) {
    const InspectCounters* const core = inspect_counters(cores[c].inspector);
    for (unsigned v = 0; v < FRAME_VERDICTS; ++v) total.verdicts[v] += core->verdicts[v];
    for (unsigned p = 0; p < port_count; ++p) {
      total.received[p] += core->received[p];
      total.sent[p] += core->sent[p];
    }
    total.flows += core->flows;
    total.blocked_flows += core->blocked_flows;
    total.forgotten_flows += core->forgotten_flows;
    total.jobs += core->jobs;
    total.scanned_octets += core->scanned_octets;
    for (unsigned r = 0; r < core->rule_count; ++r) add_rule(&total, &core->rules[r]);
    sleeps += cores[c].sleeps;
    transmit_errors += cores[c].nic->transmit_errors;
  }
  printf("dpi: counters\n%-4s %10s %10s %11s\n", "port", "rx_frames", "tx_frames", "nic_dropped");
  for (unsigned p = 0; p < port_count; ++p) {
    printf("p%-3u %10" PRIu64 " %10" PRIu64 " %11" PRIu64 "\n", p, total.received[p], total.sent[p],
           nic_port_dropped(p));
  }
  printf("%-14s %10s\n", "verdict", "frames");
  for (unsigned v = 0; v < FRAME_VERDICTS; ++v) {
    printf("%-14s %10" PRIu64 "\n", frame_verdict_name((FrameVerdict)v), total.verdicts[v]);
  }
  printf("flows %" PRIu64 ", blocked %" PRIu64 ", forgotten %" PRIu64 "; jobs %" PRIu64 ", octets %" PRIu64
         "; sleeps %" PRIu64 ", transmit errors %" PRIu64 "\n",
         total.flows, total.blocked_flows, total.forgotten_flows, total.jobs, total.scanned_octets, sleeps,
         transmit_errors);
  qsort(total.rules, total.rule_count, sizeof total.rules[0], by_number);
  for (unsigned r = 0; r < total.rule_count; ++r) {
    printf("rule %-9" PRIu32 " %10" PRIu64 "\n", total.rules[r].rule, total.rules[r].frames);
  }
  printf("dpi: done\n");
}

/* ---- set-up ---- */

static bool set_up(void) {
  static Options options;
  options_read(&options, "dpi");
  port_count = nic_init();
  if (port_count < 2) {
    printf("dpi: a NIC with %u port(s) at 0x%lx, expected 2 or more\n", port_count, BOARD_NIC);
    return false;
  }
  if (!accel_probe(&regex, BOARD_REGEX, INTID_REGEX) || regex.type != ACCEL_TYPE_REGEX) {
    printf("dpi: no regex accelerator at 0x%lx\n", BOARD_REGEX);
    return false;
  }
  unsigned most = nic_max_cores();
  if (most > gic_core_count()) most = gic_core_count();
  if (most > regex.queues) most = regex.queues;
  core_count = (unsigned)options_number(&options, "cores", 1, 1, most);
  const unsigned streams =
      (unsigned)options_number(&options, "streams", 1024, core_count, (uint64_t)INSPECT_MAX_FLOWS * core_count);
  if (!options_done(&options)) return false;
  const unsigned share = streams / core_count;
  for (unsigned c = 0; c < core_count; ++c) {
    cores[c].nic = nic_open(c);
    if (cores[c].nic == NULL) return false;
    cores[c].inspector = inspect_open(c, &regex, cores[c].nic, port_count, c * share, share);
    if (cores[c].inspector == NULL) return false;
  }
  return inspect_try(cores[0].inspector);
}

int main(void) {
  if (!set_up()) return 1;
  irq_register(INTID_SHUTDOWN, false, 0, on_shutdown, NULL);
  for (unsigned c = 1; c < core_count; ++c) {
    const int status = smp_start(c, run_core, &cores[c]);
    if (status != PSCI_SUCCESS) {
      printf("dpi: core %u does not start: %d\n", c, status);
      return 1;
    }
    while (atomic_load_explicit(&cores[c].state, memory_order_acquire) == CORE_STARTING) {
    }
  }
  nic_start(core_count); /* traffic may be waiting: the console comes after it */
  printf("dpi: %u port(s), %u core(s), %u regex engine(s)\n", port_count, core_count, regex.engines);
  run_core(&cores[0]);
  for (unsigned c = 1; c < core_count; ++c) {
    irq_send(c, WAKE_SGI);
    while (atomic_load_explicit(&cores[c].state, memory_order_acquire) != CORE_STOPPED) {
    }
  }
  print_report();
  return 0;
}
