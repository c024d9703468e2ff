// ConfigTable: the rows of a configuration struct, which parse, validate, dump and describe it. Usage: sim/config.h.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/config_range.h"
#include "sim/config_scalar.h"
#include "sim/error.h"

namespace dpusim {

/// What a table offers without knowing its struct.
class ConfigTableBase {
 public:
  virtual ~ConfigTableBase() = default;
  /// Returns the title, such as "Ethernet port".
  [[nodiscard]] virtual const std::string& text() const = 0;
  /// Returns the keys in the order of the table.
  [[nodiscard]] virtual const std::vector<std::string>& keys() const = 0;
  /// Returns a JSON Schema (draft 2020-12) of the object that parse() takes.
  [[nodiscard]] virtual nlohmann::ordered_json schema() const = 0;
  /// Returns the Parameters table in Markdown: key, type, range, default, text. Nested fields have dotted keys.
  [[nodiscard]] virtual std::string markdown() const = 0;
  /// Returns every parameter as it takes effect: what dump(parse(json)) gives, with source and confidence where `json`
  /// has them.
  /// @param path JSON path of `json`, for messages. @error ConfigError.
  [[nodiscard]] virtual nlohmann::ordered_json effective(const nlohmann::ordered_json& json,
                                                         const std::string& path) const = 0;
  /// Appends one row a parameter, keys prefixed. @param defaults the enclosing struct's own default for this struct,
  /// dumped.
  virtual void describe(std::vector<ParameterRow>& rows, const std::string& prefix,
                        const nlohmann::ordered_json& defaults) const = 0;
  /// Returns the schema with other defaults, without "$schema", for embedding.
  [[nodiscard]] virtual nlohmann::ordered_json schema_with(const nlohmann::ordered_json& defaults) const = 0;
};

/// A configuration struct that has its own table.
template <class T>
concept Tabled = requires {
  { T::table() } -> std::convertible_to<const ConfigTableBase&>;
};

/// Reads, writes and describes one member type. This one: scalars.
template <class T>
class ConfigCodec {
 public:
  template <class Range>
  ConfigCodec(const Range& range, const std::string& key) : spec_(make_spec<T>()), key_(key) {
    range.template apply<T>(spec_);
  }
  void set_default(const T& value) {
    spec_.default_value = to_scalar(value);
    DPUSIM_CHECK(in_range(spec_, to_scalar(value)), "default of \"{}\" is outside its own range: {}", key_,
                 scalar_expected(spec_));
  }
  void parse(T& value, const nlohmann::ordered_json& json, std::string path) const {
    const nlohmann::ordered_json& plain = strip_annotation(json, path);
    value = from_scalar<T>(read_scalar(spec_, plain, path));
  }
  [[nodiscard]] nlohmann::ordered_json dump(const T& value) const { return write_scalar(spec_, to_scalar(value)); }
  [[nodiscard]] nlohmann::ordered_json schema(const std::string& text, const nlohmann::ordered_json& defaults) const {
    return annotatable_schema(scalar_schema(spec_), scalar_description(spec_, text), defaults);
  }
  [[nodiscard]] nlohmann::ordered_json element_schema() const {
    return annotatable_schema(scalar_schema(spec_), "", nullptr);
  }
  void describe(std::vector<ParameterRow>& rows, const std::string& key, const std::string& text,
                const nlohmann::ordered_json& defaults) const {
    rows.push_back(
        {key, scalar_type_text(spec_), scalar_range_text(spec_), defaults.is_null() ? "" : defaults.dump(), text});
  }

