#include "platform/platform_schema.h"

#include "platform/type_registry.h"

namespace dpusim::platform {

using Json = nlohmann::ordered_json;

Json platform_schema() {
  const Json text = {{"type", "string"}};
  const Json address = {{"type", "string"}, {"pattern", "^0x[0-9a-fA-F]+(_?[0-9a-fA-F]+)*$"}};
  Json variants = Json::array();
  for (const BlockType* type : block_types()) {
    Json schema = type->config->schema();
    schema.erase("$schema");
    Json properties = {{"type", {{"const", type->name}}},
                       {"description", text},
                       {"bus", text},
                       {"at", {{"anyOf", {address, {{"type", "object"}, {"additionalProperties", address}}}}}},
                       {"connect", {{"type", "object"}, {"additionalProperties", text}}}};
    properties.update(schema["properties"]);
    schema["description"] = type->text;
    schema["properties"] = std::move(properties);
    schema["required"] = {"type"};
    variants.push_back(std::move(schema));
  }
  Json block = {{"oneOf", std::move(variants)}};
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "dpusim platform"},
          {"type", "object"},
          {"properties",
           {{"name", text},
            {"description", text},
            {"extends", {{"type", "string"}, {"description", "Platform file that this one changes, relative to it"}}},
            {"plugins",
             {{"type", "array"},
              {"items", text},
              {"description", "Shared libraries with block types of your own, relative to this file; added to the extended file's"}}},
            {"run", {{"type", "object"}, {"description", "How effective.json's run was started; ignored"}}},
            {"blocks", {{"type", "object"}, {"additionalProperties", std::move(block)}}}}},
          {"additionalProperties", false}};
}

}  // namespace dpusim::platform
