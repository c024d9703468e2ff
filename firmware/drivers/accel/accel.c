#include "drivers/accel/accel.h"

#include <stdio.h>
#include <string.h>

#include "hal/cpu.h"
#include "hal/gic.h"
#include "regs/accel_regs.h"

/* What the opcode of a ring entry holds while no job is there. */
enum { ENTRY_FREE = 0xff };

static uint32_t get(const AccelDevice* device, uint32_t offset) { return mmio_read32(device->base + offset); }
static void set(const AccelDevice* device, uint32_t offset, uint32_t value) {
  mmio_write32(device->base + offset, value);
}

bool accel_probe(AccelDevice* device, uintptr_t base, unsigned first_interrupt) {
  device->base = base;
  device->first_interrupt = first_interrupt;
  if (get(device, ACCEL_ID) >> 8 != 0x414343) return false; /* "ACC" */
  set(device, ACCEL_CONTROL, ACCEL_CONTROL_RESET_MASK);
  const uint32_t capability = get(device, ACCEL_CAPABILITY);
  const unsigned submission = (capability & ACCEL_CAPABILITY_QUEUES_MASK) >> ACCEL_CAPABILITY_QUEUES_SHIFT;
  const unsigned completion =
      (capability & ACCEL_CAPABILITY_COMPLETION_QUEUES_MASK) >> ACCEL_CAPABILITY_COMPLETION_QUEUES_SHIFT;
  device->type = (capability & ACCEL_CAPABILITY_TYPE_MASK) >> ACCEL_CAPABILITY_TYPE_SHIFT;
  device->queues = submission < completion ? submission : completion;
  device->engines = (capability & ACCEL_CAPABILITY_ENGINES_MASK) >> ACCEL_CAPABILITY_ENGINES_SHIFT;
  device->key_slots = (get(device, ACCEL_KEY_STATUS) & ACCEL_KEY_STATUS_SLOTS_MASK) >> ACCEL_KEY_STATUS_SLOTS_SHIFT;
  set(device, ACCEL_CONTROL, ACCEL_CONTROL_ENABLE_MASK);
  return true;
}

/* ---- queues ---- */

static bool check(const AccelDevice* device, unsigned number, const char* what, uint32_t status) {
  const unsigned state = (status & ACCEL_SQ_STATUS_STATE_MASK) >> ACCEL_SQ_STATUS_STATE_SHIFT;
  if (state == ACCEL_STATE_READY) return true;
  const unsigned reason = (status & ACCEL_SQ_STATUS_REASON_MASK) >> ACCEL_SQ_STATUS_REASON_SHIFT;
  printf("accel: %s queue %u of %s is not ready: state %u, %s\n", what, number, accel_type_name(device->type), state,
         accel_status_name(reason));
  return false;
}

bool accel_open(AccelQueue* queue, const AccelDevice* device, unsigned number, void* memory, unsigned log2) {
  memset(queue, 0, sizeof *queue);
  queue->device = device;
  queue->number = number;
  queue->log2 = log2;
  queue->jobs = memory;
  if (number >= device->queues || log2 > ACCEL_MAX_LOG2 || (uintptr_t)memory % 64 != 0) {
    printf(
        "accel: queue %u of %s: found 2^%u jobs at %p, expected queues 0 to %u, at most 2^%u jobs at a multiple of "
        "64\n",
        number, accel_type_name(device->type), log2, memory, device->queues - 1, ACCEL_MAX_LOG2);
    return false;
  }
  const unsigned jobs = 1u << log2;
  AccelCompletion* const completions = (AccelCompletion*)(queue->jobs + jobs);
  queue->completions = completions;
  for (unsigned i = 0; i < jobs; ++i) queue->jobs[i].opcode = ENTRY_FREE;
  memset(completions, 0, 2 * jobs * sizeof *completions);
  dma_write_barrier();
  mmio_write64(device->base + ACCEL_CQ_BASE(number), (uintptr_t)completions);
  set(device, ACCEL_CQ_CONFIG(number), 0);
  set(device, ACCEL_CQ_CONFIG(number), (log2 + 1) << ACCEL_CQ_CONFIG_LOG2_SHIFT | ACCEL_CQ_CONFIG_ENABLE_MASK);
  if (!check(device, number, "completion", get(device, ACCEL_CQ_STATUS(number)))) return false;
  mmio_write64(device->base + ACCEL_SQ_BASE(number), (uintptr_t)queue->jobs);
  set(device, ACCEL_SQ_CONFIG(number), 0);
  set(device, ACCEL_SQ_CONFIG(number),
      log2 << ACCEL_SQ_CONFIG_LOG2_SHIFT | number << ACCEL_SQ_CONFIG_CQ_SHIFT | ACCEL_SQ_CONFIG_ENABLE_MASK);
  return check(device, number, "submission", get(device, ACCEL_SQ_STATUS(number)));
}

