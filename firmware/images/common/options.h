/* The command line of an image: "key=value key=value", each key at most once. The first thing that is wrong is printed
 * in one line; later ones are not. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { OPTIONS_LINE = 1024, OPTIONS_MAX = 32 };

typedef struct {
  const char* image; /* for messages */
  char line[OPTIONS_LINE];
  struct {
    const char *key, *value;
    bool known;
  } item[OPTIONS_MAX];
  unsigned count;
  bool failed; /* a message was printed */
} Options;

/* Reads the command line by semihosting; without one there are no options. */
void options_read(Options* options, const char* image);
/* Returns a key's value, or `otherwise` when it was not given. */
const char* options_text(Options* options, const char* key, const char* otherwise);
/* Returns a number of `least` to `most`: decimal or 0x..., with KiB, MiB or GiB behind it if need be. */
uint64_t options_number(Options* options, const char* key, uint64_t otherwise, uint64_t least, uint64_t most);
/* Returns the position of a key's value among `count` names, or that of `otherwise`. */
unsigned options_choice(Options* options, const char* key, const char* const* names, unsigned count,
                        unsigned otherwise);
/* To be called last: complains about keys that nobody asked for. Returns whether all was well. */
bool options_done(Options* options);
/* Complains as the other functions do, after the image's name: "found KEY=VALUE, expected ...". */
void options_complain(Options* options, const char* key, const char* value, const char* expected);
