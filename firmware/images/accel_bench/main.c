/* accel_bench: keeps an accelerator busy and measures it.
 *
 * Command line (all optional): "device=crypto|compress|regex|dma op=NAME size=N jobs=N depth=N queues=N cores=N
 * data=random|text|zero segments=N footprint=N level=N wait=interrupt|poll". Each queue has `depth` jobs under way;
 * data and results go through `footprint` octets of memory in turn. Sizes may have KiB, MiB or GiB behind them. The
 * first and the last results are checked. The exit code is 0 when all jobs went well and the checks hold, else 1. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hal/board.h"
#include "hal/gic.h"
#include "hal/psci.h"
#include "hal/smp.h"
#include "hal/timer.h"
#include "images/accel_bench/bench.h"
#include "images/common/options.h"

/* Slots lie behind the memory that images are linked to. */
extern uint8_t hal_heap_end[];
enum { MAX_SLOTS = 1 << 20 };

static const struct {
  const char* name;
  uintptr_t base;
  unsigned interrupt, type;
} devices[] = {{"crypto", BOARD_CRYPTO, INTID_CRYPTO, ACCEL_TYPE_CRYPTO},
               {"compress", BOARD_COMPRESS, INTID_COMPRESS, ACCEL_TYPE_COMPRESS},
               {"regex", BOARD_REGEX, INTID_REGEX, ACCEL_TYPE_REGEX},
               {"dma", BOARD_DMA, INTID_DMA, ACCEL_TYPE_DMA}};
enum { DEVICES = sizeof devices / sizeof devices[0], MAX_OPERATIONS = 32 };

static Bench bench;
static Worker workers[HAL_MAX_CORES];
static atomic_uint start;

/* ---- set-up ---- */

static uint64_t rounded(uint64_t octets) { return (octets + 63) & ~63ull; }

/* Sets the operation, one of those of the device; copying, for the DMA accelerator, and so on, when none is given. */
static void choose_operation(Options* options, unsigned type) {
  const char* names[MAX_OPERATIONS];
  unsigned numbers[MAX_OPERATIONS], count = 0, first = 0;
  for (unsigned i = 0; i < operation_count && count < MAX_OPERATIONS; ++i) {
    if (operations[i].type != 0 && operations[i].type != type) continue;
    if (operations[i].type != 0 && first == 0) first = count;
    names[count] = operations[i].name;
    numbers[count++] = i;
  }
  bench.operation = &operations[numbers[options_choice(options, "op", names, count, first)]];
}

/* Reads the command line and lays memory out. Returns the device's number, or -1 after a message. */
static int read_options(void) {
  static Options options;
  static const char* const waits[] = {"interrupt", "poll"};
  const char* names[DEVICES];
  for (unsigned i = 0; i < DEVICES; ++i) names[i] = devices[i].name;
  options_read(&options, "accel_bench");
  const unsigned device = options_choice(&options, "device", names, DEVICES, 0);
  choose_operation(&options, devices[device].type);
  bench.size = (uint32_t)options_number(&options, "size", 4096, 1, BENCH_MAX_SIZE);
  bench.jobs = options_number(&options, "jobs", 1000, 1, 1000000000);
  bench.depth = (uint32_t)options_number(&options, "depth", 16, 1, BENCH_MAX_DEPTH);
  bench.cores = (uint32_t)options_number(&options, "cores", 1, 1, gic_core_count());
  bench.queues = (uint32_t)options_number(&options, "queues", bench.cores, bench.cores, ACCEL_MAX_QUEUES);
  bench.segments = (uint32_t)options_number(&options, "segments", 0, 0, ACCEL_MAX_SEGMENTS);
  bench.footprint = options_number(&options, "footprint", 16 << 20, 64, 4ull << 30);
  bench.level = (uint32_t)options_number(&options, "level", 6, 1, 9);
  bench.data = (DataKind)options_choice(&options, "data", data_names, DATA_KINDS, DATA_RANDOM);
  bench.poll = options_choice(&options, "wait", waits, 2, 0) == 1;
  const char* const wrong = bench_lengths(&bench);
  if (wrong != NULL) options_complain(&options, "size", options_text(&options, "size", "4096"), wrong);
  if (bench.jobs < bench.cores) {
    options_complain(&options, "jobs", options_text(&options, "jobs", "1000"), "a job or more for each core");
  }
  return options_done(&options) ? (int)device : -1;
}

/* Decides where everything is. */
static void lay_out(void) {
  bench.memory = (uint8_t*)rounded((uintptr_t)hal_heap_end);
  bench.source_room = rounded(bench.source_length);
  bench.destination_room = rounded(bench.destination_length);
  bench.stride = bench.source_room + bench.destination_room + rounded(2 * bench.segments * sizeof(AccelSegment));
  if (bench.stride == 0) bench.stride = 64;
  const uint64_t least = ((uint64_t)bench.depth * bench.queues / bench.cores + bench.depth) * bench.cores;
  bench.slots = bench.footprint / bench.stride;
  if (bench.slots > MAX_SLOTS) bench.slots = MAX_SLOTS;
  if (bench.slots < least) bench.slots = least;
  bench.slots -= bench.slots % bench.cores;
  uint32_t* free = (uint32_t*)(bench.memory + bench.slots * bench.stride);
  for (unsigned c = 0; c < bench.cores; ++c) {
    Worker* const worker = &workers[c];
    worker->bench = &bench;
    worker->slots = bench.slots / bench.cores;
    worker->first_slot = c * worker->slots;
    worker->first_number = (uint64_t)(c + 1) << 48;
    worker->jobs = bench.jobs / bench.cores + (c < bench.jobs % bench.cores ? 1 : 0);
    worker->free = free;
    for (uint32_t slot = 0; slot < worker->slots; ++slot) *free++ = slot;
    worker->least_ns = UINT32_MAX;
  }
}

