// Files given as text to the checker, for tests of the language alone.
#pragma once

#include <catch2/catch.hpp>

#include <map>
#include <string>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::test {

/// Serves imports from memory.
class MemoryReader : public FileReader {
public:
  std::optional<std::string> read(const std::string& path, std::string& why) override {
    auto found = files.find(path);
    if (found != files.end()) return found->second;
    why = "no such file";
    return std::nullopt;
  }
  std::vector<std::string> neighbours(const std::string&) override {
    std::vector<std::string> names;
    for (const auto& [path, text] : files) names.push_back(path);
    return names;
  }
  std::map<std::string, std::string> files;
};

/// One file, checked; `sysdl 2026` is put before it.
class CheckText {
public:
  explicit CheckText(const std::string& body, std::map<std::string, std::string> files = {}) {
    reader.files = std::move(files);
    module = checker.loadText("test.sysdl", "sysdl 2026\n" + body);
    if (module) checker.checkModule(*module);
  }

  /// "E0402:3 E0201:7": codes with lines, in source order; lines count the edition line as the first.
  std::string faults() {
    std::string text;
    for (const Diagnostic& d : diagnostics.sorted(sources)) {
      uint32_t line = d.labels.empty() ? 0 : sources.resolve(d.labels.front().span.begin).line;
      text += fmt::format("{}{}:{}", text.empty() ? "" : " ", nameOf(d.code), line);
    }
    return text;
  }
  /// A top-level record.
  check::Record* record(const std::string& name) {
    auto found = module->values.find(names.intern(name).id);
    REQUIRE(found != module->values.end());
    REQUIRE(found->second.value.kind == check::ValueKind::Record);
    return found->second.value.record;
  }
  check::Value value(const std::string& name, std::string_view field) {
    return checker.get(record(name), field);
  }
  double number(const std::string& name, std::string_view field) {
    auto result = checker.real(value(name, field), {});
    REQUIRE(result);
    return *result;
  }
  std::string shown(const std::string& name, std::string_view field) {
    return checker.text(value(name, field));
  }

  SourceMap sources;
  NameTable names;
  Diagnostics diagnostics;
  MemoryReader reader;
  check::Checker checker{sources, names, diagnostics, reader};
  check::Module* module = nullptr;
};

}  // namespace sysdl::test
