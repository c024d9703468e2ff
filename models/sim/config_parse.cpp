// JSON text to values, over nlohmann's lexer, with what its own parser lacks: duplicate keys and places of errors.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "sim/config_json.h"
#include "sim/error.h"

namespace dpusim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kDeepest = 64;

// Tells how far the lexer has read, which its events do not.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  CountingIterator(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

// Builds the value from the parser's events.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, std::string name) : text_(text), name_(std::move(name)), read_(text.data()) {}
  const char** furthest() { return &read_; }
  Json take() { return std::move(root_); }

  bool null() override { return put(nullptr), true; }
  bool boolean(bool value) override { return put(value), true; }
  bool number_integer(number_integer_t value) override { return put(value), true; }
  bool number_unsigned(number_unsigned_t value) override { return put(value), true; }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return put(value), true; }
  bool string(string_t& value) override { return put(std::move(value)), true; }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*elements*/) override { return open(Json::object()), true; }
  bool start_array(std::size_t /*elements*/) override { return open(Json::array()), true; }
  bool end_object() override { return open_.pop_back(), true; }
  bool end_array() override { return open_.pop_back(), true; }

  bool key(string_t& value) override {
    if (open_.back()->contains(value)) {
      throw ConfigError(place(string_start(static_cast<std::size_t>(read_ - text_.data()))),
                        fmt::format("key \"{}\" a second time in the same object", value), "each key once");
    }
    key_ = std::move(value);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    std::string found = error.what();
    std::string expected = "JSON";
    std::size_t at = std::min(position, text_.size());  // behind what was read last
    if (const std::size_t number = found.find("number overflow parsing "); number != std::string::npos) {
      throw ConfigError(place(word_start(at)), found.substr(number + 24), "a number that fits in a double");
    }
    const std::size_t context_start = found.find("syntax error while parsing ");
    if (const std::size_t detail = found.find(" - ");
        detail != std::string::npos && context_start != std::string::npos) {
      const std::string context = found.substr(context_start + 27, detail - context_start - 27);
      expected = context == "object key" ? "a key in double quotes" : fmt::format("a valid {}", context);
      found.erase(0, detail + 3);
    }
    if (const std::size_t wanted = found.find("; expected "); wanted != std::string::npos) {
      expected = found.substr(wanted + 11);
      found.erase(wanted);
    }
    if (found.starts_with("unexpected ")) found.erase(0, 11);
    if (found == "end of input") {
      found = "the end of the text";
      at = text_.size();
    } else if (found == "string literal") {
      at = string_start(at);
    } else if (found.ends_with(" literal")) {
      at = word_start(at);
    } else if (found.starts_with("invalid literal")) {
      at = word_start(at);
      found = fmt::format("invalid literal '{}'", word(at));
    } else if (at > 0) {
      --at;
    }
    if (expected == "end of input") expected = "the end of the text";
    if (expected == "string literal") expected = "a key in double quotes";
    if (expected == "'[', '{', or a literal")
      expected = "a value: an object, a list, a string, a number, true, false or null";
    throw ConfigError(place(at), found, expected);
  }

 private:
  // Adds a value to the innermost open list or object, and returns where it is.
  Json* put(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }
  void open(Json value) {
    if (open_.size() == kDeepest) {
      throw ConfigError(place(static_cast<std::size_t>(read_ - text_.data()) - 1), "nesting deeper than 64 levels",
                        "less");
    }
    open_.push_back(put(std::move(value)));
  }
  // Returns where the string starts whose closing quote stands before `end`.
  [[nodiscard]] std::size_t string_start(std::size_t end) const {
    std::size_t at = end - 1;
    while (at > 0) {
      --at;
      if (text_[at] != '"') continue;
      std::size_t escapes = 0;
      while (escapes < at && text_[at - 1 - escapes] == '\\') ++escapes;
      if (escapes % 2 == 0) break;
    }
    return at;
  }
  static bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '+' || c == '-' || c == '.';
  }
  // Returns where the word or number starts that ends at `end`, or one character before it, where the lexer saw that it
  // ends.
  [[nodiscard]] std::size_t word_start(std::size_t end) const {
    std::size_t at = end > 0 ? end - 1 : 0;
    while (at > 0 && in_word(text_[at - 1])) --at;
    return at;
  }
  // Returns the word at `start`, or the one character when it is no word.
  [[nodiscard]] std::string_view word(std::size_t start) const {
    std::size_t length = 0;
    while (start + length < text_.size() && in_word(text_[start + length])) ++length;
    return text_.substr(start, std::max<std::size_t>(length, 1));
  }
  [[nodiscard]] std::string place(std::size_t offset) const {
    const std::string_view before = text_.substr(0, offset);
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t newline = before.rfind('\n');
    const std::size_t column = newline == std::string_view::npos ? offset + 1 : offset - newline;
    return fmt::format("{}:{}:{}", name_, line, column);
  }

  std::string_view text_;
  std::string name_;
  const char* read_;
  Json root_;
  std::string key_;
  std::vector<Json*> open_;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& name) {
  Builder builder(text, name);
  const CountingIterator begin(text.data(), builder.furthest());
  const CountingIterator end(text.data() + text.size(), builder.furthest());
  Json::sax_parse(begin, end, &builder, Json::input_format_t::json, true, true);
  return builder.take();
}

}  // namespace dpusim
