#include "images/common/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal/semihosting.h"

void options_complain(Options* options, const char* key, const char* value, const char* expected) {
  if (!options->failed) printf("%s: found %s=%s, expected %s\n", options->image, key, value, expected);
  options->failed = true;
}

void options_read(Options* options, const char* image) {
  memset(options, 0, sizeof *options);
  options->image = image;
  if (semihosting_command_line(options->line, sizeof options->line) != 0) return;
  char* rest = options->line;
  for (char* word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
    char* const equals = strchr(word, '=');
    if (equals == NULL || equals == word || options->count == OPTIONS_MAX) {
      if (!options->failed) printf("%s: found \"%s\", expected at most %d words KEY=VALUE\n", image, word, OPTIONS_MAX);
      options->failed = true;
      return;
    }
    *equals = '\0';
    for (unsigned i = 0; i < options->count; ++i) {
      if (strcmp(options->item[i].key, word) == 0) options_complain(options, word, equals + 1, "each key once");
    }
    options->item[options->count].key = word;
    options->item[options->count].value = equals + 1;
    ++options->count;
  }
}

const char* options_text(Options* options, const char* key, const char* otherwise) {
  for (unsigned i = 0; i < options->count; ++i) {
    if (strcmp(options->item[i].key, key) != 0) continue;
    options->item[i].known = true;
    if (options->item[i].value[0] == '\0') options_complain(options, key, "", "a value");
    return options->item[i].value;
  }
  return otherwise;
}

/* Returns whether `text` is a number and nothing else. */
static bool parse(const char* text, uint64_t* value) {
  static const struct {
    const char* name;
    unsigned shift;
  } units[] = {{"", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
  if (text[0] < '0' || text[0] > '9' || strlen(text) > 20) return false;
  char* end;
  const bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  *value = strtoull(text, &end, hexadecimal ? 16 : 10);
  for (unsigned i = 0; i < sizeof units / sizeof units[0]; ++i) {
    if (strcmp(end, units[i].name) != 0) continue;
    if (*value > UINT64_MAX >> units[i].shift) return false;
    *value <<= units[i].shift;
    return true;
  }
  return false;
}

uint64_t options_number(Options* options, const char* key, uint64_t otherwise, uint64_t least, uint64_t most) {
  const char* const text = options_text(options, key, NULL);
  if (text == NULL) return otherwise;
  uint64_t value;
  if (parse(text, &value) && value >= least && value <= most) return value;
  char expected[80];
  snprintf(expected, sizeof expected, "a whole number from %" PRIu64 " to %" PRIu64, least, most);
  options_complain(options, key, text, expected);
  return otherwise;
}

unsigned options_choice(Options* options, const char* key, const char* const* names, unsigned count,
                        unsigned otherwise) {
  const char* const text = options_text(options, key, NULL);
  if (text == NULL) return otherwise;
  for (unsigned i = 0; i < count; ++i) {
    if (strcmp(text, names[i]) == 0) return i;
  }
  char expected[512];
  size_t length = 0;
  for (unsigned i = 0; i < count && length + 32 < sizeof expected; ++i) {
    const char* const separator = i == 0 ? "" : i + 1 == count ? " or " : ", ";
    length += (size_t)snprintf(expected + length, sizeof expected - length, "%s%s", separator, names[i]);
  }
  options_complain(options, key, text, expected);
  return otherwise;
}

bool options_done(Options* options) {
  for (unsigned i = 0; i < options->count && !options->failed; ++i) {
    if (options->item[i].known) continue;
    printf("%s: found %s=%s, but there is no such key\n", options->image, options->item[i].key, options->item[i].value);
    options->failed = true;
  }
  return !options->failed;
}
