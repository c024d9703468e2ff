/* Driver of the card's NIC: one receive queue, a transmit queue a port and one completion queue for each core, by
 * polling or interrupt.
 *
 * Buffers belong to a core and go round: posted to the receive ring, handed to the caller in a completion, then either
 * sent (and free again when their transmit completion comes) or given back. There are more of them than the receive ring
 * holds, so that it stays full while others wait for transmission. No queue can overflow: a transmit ring holds all
 * buffers, and the completion queue all that can be posted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "net/queues/nic_descriptors.h"

enum {
  NIC_LOG2_RECEIVE = 10, /* of a core, as all that follow */
  NIC_RECEIVE = 1 << NIC_LOG2_RECEIVE,
  NIC_LOG2_BUFFERS = 11,
  NIC_BUFFERS = 1 << NIC_LOG2_BUFFERS,
  NIC_BUFFER_OCTETS = 9728, /* a jumbo frame of 9500 octets of IP fits */
  NIC_HEADROOM = 2,         /* puts the IP header of an untagged frame on a multiple of 16 */
  NIC_MAX_PORTS = 4,
  NIC_MAX_CORES = 16
};

typedef struct {
  unsigned core;
  NicRxDescriptor* receive_ring;
  NicTxDescriptor* transmit_ring[NIC_MAX_PORTS];
  NicCompletion* completion_ring;
  uint8_t (*buffers)[NIC_BUFFER_OCTETS];
  uint32_t free[NIC_BUFFERS];          /* stack of buffers that nobody has */
  unsigned free_count;
  uint16_t receive_tail, receive_rung; /* producer counters: posted, and told to the NIC */
  uint16_t receive_head;               /* completed */
  uint16_t transmit_tail[NIC_MAX_PORTS], transmit_rung[NIC_MAX_PORTS];
  uint16_t completion_head, completion_told;
  volatile uint32_t events; /* interrupts taken */
  uint64_t transmit_errors;
} NicQueue;

/* A received frame. */
typedef struct {
  uint8_t* data;
  uint32_t length;
  uint32_t buffer; /* for nic_send or nic_release */
  uint64_t timestamp;
  uint16_t flags;
  uint8_t status, port;
} NicFrame;

/* Looks for the NIC and resets it. Returns its number of ports, or 0 when there is none. */
unsigned nic_init(void);
/* Returns the number of cores that the NIC has queues for. */
unsigned nic_max_cores(void);
/* Makes the queues of core `core` and fills its receive ring. Returns NULL when the NIC refuses, after a message. */
NicQueue* nic_open(unsigned core);
/* Installs the interrupt of the calling core's queue. */
void nic_enable_interrupt(NicQueue* queue);
/* Lets frames in on all ports; with more than one core they are spread by a hash of addresses and ports. */
void nic_start(unsigned cores);

/* Takes the next received frame; transmit completions on the way give their buffers back. Returns false when there is
 * none. */
bool nic_receive(NicQueue* queue, NicFrame* frame);
/* Sends `length` octets of a received frame's buffer by a port, and keeps the NIC measuring the frame's time through
 * the card. */
void nic_send(NicQueue* queue, unsigned port, const NicFrame* frame, uint32_t length);
/* Gives a received frame's buffer back. */
void nic_release(NicQueue* queue, const NicFrame* frame);
/* Tells the NIC of everything posted since the last call: one write a ring. */
void nic_flush(NicQueue* queue);
/* Asks for one interrupt at the next completion (at once, if there is one already). */
void nic_arm(NicQueue* queue);

/* Returns the NIC's own count of frames that it dropped on a port. */
uint64_t nic_port_dropped(unsigned port);