/* ---- the run ---- */

static void run_worker(void* argument) { worker_run(argument, &start); }

static void wait_for(const Worker* worker, unsigned state) {
  while (atomic_load_explicit(&worker->state, memory_order_acquire) != state) {
  }
}

/* Returns the ticks from the start of all cores to the end of the last. */
static uint64_t run(void) {
  for (unsigned c = 1; c < bench.cores; ++c) {
    const int status = smp_start(c, run_worker, &workers[c]);
    if (status != PSCI_SUCCESS) {
      printf("accel_bench: core %u does not start: %d\n", c, status);
      return 0;
    }
    wait_for(&workers[c], WORKER_READY);
  }
  const uint64_t before = timer_count();
  atomic_store_explicit(&start, 1, memory_order_release);
  run_worker(&workers[0]);
  for (unsigned c = 1; c < bench.cores; ++c) wait_for(&workers[c], WORKER_DONE);
  return timer_count() - before;
}

/* ---- the report ---- */

/* Prints `value` / `divisor` with three decimals. */
static void print_ratio(const char* before, uint64_t value, uint64_t divisor, const char* after) {
  const __uint128_t thousandths = (__uint128_t)value * 1000 / divisor;
  printf("%s%" PRIu64 ".%03u%s", before, (uint64_t)(thousandths / 1000), (unsigned)(thousandths % 1000), after);
}

static void print_report(uint64_t ticks) {
  uint64_t jobs = 0, in = 0, out = 0, service = 0, sleeps = 0;
  uint32_t least = UINT32_MAX, most = 0;
  for (unsigned c = 0; c < bench.cores; ++c) {
    const Worker* const worker = &workers[c];
    jobs += worker->completed;
    in += worker->octets_in;
    out += worker->octets_out;
    service += worker->service_ns;
    sleeps += worker->sleeps;
    if (worker->least_ns < least) least = worker->least_ns;
    if (worker->most_ns > most) most = worker->most_ns;
  }
  const uint64_t ns = (uint64_t)((__uint128_t)ticks * 1000000000 / timer_frequency());
  if (ns == 0) {
    printf("accel_bench: %" PRIu64 " jobs took no time: functional fidelity has no measurements\n", jobs);
    return;
  }
  printf("accel_bench: %" PRIu64 " jobs in %" PRIu64 " ns, %" PRIu64 " jobs/s\n", jobs, ns,
         (uint64_t)((__uint128_t)jobs * 1000000000 / ns));
  print_ratio("accel_bench: in ", in * 8, ns, " Gb/s, ");
  print_ratio("out ", out * 8, ns, " Gb/s\n");
  printf("accel_bench: service %" PRIu32 " ns least, %" PRIu64 " mean, %" PRIu32 " most; %" PRIu64 " sleeps\n", least,
         service / jobs, most, sleeps);
}

/* Returns whether all jobs went well and each core's last result is right. */
static bool check_results(void) {
  for (unsigned c = 0; c < bench.cores; ++c) {
    Worker* const worker = &workers[c];
    if (worker->error != ACCEL_STATUS_OK) {
      printf("accel_bench: a job of core %u ends with %s\n", c, accel_status_name(worker->error));
      return false;
    }
    /* The first core's own queue: interrupts of the others go to their cores. */
    if (!bench_check(&bench, &workers[0].queue[0], worker->last_slot, worker->last_number, worker->last_produced,
                     worker->last_value)) {
      printf("accel_bench: the last result of core %u is wrong\n", c);
      return false;
    }
  }
  printf("accel_bench: the first and last results are right\n");
  return true;
}

int main(void) {
  const int number = read_options();
  if (number < 0) return 1;
  const char* const name = devices[number].name;
  if (!accel_probe(&bench.device, devices[number].base, devices[number].interrupt) ||
      bench.device.type != devices[number].type) {
    printf("accel_bench: no %s accelerator at 0x%lx\n", name, (unsigned long)devices[number].base);
    return 1;
  }
  if (bench.queues > bench.device.queues) {
    printf("accel_bench: found queues=%u, expected at most %u, which the accelerator has\n", bench.queues,
           bench.device.queues);
    return 1;
  }
  lay_out();
  for (unsigned c = 0; c < bench.cores; ++c) {
    if (!worker_open(&workers[c], c)) return 1;
  }
  AccelQueue* const queue = &workers[0].queue[0];
  accel_enable_interrupt(queue);
  if (!bench_prepare(&bench, queue)) return 1;
  for (unsigned c = 0; c < bench.cores; ++c) workers[c].template = bench_job(&bench, 0);
  printf("accel_bench: device=%s engines=%u op=%s size=%u jobs=%" PRIu64
         " depth=%u queues=%u cores=%u data=%s segments=%u footprint=%" PRIu64 "\n",
         name, bench.device.engines, bench.operation->name, bench.size, bench.jobs, bench.depth, bench.queues,
         bench.cores, data_names[bench.data], bench.segments, bench.slots * bench.stride);
  const uint64_t ticks = run();
  if (workers[0].completed == 0) return 1;
  print_report(ticks);
  return check_results() ? 0 : 1;
}
