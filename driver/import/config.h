// A model's configuration as JSON: its values by key, what was asked for, and faults with their place in the file.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "driver/session.h"
#include "llvm/Support/JSON.h"

namespace sysdl {

/// Keys are looked up in `text_config` first, where a model of several parts keeps what its language model is. A value of the
/// wrong kind, or one that is needed and absent, is a fault (E0905); all are reported.
class Config {
public:
  /// Reads the text of a file; reports why it is no configuration. Python's `NaN` and `Infinity` are read as null.
  static std::optional<Config> read(const std::string& path, const std::string& text,
                                    Session& session);

  int64_t need(std::string_view key);
  std::optional<int64_t> integer(std::string_view key);
  int64_t integerOr(std::string_view key, int64_t otherwise) {
    return integer(key).value_or(otherwise);
  }
  bool flag(std::string_view key, bool otherwise = false);
  std::string text(std::string_view key);
  std::optional<std::vector<std::string>> words(std::string_view key);
  /// Whether a key is there and not null, false, empty or 0.
  bool has(std::string_view key);

  /// Refuses the configuration for what it says at `key`.
  void refuse(std::string_view key, std::string message, std::string help = {});
  bool refused() const { return refused_; }

  /// Keys that nothing has asked for, in the order of their names, each with its value; those of whole parts of a model with
  /// none.
  std::vector<std::pair<std::string, std::string>> left() const;

private:
  Config(Session& session, Loc start, std::string text, llvm::json::Object object);
  const llvm::json::Value* find(std::string_view key);
  Span placeOf(std::string_view key) const;
  void wrong(std::string_view key, std::string_view wanted);

  Session& session_;
  Loc start_;
  std::string source_;
  llvm::json::Object object_;
  std::set<std::string, std::less<>> asked_;
  bool refused_ = false;
};

}  // namespace sysdl
