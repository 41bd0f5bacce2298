// Configurations by LLVM's JSON parser, and where in the text a key stands.
#include "driver/import/config.h"

#include <map>

#include "fmt/format.h"
#include "llvm/Support/raw_ostream.h"

namespace sysdl {
namespace {

constexpr int64_t kMost = 1'000'000'000'000;  // of any size in a configuration

/// Python writes numbers that JSON has not.
std::string withoutPythonNumbers(const std::string& text) {
  std::string result;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    size_t length = 0;
    if (!quoted) {
      for (std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
        if (std::string_view(text).substr(i).starts_with(word)) length = word.size();
        if (length) break;
      }
    }
    if (!length) {
      result += text[i];
      continue;
    }
    result += "null";
    i += length - 1;
  }
  return result;
}

Span atStart(Loc start) { return {start, Loc{start.offset + 1}}; }

std::string shown(const llvm::json::Value& value) {
  if (value.getAsObject() || value.getAsArray()) return {};
  if (auto number = value.getAsNumber()) return fmt::format("{}", *number);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << value;
  return stream.str();
}

}  // namespace

Config::Config(Session& session, Loc start, std::string text, llvm::json::Object object)
    : session_(session), start_(start), source_(std::move(text)), object_(std::move(object)) {}

std::optional<Config> Config::read(const std::string& path, const std::string& text,
                                   Session& session) {
  const Loc start = session.sources.add(path, text);
  auto parsed = llvm::json::parse(withoutPythonNumbers(text));
  if (!parsed) {
    session.diagnostics
        .report(Code::E0905, atStart(start),
                fmt::format("this is no JSON: {}", llvm::toString(parsed.takeError())))
        .helpText("a configuration is the `config.json` of a model on Hugging Face");
    return std::nullopt;
  }
  llvm::json::Object* object = parsed->getAsObject();
  if (!object) {
    session.diagnostics.report(Code::E0905, atStart(start), "a configuration is an object, `{ … }`")
        .helpText("a configuration is the `config.json` of a model on Hugging Face");
    return std::nullopt;
  }
  return Config(session, start, text, std::move(*object));
}

const llvm::json::Value* Config::find(std::string_view key) {
  asked_.insert(std::string(key));
  const llvm::StringRef name(key.data(), key.size());
  const llvm::json::Value* value = nullptr;
  if (const llvm::json::Object* inner = object_.getObject("text_config")) value = inner->get(name);
  if (!value) value = object_.get(name);
  return value && value->kind() != llvm::json::Value::Null ? value : nullptr;
}

Span Config::placeOf(std::string_view key) const {
  const size_t at = source_.find(fmt::format("\"{}\"", key));
  if (at == std::string::npos) return atStart(start_);
  const uint32_t begin = start_.offset + static_cast<uint32_t>(at);
  return {Loc{begin}, Loc{begin + static_cast<uint32_t>(key.size()) + 2}};
}

void Config::wrong(std::string_view key, std::string_view wanted) {
  refuse(key, fmt::format("`{}` is {}", key, wanted));
}

void Config::refuse(std::string_view key, std::string message, std::string help) {
  refused_ = true;
  Diagnostic& d = session_.diagnostics.report(Code::E0905, placeOf(key), std::move(message));
  if (!help.empty()) d.helpText(std::move(help));
}

std::optional<int64_t> Config::integer(std::string_view key) {
  const llvm::json::Value* value = find(key);
  if (!value) return std::nullopt;
  const auto number = value->getAsInteger();
  if (number && *number >= 0 && *number <= kMost) return *number;
  wrong(key, "no whole number of a size that a model can have");
  return std::nullopt;
}

int64_t Config::need(std::string_view key) {
  const bool absent = !find(key);
  const auto number = integer(key);
  if (absent) {
    refuse(key, fmt::format("`{}` is missing", key));
  } else if (number == 0) {
    wrong(key, "0, and a model has at least one");
  }
  return number.value_or(1);
}

bool Config::flag(std::string_view key, bool otherwise) {
  const llvm::json::Value* value = find(key);
  if (!value) return otherwise;
  if (auto truth = value->getAsBoolean()) return *truth;
  wrong(key, "neither true nor false");
  return otherwise;
}

std::string Config::text(std::string_view key) {
  const llvm::json::Value* value = find(key);
  if (!value) return {};
  if (auto string = value->getAsString()) return string->str();
  wrong(key, "no text");
  return {};
}

std::optional<std::vector<std::string>> Config::words(std::string_view key) {
  const llvm::json::Value* value = find(key);
  if (!value) return std::nullopt;
  std::vector<std::string> result;
  if (const llvm::json::Array* list = value->getAsArray()) {
    for (const llvm::json::Value& item : *list) {
      if (auto string = item.getAsString()) result.push_back(string->str());
    }
    if (result.size() == list->size()) return result;
  }
  wrong(key, "no list of texts");
  return std::nullopt;
}

bool Config::has(std::string_view key) {
  const llvm::json::Value* value = find(key);
  if (!value) return false;
  if (auto truth = value->getAsBoolean()) return *truth;
  if (auto number = value->getAsNumber()) return *number != 0;
  if (auto string = value->getAsString()) return !string->empty();
  if (const llvm::json::Array* list = value->getAsArray()) return !list->empty();
  return true;
}

std::vector<std::pair<std::string, std::string>> Config::left() const {
  std::map<std::string, std::string> result;
  auto add = [&](const llvm::json::Object& object) {
    for (const auto& [name, value] : object) {
      const std::string key = name.str();
      const bool nothing = value.kind() == llvm::json::Value::Null ||
                           value.getAsBoolean() == false || value.getAsInteger() == int64_t{0};
      if (key != "text_config" && !asked_.contains(key) && !nothing)
        result.try_emplace(key, shown(value));
    }
  };
  if (const llvm::json::Object* inner = object_.getObject("text_config")) add(*inner);
  add(object_);
  return {result.begin(), result.end()};
}

}  // namespace sysdl