 private:
  ScalarSpec spec_;
  std::string key_;
};

/// Nested structs.
template <Tabled T>
class ConfigCodec<T> {
 public:
  ConfigCodec(const NoRange&, const std::string&) {}
  void set_default(const T&) {}
  void parse(T& value, const nlohmann::ordered_json& json, const std::string& path) const {
    T::table().parse_into(value, json, path);
  }
  [[nodiscard]] nlohmann::ordered_json dump(const T& value) const { return T::table().dump(value); }
  [[nodiscard]] nlohmann::ordered_json schema(const std::string& text, const nlohmann::ordered_json& defaults) const {
    nlohmann::ordered_json schema = T::table().schema_with(defaults);
    schema["description"] = text;
    return schema;
  }
  [[nodiscard]] nlohmann::ordered_json element_schema() const { return T::table().schema_with(T::table().dump(T{})); }
  void describe(std::vector<ParameterRow>& rows, const std::string& key, const std::string&,
                const nlohmann::ordered_json& defaults) const {
    T::table().describe(rows, key + ".", defaults.is_null() ? T::table().dump(T{}) : defaults);
  }
};

/// Lists. The range holds for each element; items() limits their number.
template <class T>
class ConfigCodec<std::vector<T>> {
 public:
  template <class Range>
  ConfigCodec(const Range& range, const std::string& key) : element_(range, key) {}
  template <class Range>
  ConfigCodec(const Items<Range>& items, const std::string& key)
      : element_(items.range, key), key_(key), min_(items.min), max_(items.max) {}
  void set_default(const std::vector<T>& values) {
    DPUSIM_CHECK(values.size() >= min_ && values.size() <= max_, "default of \"{}\" has {} elements", key_,
                 values.size());
    for (const T& value : values) element_.set_default(value);
  }
  void parse(std::vector<T>& values, const nlohmann::ordered_json& json, std::string path) const {
    const nlohmann::ordered_json& plain = strip_annotation(json, path);
    check_array(plain, min_, max_, path);
    std::vector<T> read;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      T element{};
      element_.parse(element, plain[i], fmt::format("{}[{}]", path, i));
      read.push_back(std::move(element));
    }
    values = std::move(read);
  }
  [[nodiscard]] nlohmann::ordered_json dump(const std::vector<T>& values) const {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const T& value : values) json.push_back(element_.dump(value));
    return json;
  }
  [[nodiscard]] nlohmann::ordered_json schema(const std::string& text, const nlohmann::ordered_json& defaults) const {
    return annotatable_schema(element_schema(), text, defaults);
  }
  [[nodiscard]] nlohmann::ordered_json element_schema() const {
    nlohmann::ordered_json schema = {{"type", "array"}, {"items", element_.element_schema()}};
    if (min_ > 0) schema["minItems"] = min_;
    if (max_ != SIZE_MAX) schema["maxItems"] = max_;
    return schema;
  }
  void describe(std::vector<ParameterRow>& rows, const std::string& key, const std::string& text,
                const nlohmann::ordered_json& defaults) const {
    rows.push_back({key, "list", items_text(min_, max_), defaults.is_null() ? "" : defaults.dump(), text});
    element_.describe(rows, key + "[]", "Each element", nullptr);
  }

 private:
  ConfigCodec<T> element_;
  std::string key_;
  std::size_t min_ = 0, max_ = SIZE_MAX;
};

/// What field() returns: a row not yet bound to the table's struct (the member may be a base class's).
template <class C, class T, class Range>
struct ConfigField {
  std::string key;
  T C::*member;
  Range range;
  std::string text;
};

/// Describes a field. @param range see sim/config_range.h. @param text one sentence for people.
template <class C, class T, class Range>
ConfigField<C, T, Range> field(std::string key, T C::*member, Range range, std::string text) {
  return {std::move(key), member, std::move(range), std::move(text)};
}
template <class C, class T>
ConfigField<C, T, NoRange> field(std::string key, T C::*member, std::string text) {
  return {std::move(key), member, NoRange{}, std::move(text)};
}

/// A row of a ConfigTable<C>.
template <class C>
class ConfigRow {
 public:
  template <class B, class T, class Range>
  requires std::derived_from<C, B>
  // NOLINTNEXTLINE(google-explicit-constructor): rows are written as a braced list of field() calls
  ConfigRow(ConfigField<B, T, Range> field) : self_(std::make_shared<Member<T>>(std::move(field))) {}
  struct Interface {
    std::string key, text;
    virtual ~Interface() = default;
    virtual void parse(C& config, const nlohmann::ordered_json& json, const std::string& path) const = 0;
    [[nodiscard]] virtual nlohmann::ordered_json dump(const C& config) const = 0;
    [[nodiscard]] virtual nlohmann::ordered_json schema(const nlohmann::ordered_json& defaults) const = 0;
    virtual void describe(std::vector<ParameterRow>& rows, const std::string& prefix,
                          const nlohmann::ordered_json& defaults) const = 0;
  };
  const Interface* operator->() const { return self_.get(); }

