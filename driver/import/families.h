// What the library's schemas of models make of Hugging Face configurations, family by family.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/import/config.h"

namespace sysdl {

/// A value of a model's schema, to be written as text.
struct ImportedModel {
  std::string module;  // "std.models.llama"
  std::string schema;  // "llama"
  std::vector<std::pair<std::string, std::string>> fields;
  std::vector<std::string> notes;  // what the configuration has that the model has not

  void set(std::string_view field, int64_t value);
  void set(std::string_view field, std::string value);
  /// Sets a field that has a default only where it differs.
  void setUnless(std::string_view field, int64_t value, int64_t preset);
};

/// Makes a model of a configuration of a known family; refuses others, and those with parts that no block has.
ImportedModel importModel(Config& config);

/// Whether a key changes neither sizes nor time: constants of initialisation, names of tokens and the like.
bool isWithoutEffect(std::string_view key);

}  // namespace sysdl
