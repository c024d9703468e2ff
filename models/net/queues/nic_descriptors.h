/* Software interface of the NIC's queues in memory: descriptors and completions. Plain C11 and C++, included by models,
 * firmware and hosts alike. All fields are little-endian. Registers are in nic.regs.json.
 *
 * Rings: a ring has 2^LOG2 entries (LOG2 0..15) at a base address. Producer and consumer counters run freely modulo
 * 2^16; counter c means entry c mod 2^LOG2; (producer - consumer) mod 2^16 entries are in use, at most 2^LOG2. receive:
 * software posts NicRxDescriptor, then writes the producer counter to RXQ_TAIL(q) transmit:   software posts
 * NicTxDescriptor, then writes the producer counter to TXQ_TAIL(q) completion: the NIC writes NicCompletion; software
 * consumes and writes its consumer counter to CQ_HEAD(c), or to CQ_ARM(c) to ask for one interrupt when there is an
 * entry beyond that counter. A completion is written with one memory write. Entry c is new when its phase bit is ((c >>
 * LOG2) & 1) ^ 1: 1 in the first round, 0 in the second, and so on; software clears the ring's memory before it enables
 * the queue. */
#ifndef DPUSIM_NET_QUEUES_NIC_DESCRIPTORS_H_
#define DPUSIM_NET_QUEUES_NIC_DESCRIPTORS_H_

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
#else
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#endif

/* One empty receive buffer. A frame takes one descriptor; buffers are not chained. */
typedef struct NicRxDescriptor {
  uint64_t address; /* of the buffer; any alignment */
  uint32_t length;  /* octets of the buffer, 1..65535 */
  uint32_t cookie;  /* software's own, returned in the completion */
} NicRxDescriptor;

/* One frame to send, from destination address to end of payload; the port adds padding and FCS. */
typedef struct NicTxDescriptor {
  uint64_t address;   /* of the frame; any alignment */
  uint32_t length;    /* octets, 14..MAX_FRAME */
  uint32_t cookie;    /* software's own, returned in the completion */
  uint32_t flags;     /* NIC_TX_*, others 0 */
  uint32_t reserved;  /* 0 */
  uint64_t timestamp; /* 0, or the received frame's NicCompletion.timestamp: the NIC then measures its time through the
                         card */
} NicTxDescriptor;

enum {
  NIC_TX_COMPLETION = 1u << 0,    /* write a completion when the first bit leaves the port (always on error) */
  NIC_TX_IPV4_CHECKSUM = 1u << 1, /* insert the IPv4 header checksum; no effect on other frames */
  NIC_TX_L4_CHECKSUM = 1u << 2,   /* insert the TCP or UDP checksum; no effect on other frames and IP fragments */
  NIC_TX_FLAGS = 7u               /* all that exist */
};

/* What the NIC tells about one descriptor. */
typedef struct NicCompletion {
  uint64_t timestamp;  /* ps, clock of register TIME. receive: first bit of preamble on the wire in; transmit: on the
                          wire out */
  uint32_t cookie;     /* of the descriptor */
  uint32_t length;     /* octets of the frame without FCS; may exceed the buffer with NIC_STATUS_BUFFER_SHORT */
  uint32_t rss_hash;   /* Toeplitz hash; 0 unless NIC_RX_HASH_VALID */
  uint16_t index;      /* free-running counter of the descriptor in its ring */
  uint16_t queue;      /* number of the receive or transmit queue */
  uint16_t flags;      /* NIC_RX_* */
  uint8_t status;      /* NIC_STATUS_* */
  uint8_t kind;        /* NIC_KIND_* */
  uint8_t port;        /* number of the port of the frame */
  uint8_t packet_type; /* NIC_PACKET_* of a received frame */
  uint8_t reserved;
  uint8_t phase; /* bit 0: phase; others 0 */
} NicCompletion;

enum { NIC_KIND_RECEIVE = 1, NIC_KIND_TRANSMIT = 2 };

