// A mix of integer work: sorting, a sieve, a table-driven CRC, a linked list. Freestanding.
typedef unsigned int u32;
typedef unsigned long u64;

static u32 numbers[2048], table[256];
static unsigned char composite[8192];
struct node {
  struct node *next;
  u64 value;
};
static struct node nodes[512];

static void sort(u32 *a, int low, int high) {
  while (low < high) {
    u32 pivot = a[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
      while (a[i] < pivot) ++i;
      while (a[j] > pivot) --j;
      if (i <= j) {
        u32 t = a[i];
        a[i++] = a[j];
        a[j--] = t;
      }
    }
    sort(a, low, j);
    low = i;
  }
}

__attribute__((noinline)) static u32 round_of(u32 seed) {
  for (int i = 0; i < 2048; ++i) numbers[i] = seed = seed * 1664525u + 1013904223u;
  sort(numbers, 0, 2047);
  for (int i = 0; i < 8192; ++i) composite[i] = 0;
  for (int i = 2; i < 91; ++i)
    if (!composite[i])
      for (int j = i * i; j < 8192; j += i) composite[j] = 1;
  for (u32 i = 0; i < 256; ++i) {
    u32 r = i;
    for (int bit = 0; bit < 8; ++bit) r = (r >> 1) ^ (r & 1 ? 0xedb88320u : 0);
    table[i] = r;
  }
  u32 crc = ~0u;
  for (int i = 0; i < 2048; ++i) {
    crc = (crc >> 8) ^ table[(crc ^ numbers[i]) & 0xff];
    crc = (crc >> 8) ^ table[(crc ^ composite[i]) & 0xff];
  }
  for (int i = 0; i < 512; ++i) {
    nodes[i].next = &nodes[(i * 77 + 13) & 511];
    nodes[i].value = numbers[i];
  }
  u64 sum = 0;
  struct node *at = nodes;
  for (int i = 0; i < 4096; ++i) {
    sum += at->value;
    at = at->next;
  }
  return crc + (u32)sum;
}

__attribute__((used)) u32 guest_main(u64 rounds) {
  u32 x = 1;
  for (u64 i = 0; i < rounds; ++i) x = round_of(x);
  return x;
}