 private:
  template <class T>
  struct Member : Interface {
    template <class B, class Range>
    explicit Member(ConfigField<B, T, Range> field) : member(field.member), codec(field.range, field.key) {
      this->key = std::move(field.key);
      this->text = std::move(field.text);
      codec.set_default(C{}.*member);
    }
    void parse(C& config, const nlohmann::ordered_json& json, const std::string& path) const override {
      codec.parse(config.*member, json, path);
    }
    [[nodiscard]] nlohmann::ordered_json dump(const C& config) const override { return codec.dump(config.*member); }
    [[nodiscard]] nlohmann::ordered_json schema(const nlohmann::ordered_json& defaults) const override {
      return codec.schema(this->text, defaults);
    }
    void describe(std::vector<ParameterRow>& rows, const std::string& prefix,
                  const nlohmann::ordered_json& defaults) const override {
      codec.describe(rows, prefix + this->key, this->text, defaults);
    }
    T C::*member;
    ConfigCodec<T> codec;
  };
  std::shared_ptr<const Interface> self_;
};

/// Parses, validates, dumps and describes a configuration struct C, whose default values are those of C{}.
template <class C>
class ConfigTable : public ConfigTableBase {
 public:
  /// Checks what one field cannot tell alone; throws ConfigError. @param path JSON path of the struct.
  using Check = std::function<void(const C& config, const std::string& path)>;
  ConfigTable(std::string text, std::initializer_list<ConfigRow<C>> rows, Check check = {})
      : text_(std::move(text)), rows_(rows), check_(std::move(check)) {
    for (const ConfigRow<C>& row : rows_) keys_.push_back(row->key);
    check_table_keys(text_, keys_);
  }
  /// Returns C with what `json` sets, and defaults for the rest. @param path JSON path of `json`. @error ConfigError.
  [[nodiscard]] C parse(const nlohmann::ordered_json& json, const std::string& path) const {
    C config{};
    parse_into(config, json, path);
    return config;
  }
  /// Changes in `config` what `json` sets. @error ConfigError; `config` is then partly changed.
  void parse_into(C& config, const nlohmann::ordered_json& json, const std::string& path) const {
    check_keys(json, keys_, path);
    for (const ConfigRow<C>& row : rows_) {
      const auto found = json.find(row->key);
      if (found != json.end()) row->parse(config, *found, join_path(path, row->key));
    }
    if (check_) check_(config, path);
  }
  /// Returns every field, quantities as text with unit; parse gives `config` back.
  [[nodiscard]] nlohmann::ordered_json dump(const C& config) const {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const ConfigRow<C>& row : rows_) json[row->key] = row->dump(config);
    return json;
  }
  [[nodiscard]] const std::string& text() const override { return text_; }
  [[nodiscard]] const std::vector<std::string>& keys() const override { return keys_; }
  [[nodiscard]] nlohmann::ordered_json schema() const override {
    nlohmann::ordered_json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}};
    schema.update(schema_with(dump(C{})));
    return schema;
  }
  [[nodiscard]] nlohmann::ordered_json schema_with(const nlohmann::ordered_json& defaults) const override {
    nlohmann::ordered_json properties = nlohmann::ordered_json::object();
    for (const ConfigRow<C>& row : rows_) properties[row->key] = row->schema(defaults.at(row->key));
    return {{"title", text_}, {"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  }
  [[nodiscard]] std::string markdown() const override {
    std::vector<ParameterRow> rows;
    describe(rows, "", dump(C{}));
    return parameters_markdown(rows);
  }
  void describe(std::vector<ParameterRow>& rows, const std::string& prefix,
                const nlohmann::ordered_json& defaults) const override {
    for (const ConfigRow<C>& row : rows_) row->describe(rows, prefix, defaults.at(row->key));
  }
  [[nodiscard]] nlohmann::ordered_json effective(const nlohmann::ordered_json& json,
                                                 const std::string& path) const override {
    return with_annotations(dump(parse(json, path)), json);
  }

 private:
  std::string text_;
  std::vector<ConfigRow<C>> rows_;
  Check check_;
  std::vector<std::string> keys_;
};

}  // namespace dpusim
