/* l3fwd: the card's main job. Forwards IPv4 and IPv6 between the ports by longest prefix, through a firewall.
 *
 * Command line (all optional): "cores=N config=FILE". Tables come from FILE (default l3fwd.conf) in the run directory
 * when it can be read by semihosting, else from config_default (config.c). Each core polls its queue until it is empty,
 * asks for an interrupt and sleeps. On the shutdown interrupt the cores stop, the first prints the counters and ends
 * the run with exit code 0. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/nic/nic.h"
#include "hal/board.h"
#include "hal/cpu.h"
#include "hal/gic.h"
#include "hal/psci.h"
#include "hal/semihosting.h"
#include "hal/smp.h"
#include "images/l3fwd/config.h"

enum { BURST = 32, CONFIG_OCTETS = 1 << 20, WAKE_SGI = 1 };

typedef struct {
  NicQueue* queue;
  uint64_t received[NIC_MAX_PORTS], sent[NIC_MAX_PORTS], received_octets[NIC_MAX_PORTS], sent_octets[NIC_MAX_PORTS];
  uint64_t verdicts[VERDICTS], by_default, sleeps;
  atomic_uint state; /* of a core: see below */
  uint64_t rule_hits[FIREWALL_MAX_RULES];
} Core;
enum { CORE_STARTING, CORE_RUNNING, CORE_STOPPED };

static Tables tables;
static TableMemory table_memory __attribute__((section(".noinit")));
static char config_text[CONFIG_OCTETS] __attribute__((section(".noinit")));
static Core cores[NIC_MAX_CORES];
static unsigned core_count = 1, port_count;
static volatile bool stop;

/* ---- set-up ---- */

static void report_error(unsigned line, const char* message, const char* word) {
  printf("l3fwd: tables, line %u: %s, found \"%s\"\n", line, message, word);
}

/* Reads the tables from `file`; when it is not there, takes the built-in ones unless it was asked for. Returns where they
 * came from, or NULL when they have errors. */
static const char* read_tables(const char* file, bool asked) {
  tables_init(&tables, &table_memory);
  const int handle = semihosting_open_read(file);
  const char* origin = "built in";
  if (handle >= 0) {
    const long length = semihosting_length(handle);
    if (length < 0 || length >= CONFIG_OCTETS || semihosting_read(handle, config_text, (size_t)length) != length) {
      printf("l3fwd: %s cannot be read, or is %d octets or longer\n", file, CONFIG_OCTETS);
      return NULL;
    }
    semihosting_close(handle);
    config_text[length] = '\0';
    origin = file;
  } else if (asked) {
    printf("l3fwd: config=%s is not there (dpusim run --file gives firmware a file)\n", file);
    return NULL;
  } else {
    strcpy(config_text, config_default);
  }
  return config_apply(&tables, config_text, report_error) == 0 ? origin : NULL;
}

/* Copies the value of "key=" out of the command line. */
static bool option(const char* line, const char* key, char* value, size_t size) {
  const char* const found = strstr(line, key);
  if (found == NULL) return false;
  const char* const text = found + strlen(key);
  const size_t length = strcspn(text, " ");
  if (length == 0 || length >= size) return false;
  memcpy(value, text, length);
  value[length] = '\0';
  return true;
}

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

static void handle(Core* core, const NicFrame* frame) {
  ++core->received[frame->port];
  core->received_octets[frame->port] += frame->length;
  if (frame->status != NIC_STATUS_OK) {
    ++core->verdicts[DROP_RECEIVE_ERROR];
    nic_release(core->queue, frame);
    return;
  }
  const bool checksum_known = (frame->flags & NIC_RX_IPV4_CHECKSUM_OK) != 0;
  const Decision decision = forward_frame(&tables, frame->port, frame->data, frame->length, checksum_known);
  if (decision.filtered) {
    if (decision.rule < tables.firewall.count) {
      ++core->rule_hits[decision.rule];
    } else {
      ++core->by_default;
    }
  }
  Verdict verdict = decision.verdict;
  if (verdict == FORWARDED && decision.port >= port_count)
    verdict = DROP_NO_ROUTE; /* a port that this card does not have */
  ++core->verdicts[verdict];
  if (verdict != FORWARDED) {
    nic_release(core->queue, frame);
    return;
  }
  ++core->sent[decision.port];
  core->sent_octets[decision.port] += decision.length;
  nic_send(core->queue, decision.port, frame, decision.length);
}

static void forward_until_stopped(Core* core) {
  NicQueue* const queue = core->queue;
  for (;;) { /* what has been received is handled before stopping */
    NicFrame frame;
    unsigned done = 0;
    while (done < BURST && nic_receive(queue, &frame)) {
      handle(core, &frame);
      ++done;
    }
    nic_flush(queue);
    if (done != 0) continue;
    if (stop) return;
    const uint32_t events = queue->events; /* before arming: the interrupt may come at once */
    nic_arm(queue);
    const uint64_t daif = irq_save();
    /* An interrupt that comes between this test and WFI stays pending and ends it. */
    if (queue->events == events && !stop) {
      ++core->sleeps;
      wait_for_interrupt();
    }
    irq_restore(daif);
  }
}