void accel_close(AccelQueue* queue) {
  const AccelDevice* const device = queue->device;
  set(device, ACCEL_SQ_CONFIG(queue->number), 0);
  /* Whatever engines hold may still write, and other queues keep engines busy: each job that this queue has had
   * dispatched and not completed is waited for by its counters. */
  const uint32_t dispatched = get(device, ACCEL_SQ_HEAD(queue->number));
  while ((uint16_t)(dispatched - get(device, ACCEL_CQ_TAIL(queue->number))) != 0) {
  }
  set(device, ACCEL_CQ_CONFIG(queue->number), 0);
}

AccelJob* accel_next(AccelQueue* queue) {
  AccelJob* const job = &queue->jobs[queue->tail & ((1u << queue->log2) - 1)];
  if (job->opcode != ENTRY_FREE && !queue->taken) return NULL;
  queue->taken = true;
  *job = (AccelJob){0}; /* a few stores, where memset is a call */
  return job;
}

void accel_flush(AccelQueue* queue) {
  if (queue->tail_told != queue->tail) {
    queue->tail_told = queue->tail;
    dma_write_barrier(); /* jobs and what they read, before the doorbell */
    set(queue->device, ACCEL_SQ_TAIL(queue->number), queue->tail);
  }
  /* The completion ring holds twice the jobs that can be under way, so that the accelerator needs to hear of this only
   * now and then. */
  if ((uint16_t)(queue->head - queue->head_told) >> queue->log2 != 0) {
    queue->head_told = queue->head;
    set(queue->device, ACCEL_CQ_HEAD(queue->number), queue->head);
  }
}

bool accel_poll(AccelQueue* queue, AccelCompletion* completion) {
  const unsigned log2 = queue->log2 + 1;
  const AccelCompletion* const entry = &queue->completions[queue->head & ((1u << log2) - 1)];
  const unsigned phase = *(const volatile uint8_t*)&entry->phase & 1u;
  if (phase != ((queue->head >> log2 & 1u) ^ 1u)) return false;
  dma_read_barrier(); /* the rest of the entry, and the result, are read after its phase */
  *completion = *entry;
  ++queue->head;
  queue->jobs[completion->index & ((1u << queue->log2) - 1)].opcode = ENTRY_FREE;
  return true;
}

/* ---- waiting ---- */

static void on_interrupt(unsigned intid, void* argument) {
  (void)intid;
  AccelQueue* const queue = argument;
  set(queue->device, ACCEL_INTERRUPT_STATUS, 1u << queue->number);
  (void)get(queue->device, ACCEL_INTERRUPT_STATUS); /* the line has fallen before the interrupt ends */
  ++queue->events;
}

void accel_enable_interrupt(AccelQueue* queue) {
  irq_register(queue->device->first_interrupt + queue->number, false, core_number(), on_interrupt, queue);
  set(queue->device, ACCEL_INTERRUPT_ENABLE, get(queue->device, ACCEL_INTERRUPT_ENABLE) | 1u << queue->number);
}

void accel_arm(AccelQueue* queue) {
  queue->head_told = queue->head;
  set(queue->device, ACCEL_CQ_ARM(queue->number), queue->head);
}

