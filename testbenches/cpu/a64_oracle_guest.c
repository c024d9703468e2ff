// Runs single A64 instructions on given register states under a reference implementation (qemu-aarch64) and writes the states
// that come out. Freestanding: reads stdin, writes stdout, no C library.
// Input: u32 n, n instruction words, u32 cases, cases of `struct state`. Output: the cases.
typedef unsigned int u32;
typedef unsigned long u64;

struct state {
  u32 word, base, fpcr, fpsr, nzcv, pad[3];
  u64 x[4];
  u64 v[8][2];
  unsigned char memory[128];
};

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

// run(state, code): loads the state, calls the code (one instruction and a return), stores the state.
void run(struct state *s, void *code);
__asm__(
    ".text\n.global run\nrun:\n"
    "stp x29, x30, [sp, #-112]!\nstp x19, x20, [sp, #16]\n"
    "stp d8, d9, [sp, #32]\nstp d10, d11, [sp, #48]\nstp d12, d13, [sp, #64]\nstp d14, d15, [sp, #80]\n"
    "mov x19, x0\nmov x20, x1\n"
    "ldp w0, w1, [x19, #8]\nmsr fpcr, x0\nmsr fpsr, x1\nldr w0, [x19, #16]\nmsr nzcv, x0\n"
    "ldp q0, q1, [x19, #64]\nldp q2, q3, [x19, #96]\nldp q4, q5, [x19, #128]\nldp q6, q7, [x19, #160]\n"
    "ldp x0, x1, [x19, #32]\nldp x2, x3, [x19, #48]\n"
    "blr x20\n"
    "stp x0, x1, [x19, #32]\nstp x2, x3, [x19, #48]\n"
    "stp q0, q1, [x19, #64]\nstp q2, q3, [x19, #96]\nstp q4, q5, [x19, #128]\nstp q6, q7, [x19, #160]\n"
    "mrs x0, fpsr\nstr w0, [x19, #12]\nmrs x0, nzcv\nstr w0, [x19, #16]\nmsr fpcr, xzr\n"
    "ldp d14, d15, [sp, #80]\nldp d12, d13, [sp, #64]\nldp d10, d11, [sp, #48]\nldp d8, d9, [sp, #32]\n"
    "ldp x19, x20, [sp, #16]\nldp x29, x30, [sp], #112\nret\n");

static struct state batch[256];

void _start(void) {
  u32 words;
  read_all(&words, 4);
  // PROT_READ|WRITE|EXEC, MAP_PRIVATE|MAP_ANONYMOUS
  u32 *code = (u32 *)system_call(222, 0, (long)words * 8 + 4096, 7, 0x22, -1, 0);
  for (u32 i = 0; i < words; ++i) {
    read_all(&code[2 * i], 4);
    code[2 * i + 1] = 0xd65f03c0u;  // ret
  }
  __asm__ volatile("dsb ish\nisb" ::: "memory");
  u32 cases;
  read_all(&cases, 4);
  while (cases) {
    u32 n = cases < 256 ? cases : 256;
    read_all(batch, n * sizeof(struct state));
    for (u32 i = 0; i < n; ++i) {
      struct state *s = &batch[i];
      if (s->base < 4) s->x[s->base] += (u64)s->memory;
      run(s, &code[2 * s->word]);
      if (s->base < 4) s->x[s->base] -= (u64)s->memory;
    }
    write_all(batch, n * sizeof(struct state));
    cases -= n;
  }
  system_call(94, 0, 0, 0, 0, 0, 0);
}
