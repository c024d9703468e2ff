#include "drivers/nic/nic.h"

#include <stdio.h>
#include <string.h>

#include "hal/board.h"
#include "hal/cpu.h"
#include "hal/gic.h"
#include "regs/nic_regs.h"

enum { COMPLETION_LOG2 = NIC_LOG2_BUFFERS + 1, COMPLETIONS = 1 << COMPLETION_LOG2 };

/* Memory that the NIC shares: not cleared by the start code, only the rings are. */
static NicRxDescriptor receive_rings[NIC_MAX_CORES][NIC_RECEIVE] __attribute__((aligned(64), section(".noinit")));
static NicTxDescriptor transmit_rings[NIC_MAX_CORES][NIC_MAX_PORTS][NIC_BUFFERS]
    __attribute__((aligned(64), section(".noinit")));
static NicCompletion completion_rings[NIC_MAX_CORES][COMPLETIONS] __attribute__((aligned(64), section(".noinit")));
static uint8_t buffers[NIC_MAX_CORES][NIC_BUFFERS][NIC_BUFFER_OCTETS] __attribute__((aligned(64), section(".noinit")));
static NicQueue queues[NIC_MAX_CORES];
static unsigned ports;

static uint32_t get(uint32_t offset) { return mmio_read32(BOARD_NIC + offset); }
static uint64_t get64(uint32_t offset) { return mmio_read64(BOARD_NIC + offset); }
static void set(uint32_t offset, uint32_t value) { mmio_write32(BOARD_NIC + offset, value); }
static void set64(uint32_t offset, uint64_t value) { mmio_write64(BOARD_NIC + offset, value); }

static uint32_t capability(uint32_t mask, unsigned shift) { return (get(NIC_CAPABILITY) & mask) >> shift; }

unsigned nic_init(void) {
  if (get(NIC_ID) >> 8 != 0x4e4943) return 0; /* "NIC" */
  set(NIC_CONTROL, NIC_CONTROL_RESET_MASK);
  ports = capability(NIC_CAPABILITY_PORTS_MASK, NIC_CAPABILITY_PORTS_SHIFT);
  if (ports > NIC_MAX_PORTS) ports = NIC_MAX_PORTS;
  return ports;
}

unsigned nic_max_cores(void) {
  unsigned cores = NIC_MAX_CORES;
  const unsigned receive = capability(NIC_CAPABILITY_RX_QUEUES_MASK, NIC_CAPABILITY_RX_QUEUES_SHIFT);
  const unsigned transmit = capability(NIC_CAPABILITY_TX_QUEUES_MASK, NIC_CAPABILITY_TX_QUEUES_SHIFT);
  const unsigned completion = capability(NIC_CAPABILITY_COMPLETION_QUEUES_MASK, NIC_CAPABILITY_COMPLETION_QUEUES_SHIFT);
  if (receive < cores) cores = receive;
  if (transmit / ports < cores) cores = transmit / ports;
  if (completion < cores) cores = completion;
  return cores;
}

static bool check(unsigned core, const char* what, uint32_t status) {
  if ((status & 3) == NIC_STATE_READY) return true;
  printf("nic: %s queue of core %u is not ready: state %u, reason %u\n", what, core, (unsigned)(status & 3),
         (unsigned)(status >> 8 & 0xff));
  return false;
}

/* Posts free buffers until the receive ring is full. */
static void refill(NicQueue* queue) {
  while (queue->free_count > 0 && (uint16_t)(queue->receive_tail - queue->receive_head) < NIC_RECEIVE) {
    const uint32_t buffer = queue->free[--queue->free_count];
    NicRxDescriptor* const descriptor = &queue->receive_ring[queue->receive_tail % NIC_RECEIVE];
    descriptor->address = (uintptr_t)(queue->buffers[buffer] + NIC_HEADROOM);
    descriptor->length = NIC_BUFFER_OCTETS - NIC_HEADROOM;
    descriptor->cookie = buffer;
    ++queue->receive_tail;
  }
}

static void give_back(NicQueue* queue, uint32_t buffer) { queue->free[queue->free_count++] = buffer; }

NicQueue* nic_open(unsigned core) {
  NicQueue* const queue = &queues[core];
  memset(queue, 0, sizeof *queue);
  queue->core = core;
  queue->receive_ring = receive_rings[core];
  queue->completion_ring = completion_rings[core];
  queue->buffers = buffers[core];
  memset(completion_rings[core], 0, sizeof completion_rings[core]);
  dma_write_barrier();
  set64(NIC_CQ_BASE(core), (uintptr_t)completion_rings[core]);
  set(NIC_CQ_SIZE(core), COMPLETION_LOG2);
  set(NIC_CQ_CONTROL(core), NIC_CQ_CONTROL_ENABLE_MASK);
  if (!check(core, "completion", get(NIC_CQ_STATUS(core)))) return NULL;
  set64(NIC_RXQ_BASE(core), (uintptr_t)receive_rings[core]);
  set(NIC_RXQ_SIZE(core), NIC_LOG2_RECEIVE);
  set(NIC_RXQ_CQ(core), core);
  set(NIC_RXQ_CONTROL(core), NIC_RXQ_CONTROL_ENABLE_MASK);
  if (!check(core, "receive", get(NIC_RXQ_STATUS(core)))) return NULL;
  for (unsigned port = 0; port < ports; ++port) {
    const unsigned number = core * ports + port;
    queue->transmit_ring[port] = transmit_rings[core][port];
    set64(NIC_TXQ_BASE(number), (uintptr_t)transmit_rings[core][port]);
    set(NIC_TXQ_SIZE(number), NIC_LOG2_BUFFERS);
    set(NIC_TXQ_CQ(number), core);
    set(NIC_TXQ_PORT(number), port);
    set(NIC_TXQ_CONTROL(number), NIC_TXQ_CONTROL_ENABLE_MASK);
    if (!check(core, "transmit", get(NIC_TXQ_STATUS(number)))) return NULL;
  }
  for (uint32_t buffer = NIC_BUFFERS; buffer > 0; --buffer) give_back(queue, buffer - 1);
  nic_flush(queue);
  return queue;
}

