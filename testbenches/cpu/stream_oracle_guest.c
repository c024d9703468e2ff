// Runs programs of A64 instructions on given register states under a reference implementation (qemu-aarch64) and writes the states
// that come out. Freestanding: reads stdin, writes stdout, no C library.
// Code and data stand at the addresses that the model uses, so that pointers and return addresses are equal.
// Input: u32 programs; each: u32 n, n words, u64 x[31], u64 nzcv, 64 KiB of memory. Output: x, nzcv, memory of each.
typedef unsigned int u32;
typedef unsigned long u64;

#define CODE 0x40000000ul
#define DATA 0x40100000ul
#define DATA_SIZE 0x10000ul

static long system_call(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}

static void read_all(void *to, u64 n) {
  char *p = to;
  while (n) {
    long got = system_call(63, 0, (long)p, (long)n, 0, 0, 0);
    if (got <= 0) system_call(94, 2, 0, 0, 0, 0, 0);
    p += got;
    n -= (u64)got;
  }
}

static void write_all(const void *from, u64 n) {
  const char *p = from;
  while (n) {
    long put = system_call(64, 1, (long)p, (long)n, 0, 0, 0);
    if (put <= 0) system_call(94, 3, 0, 0, 0, 0, 0);
    p += put;
    n -= (u64)put;
  }
}

// run(state): loads x0..x28, x30 and NZCV, calls the code with the way back in x29, stores them.
void run(u64 *state, u64 code);
__asm__(
    ".text\n.global run\nrun:\n"
    "stp x29, x30, [sp, #-112]!\nstp x19, x20, [sp, #16]\nstp x21, x22, [sp, #32]\nstp x23, x24, [sp, #48]\n"
    "stp x25, x26, [sp, #64]\nstp x27, x28, [sp, #80]\nstr x0, [sp, #96]\nstr x1, [sp, #104]\n"
    "mov x29, x0\nldr x0, [x29, #248]\nmsr nzcv, x0\n"
    "ldp x0, x1, [x29, #0]\nldp x2, x3, [x29, #16]\nldp x4, x5, [x29, #32]\nldp x6, x7, [x29, #48]\nldp x8, x9, [x29, #64]\n"
    "ldp x10, x11, [x29, #80]\nldp x12, x13, [x29, #96]\nldp x14, x15, [x29, #112]\nldp x16, x17, [x29, #128]\n"
    "ldp x18, x19, [x29, #144]\nldp x20, x21, [x29, #160]\nldp x22, x23, [x29, #176]\nldp x24, x25, [x29, #192]\n"
    "ldp x26, x27, [x29, #208]\nldr x28, [x29, #224]\n"
    "ldr x29, [sp, #104]\nblr x29\n"
    // The program ends by `br x29` with x29 set by its first instruction to x30; x30 is the program's own then.
    "ldr x29, [sp, #96]\n"
    "stp x0, x1, [x29, #0]\nstp x2, x3, [x29, #16]\nstp x4, x5, [x29, #32]\nstp x6, x7, [x29, #48]\nstp x8, x9, [x29, #64]\n"
    "stp x10, x11, [x29, #80]\nstp x12, x13, [x29, #96]\nstp x14, x15, [x29, #112]\nstp x16, x17, [x29, #128]\n"
    "stp x18, x19, [x29, #144]\nstp x20, x21, [x29, #160]\nstp x22, x23, [x29, #176]\nstp x24, x25, [x29, #192]\n"
    "stp x26, x27, [x29, #208]\nstr x28, [x29, #224]\nstr x30, [x29, #240]\nmrs x0, nzcv\nstr x0, [x29, #248]\n"
    "ldp x27, x28, [sp, #80]\nldp x25, x26, [sp, #64]\nldp x23, x24, [sp, #48]\nldp x21, x22, [sp, #32]\n"
    "ldp x19, x20, [sp, #16]\nldp x29, x30, [sp], #112\nret\n");

static u64 state[32];

void _start(void) {
  // PROT_READ|WRITE|EXEC, MAP_PRIVATE|MAP_ANONYMOUS|MAP_FIXED
  if (system_call(222, CODE, 0x200000, 7, 0x32, -1, 0) != (long)CODE) system_call(94, 4, 0, 0, 0, 0, 0);
  u32 programs, n;
  read_all(&programs, 4);
  for (u32 p = 0; p < programs; ++p) {
    read_all(&n, 4);
    read_all((void *)CODE, n * 4ul);
    read_all(state, sizeof state);
    read_all((void *)DATA, DATA_SIZE);
    for (u64 a = CODE; a < CODE + n * 4ul; a += 64) __asm__ volatile("dc cvau, %0\ndsb ish\nic ivau, %0" ::"r"(a) : "memory");
    __asm__ volatile("dsb ish\nisb" ::: "memory");
    run(state, CODE);
    write_all(state, sizeof state);
    write_all((const void *)DATA, DATA_SIZE);
  }
  system_call(94, 0, 0, 0, 0, 0, 0);
}