static void run_core(void* argument) {
  Core* const core = argument;
  irq_register(WAKE_SGI, true, core_number(), on_wake, NULL);
  nic_enable_interrupt(core->queue);
  atomic_store_explicit(&core->state, CORE_RUNNING, memory_order_release);
  forward_until_stopped(core);
  atomic_store_explicit(&core->state, CORE_STOPPED, memory_order_release);
}

/* ---- the report ---- */

static void print_report(void) {
  static Core total;
  for (unsigned c = 0; c < core_count; ++c) {
    const Core* const core = &cores[c];
    for (unsigned p = 0; p < port_count; ++p) {
      total.received[p] += core->received[p];
      total.received_octets[p] += core->received_octets[p];
      total.sent[p] += core->sent[p];
      total.sent_octets[p] += core->sent_octets[p];
    }
    for (unsigned v = 0; v < VERDICTS; ++v) total.verdicts[v] += core->verdicts[v];
    for (unsigned r = 0; r < tables.firewall.count; ++r) total.rule_hits[r] += core->rule_hits[r];
    total.by_default += core->by_default;
    total.sleeps += core->sleeps;
    total.verdicts[DROP_TRANSMIT_ERROR] += core->queue->transmit_errors;
  }
  /* Narrow, since each character takes 6.7 us on the line. Firewall rules that nothing matched are left out. */
  printf("l3fwd: counters\n%-4s %10s %12s %10s %12s %11s\n", "port", "rx_frames", "rx_octets", "tx_frames", "tx_octets",
         "nic_dropped");
  for (unsigned p = 0; p < port_count; ++p) {
    printf("p%-3u %10" PRIu64 " %12" PRIu64 " %10" PRIu64 " %12" PRIu64 " %11" PRIu64 "\n", p, total.received[p],
           total.received_octets[p], total.sent[p], total.sent_octets[p], nic_port_dropped(p));
  }
  printf("%-14s %10s\n", "verdict", "frames");
  for (unsigned v = 0; v < VERDICTS; ++v) {
    printf("%-14s %10" PRIu64 "\n", verdict_name((Verdict)v), total.verdicts[v]);
  }
  printf("%-14s %10s\n", "firewall", "frames");
  for (unsigned r = 0; r < tables.firewall.count; ++r) {
    if (total.rule_hits[r] == 0) continue;
    printf("line %-4u %-5s %9" PRIu64 "\n", tables.firewall.rules[r].line,
           tables.firewall.rules[r].allow ? "allow" : "deny", total.rule_hits[r]);
  }
  printf("default %-6s %10" PRIu64 "\n", tables.firewall.default_allow ? "allow" : "deny", total.by_default);
  for (unsigned c = 0; c < core_count && core_count > 1; ++c) {
    uint64_t frames = 0;
    for (unsigned p = 0; p < port_count; ++p) frames += cores[c].received[p];
    printf("core %-9u %10" PRIu64 "\n", c, frames);
  }
  printf("l3fwd: done\n");
}

int main(void) {
  static char line[256], file[128] = "l3fwd.conf", number[8];
  semihosting_command_line(line, sizeof line);
  const bool asked = option(line, "config=", file, sizeof file);
  if (option(line, "cores=", number, sizeof number)) core_count = (unsigned)strtoul(number, NULL, 10);
  const char* const origin = read_tables(file, asked);
  if (origin == NULL) return 1;
  port_count = nic_init();
  if (port_count == 0) {
    printf("l3fwd: no NIC at 0x%lx\n", BOARD_NIC);
    return 1;
  }
  if (core_count < 1 || core_count > nic_max_cores() || core_count > gic_core_count()) {
    printf("l3fwd: found cores=%u, expected 1 to %u (queues of the NIC) and %u (cores)\n", core_count, nic_max_cores(),
           gic_core_count());
    return 1;
  }
  for (unsigned c = 0; c < core_count; ++c) {
    cores[c].queue = nic_open(c);
    if (cores[c].queue == NULL) return 1;
  }
  irq_register(INTID_SHUTDOWN, false, 0, on_shutdown, NULL);
  for (unsigned c = 1; c < core_count; ++c) {
    const int status = smp_start(c, run_core, &cores[c]);
    if (status != PSCI_SUCCESS) {
      printf("l3fwd: core %u does not start: %d\n", c, status);
      return 1;
    }
    while (atomic_load_explicit(&cores[c].state, memory_order_acquire) == CORE_STARTING) {
    }
  }
  nic_start(core_count); /* traffic may be waiting: the console comes after it */
  printf("l3fwd: %u routes, %u rules (%s), %u port(s), %u core(s)\n", tables.route_count, tables.firewall.count, origin,
         port_count, core_count);
  run_core(&cores[0]);
  for (unsigned c = 1; c < core_count; ++c) {
    irq_send(c, WAKE_SGI);
    while (atomic_load_explicit(&cores[c].state, memory_order_acquire) != CORE_STOPPED) {
    }
  }
  print_report();
  return 0;
}