/* NicCompletion.flags of a received frame. */
enum {
  NIC_RX_HASH_VALID = 1u << 0,        /* rss_hash was computed */
  NIC_RX_HASH_L4 = 1u << 1,           /* over ports too, not addresses only */
  NIC_RX_IPV4_CHECKSUM_OK = 1u << 2,  /* IPv4 header whose checksum is right */
  NIC_RX_IPV4_CHECKSUM_BAD = 1u << 3, /* IPv4 header whose checksum is wrong */
  NIC_RX_L4_CHECKSUM_OK = 1u << 4, /* TCP or UDP checksum right (a UDP checksum of 0 over IPv4 is none: neither flag) */
  NIC_RX_L4_CHECKSUM_BAD = 1u << 5, /* TCP or UDP checksum wrong */
  NIC_RX_VLAN = 1u << 6,            /* has one or two VLAN tags (left in the frame) */
  NIC_RX_FRAGMENT = 1u << 7         /* IP fragment: no L4 checksum and no port in the hash */
};

/* NicCompletion.packet_type: bits 1:0 network, bits 3:2 transport. */
enum {
  NIC_PACKET_OTHER = 0,
  NIC_PACKET_IPV4 = 1,
  NIC_PACKET_IPV6 = 2,
  NIC_PACKET_TCP = 1 << 2,
  NIC_PACKET_UDP = 2 << 2
};

/* NicCompletion.status, and REASON in RXQ_STATUS, TXQ_STATUS and CQ_STATUS. */
enum {
  NIC_STATUS_OK = 0,
  NIC_STATUS_BUFFER_SHORT = 1, /* receive: the buffer's octets were written, the rest is lost; the queue goes on */
  NIC_STATUS_BAD_LENGTH =
      2, /* descriptor's length is 0 or out of range; a transmit frame is skipped, the queue goes on */
  NIC_STATUS_BAD_FLAGS = 3, /* transmit descriptor with unknown flags or reserved not 0; skipped, the queue goes on */
  NIC_STATUS_DATA_BUS_ERROR = 4,       /* memory answered the data access with an error; the queue goes on */
  NIC_STATUS_DESCRIPTOR_BUS_ERROR = 5, /* memory answered the descriptor fetch with an error; the queue is in error */
  NIC_STATUS_COMPLETION_BUS_ERROR =
      6, /* memory answered the completion write with an error; the completion queue is in error */
  NIC_STATUS_BAD_DOORBELL =
      7, /* producer counter more than the ring's size ahead of the consumer; the queue is in error */
  NIC_STATUS_BAD_CONFIGURATION =
      8,                  /* enabled with a number, size, alignment, port or completion queue that does not exist */
  NIC_STATUS_CQ_ERROR = 9 /* the queue's completion queue is off or in error; the queue is in error */
};

/* STATE in RXQ_STATUS, TXQ_STATUS and CQ_STATUS. */
enum { NIC_STATE_OFF = 0, NIC_STATE_READY = 1, NIC_STATE_ERROR = 2 };

#ifdef __cplusplus
#define NIC_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define NIC_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif
NIC_STATIC_ASSERT(sizeof(NicRxDescriptor) == 16, "layout");
NIC_STATIC_ASSERT(sizeof(NicTxDescriptor) == 32, "layout");
NIC_STATIC_ASSERT(offsetof(NicTxDescriptor, flags) == 16, "layout");
NIC_STATIC_ASSERT(offsetof(NicTxDescriptor, timestamp) == 24, "layout");
NIC_STATIC_ASSERT(sizeof(NicCompletion) == 32, "layout");
NIC_STATIC_ASSERT(offsetof(NicCompletion, index) == 20, "layout");
NIC_STATIC_ASSERT(offsetof(NicCompletion, status) == 26, "layout");
NIC_STATIC_ASSERT(offsetof(NicCompletion, phase) == 31, "layout");

#endif