static void on_interrupt(unsigned intid, void* argument) {
  (void)intid;
  NicQueue* const queue = argument;
  set64(NIC_INTERRUPT_STATUS, 1ull << queue->core);
  (void)get64(NIC_INTERRUPT_STATUS); /* the line has fallen before the interrupt ends */
  ++queue->events;
}

void nic_enable_interrupt(NicQueue* queue) {
  irq_register(INTID_NIC(queue->core), false, queue->core, on_interrupt, queue);
  set64(NIC_INTERRUPT_ENABLE, mmio_read64(BOARD_NIC + NIC_INTERRUPT_ENABLE) | 1ull << queue->core);
}

void nic_start(unsigned cores) {
  /* The key of Microsoft's RSS specification, whose hashes are published. */
  static const uint8_t key[40] = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
                                  0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
                                  0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};
  uint32_t control = NIC_PORT_CONTROL_RX_ENABLE_MASK;
  if (cores > 1) {
    control |= NIC_PORT_CONTROL_RSS_ENABLE_MASK | NIC_PORT_CONTROL_HASH_IPV4_MASK |
               NIC_PORT_CONTROL_HASH_TCP_IPV4_MASK | NIC_PORT_CONTROL_HASH_UDP_IPV4_MASK |
               NIC_PORT_CONTROL_HASH_IPV6_MASK | NIC_PORT_CONTROL_HASH_TCP_IPV6_MASK |
               NIC_PORT_CONTROL_HASH_UDP_IPV6_MASK;
  }
  for (unsigned port = 0; port < ports; ++port) {
    for (unsigned i = 0; i < 10 && cores > 1; ++i) {
      uint32_t word;
      memcpy(&word, key + 4 * i, 4);
      set(NIC_RSS_KEY(10 * port + i), word);
    }
    for (unsigned i = 0; i < 128 && cores > 1; ++i) set(NIC_RSS_TABLE(128 * port + i), i % cores);
    set(NIC_PORT_CONTROL(port), control);
  }
  set(NIC_CONTROL, NIC_CONTROL_ENABLE_MASK);
}

bool nic_receive(NicQueue* queue, NicFrame* frame) {
  for (;;) {
    const uint16_t head = queue->completion_head;
    const NicCompletion* const completion = &queue->completion_ring[head % COMPLETIONS];
    const uint8_t phase = *(const volatile uint8_t*)&completion->phase & 1;
    if (phase != ((head >> COMPLETION_LOG2 & 1) ^ 1)) return false;
    dma_read_barrier(); /* the rest of the entry is read after its phase */
    ++queue->completion_head;
    if (completion->kind == NIC_KIND_TRANSMIT) {
      if (completion->status != NIC_STATUS_OK) ++queue->transmit_errors;
      give_back(queue, completion->cookie);
      continue;
    }
    ++queue->receive_head;
    frame->buffer = completion->cookie;
    frame->data = queue->buffers[completion->cookie] + NIC_HEADROOM;
    frame->length = completion->length;
    frame->timestamp = completion->timestamp;
    frame->flags = completion->flags;
    frame->status = completion->status;
    frame->port = completion->port;
    return true;
  }
}

void nic_send(NicQueue* queue, unsigned port, const NicFrame* frame, uint32_t length) {
  NicTxDescriptor* const descriptor = &queue->transmit_ring[port][queue->transmit_tail[port] % NIC_BUFFERS];
  descriptor->address = (uintptr_t)frame->data;
  descriptor->length = length;
  descriptor->cookie = frame->buffer;
  descriptor->flags = NIC_TX_COMPLETION;
  descriptor->reserved = 0;
  descriptor->timestamp = frame->timestamp;
  ++queue->transmit_tail[port];
}

void nic_release(NicQueue* queue, const NicFrame* frame) { give_back(queue, frame->buffer); }

void nic_flush(NicQueue* queue) {
  refill(queue);
  dma_write_barrier();
  for (unsigned port = 0; port < ports; ++port) {
    if (queue->transmit_rung[port] == queue->transmit_tail[port]) continue;
    queue->transmit_rung[port] = queue->transmit_tail[port];
    set(NIC_TXQ_TAIL(queue->core * ports + port), queue->transmit_tail[port]);
  }
  if (queue->receive_rung != queue->receive_tail) {
    queue->receive_rung = queue->receive_tail;
    set(NIC_RXQ_TAIL(queue->core), queue->receive_tail);
  }
  if (queue->completion_told != queue->completion_head) {
    queue->completion_told = queue->completion_head;
    set(NIC_CQ_HEAD(queue->core), queue->completion_head);
  }
}

void nic_arm(NicQueue* queue) {
  queue->completion_told = queue->completion_head;
  set(NIC_CQ_ARM(queue->core), queue->completion_head);
}

uint64_t nic_port_dropped(unsigned port) { return mmio_read64(BOARD_NIC + NIC_PORT_RX_DROPPED(port)); }