void accel_moderate(AccelQueue* queue, unsigned count, unsigned time) {
  set(queue->device, ACCEL_CQ_MODERATION(queue->number),
      count << ACCEL_CQ_MODERATION_COUNT_SHIFT | time << ACCEL_CQ_MODERATION_TIME_SHIFT);
}

void accel_wait(AccelQueue* queue) {
  const uint32_t events = queue->events; /* before arming: the interrupt may come at once */
  accel_arm(queue);
  for (;;) {
    const uint64_t daif = irq_save();
    /* An interrupt that comes between this test and WFI stays pending and ends it. */
    const bool came = queue->events != events;
    if (!came) wait_for_interrupt();
    irq_restore(daif);
    if (came) return;
  }
}

unsigned accel_run(AccelQueue* queue, const AccelJob* job, AccelCompletion* completion) {
  AccelJob* const entry = accel_next(queue);
  if (entry == NULL) return ACCEL_STATUS_BAD_DOORBELL;
  *entry = *job;
  accel_post(queue);
  accel_flush(queue);
  while (!accel_poll(queue, completion)) accel_wait(queue);
  return completion->status;
}

/* ---- keys ---- */

static unsigned command(const AccelDevice* device, unsigned slot, uint32_t value) {
  set(device, ACCEL_KEY_INDEX, slot);
  set(device, ACCEL_KEY_COMMAND, value);
  return (get(device, ACCEL_KEY_STATUS) & ACCEL_KEY_STATUS_RESULT_MASK) >> ACCEL_KEY_STATUS_RESULT_SHIFT;
}

unsigned accel_load_key(const AccelDevice* device, unsigned slot, unsigned type, const void* key, unsigned length) {
  /* For types of a fixed length the accelerator does not ask. */
  static const uint8_t lengths[] = {[ACCEL_KEY_AES_128] = 16,
                                    [ACCEL_KEY_AES_256] = 32,
                                    [ACCEL_KEY_XTS_128] = 32,
                                    [ACCEL_KEY_XTS_256] = 64,
                                    [ACCEL_KEY_HMAC] = 0};
  if (length < 1 || length > ACCEL_KEY_OCTETS) return ACCEL_STATUS_BAD_LENGTH;
  if (type < sizeof lengths && lengths[type] != 0 && lengths[type] != length) return ACCEL_STATUS_BAD_LENGTH;
  uint8_t octets[ACCEL_KEY_OCTETS] = {0};
  memcpy(octets, key, length);
  for (unsigned i = 0; i < ACCEL_KEY_OCTETS / 4; ++i) {
    uint32_t word;
    memcpy(&word, octets + 4 * i, 4);
    set(device, ACCEL_KEY_DATA(i), word);
  }
  return command(
      device, slot,
      ACCEL_KEY_COMMAND_LOAD | type << ACCEL_KEY_COMMAND_TYPE_SHIFT | length << ACCEL_KEY_COMMAND_LENGTH_SHIFT);
}

unsigned accel_clear_key(const AccelDevice* device, unsigned slot) {
  return command(device, slot, ACCEL_KEY_COMMAND_CLEAR);
}

/* ---- segments ---- */

static uint32_t sum(const AccelSegment* list, unsigned count) {
  uint32_t octets = 0;
  for (unsigned i = 0; i < count; ++i) octets += list[i].length;
  return octets;
}

void accel_source_list(AccelJob* job, const AccelSegment* list, unsigned count) {
  job->source = (uintptr_t)list;
  job->source_length = sum(list, count);
  job->source_segments = (uint16_t)count;
}

void accel_destination_list(AccelJob* job, const AccelSegment* list, unsigned count) {
  job->destination = (uintptr_t)list;
  job->destination_length = sum(list, count);
  job->destination_segments = (uint16_t)count;
}

void accel_cut(AccelSegment* list, unsigned count, const void* data, uint32_t length) {
  uintptr_t at = (uintptr_t)data;
  for (unsigned i = 0; i < count; ++i) {
    list[i].address = at;
    list[i].length = length / count + (i < length % count ? 1 : 0);
    list[i].reserved = 0;
    at += list[i].length;
  }
}
