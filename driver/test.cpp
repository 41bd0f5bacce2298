// `sysdlc test`: runs the tests in files and below folders.
#include <algorithm>

#include "driver/commands.h"
#include "driver/envelope.h"
#include "driver/junit.h"
#include "driver/render/utf8.h"
#include "driver/tests.h"
#include "fmt/format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace sysdl {
namespace {

constexpr size_t kNameWidth = 60;

struct Run {
  const Options& options;
  std::vector<OpenedFile> files;
  std::vector<TestFile> outcomes;

  size_t count(bool passed) const {
    size_t count = 0;
    for (const TestFile& file : outcomes) {
      count += static_cast<size_t>(std::ranges::count(file.tests, passed, &TestOutcome::passed));
    }
    return count;
  }

  void open(const std::string& path, bool fromFolder);
  void openFolder(const std::string& folder);
  std::string text() const;
  std::string json() const;
};

void Run::open(const std::string& path, bool fromFolder) {
  OpenedFile file = openFile(path, options);
  if (file.module) {
    if (file.module->tests.empty() && !fromFolder && !file.session->diagnostics.hasErrors()) {
      Span start{file.module->start, file.module->start};
      file.session->diagnostics.report(Code::E0903, start, fmt::format("`{}` has no test", path))
          .helpText("write one, as in `test \"name\" { expect baseline.step_time == 13.75 s within "
                    "5% }`");
    }
    outcomes.push_back({path, runTests(*file.session, *file.module)});
  }
  files.push_back(std::move(file));
}

void Run::openFolder(const std::string& folder) {
  size_t before = count(true) + count(false);
  for (const std::string& path : filesBelow(folder)) open(path, true);
  if (count(true) + count(false) > before) return;
  files.push_back({folder, std::make_unique<Session>(), nullptr});
  files.back().session->diagnostics.report(
      Code::E0903, {}, fmt::format("no `.sysdl` file below `{}` has a test", folder));
}

/// A line of the table.
struct Row {
  std::string mark, name, predicted, expected, error;
};

std::string clipped(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  text = printable(text);
  if (textWidth(text) <= kNameWidth) return text;
  std::string out;
  for (size_t i = 0, width = 0; width + 1 < kNameWidth; ++width) {
    size_t length = std::max<size_t>(1, characterLength(text, i));
    out.append(text, i, length);
    i += length;
  }
  return out + "…";
}

std::vector<Row> rowsOf(const std::vector<TestOutcome>& tests) {
  std::vector<Row> rows;
  for (const TestOutcome& test : tests) {
    const char* mark = test.passed ? "pass" : "FAIL";
    bool single = test.expectations.size() == 1;
    if (!single) rows.push_back({mark, clipped(test.title), "", "", ""});
    for (const Expectation& e : test.expectations) {
      std::string error = e.error;
      if (!e.tolerance.empty())
        error += fmt::format("{}within {}", error.empty() ? "" : ", ", e.tolerance);
      rows.push_back({e.holds ? "pass" : "FAIL",
                      single ? clipped(test.title) : clipped("  " + e.text),
                      e.predicted.empty() ? "no value" : e.predicted, e.expected, error});
    }
  }
  return rows;
}

std::string padded(const std::string& text, size_t width) {
  return text + std::string(width - std::min(width, textWidth(text)), ' ');
}

std::string tableOf(std::vector<Row> rows) {
  rows.insert(rows.begin(), {"", "", "predicted", "expected", "error"});
  size_t name = 0, predicted = 0, expected = 0;
  for (const Row& row : rows) {
    name = std::max(name, textWidth(row.name));
    predicted = std::max(predicted, textWidth(row.predicted));
    expected = std::max(expected, textWidth(row.expected));
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line =
        fmt::format("  {:<4}  {}  {}  {}  {}", row.mark, padded(row.name, name),
                    padded(row.predicted, predicted), padded(row.expected, expected), row.error);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string Run::text() const {
  std::string text;
  for (const TestFile& file : outcomes) {
    if (file.tests.empty()) continue;
    text += printable(file.path) + "\n" + tableOf(rowsOf(file.tests)) + "\n";
  }
  return text + fmt::format("{} passed, {} failed\n", count(true), count(false));
}

void writeNumber(JsonWriter& json, const char* key, std::optional<double> number) {
  json.key(key);
  if (number)
    json.value(*number);
  else
    json.null();
}

void writeTest(JsonWriter& json, const TestFile& file, const TestOutcome& test) {
  json.beginObject();
  json.member("title", test.title);
  json.member("file", file.path);
  json.member("line", test.line);
  json.member("source", test.source);
  json.member("passed", test.passed);
  json.key("expectations");
  json.beginArray();
  for (const Expectation& e : test.expectations) {
    json.beginObject(JsonWriter::Inline);
    json.member("text", e.text);
    writeNumber(json, "predicted", e.predictedNumber);
    writeNumber(json, "expected", e.expectedNumber);
    json.member("tolerance", e.tolerance);
    json.member("holds", e.holds);
    json.endObject();
  }
  json.endArray();
  json.endObject();
}

std::string Run::json() const {
  JsonWriter json;
  json.beginObject();
  writeEnvelope(json, "test", options.paths);
  json.member("passed", count(true));
  json.member("failed", count(false));
  json.key("tests");
  json.beginArray();
  for (const TestFile& file : outcomes) {
    for (const TestOutcome& test : file.tests) writeTest(json, file, test);
  }
  json.endArray();
  return finishEnvelope(json, files, options);
}

}  // namespace

Exit runTest(const Options& options, Output& output) {
  Run run{options, {}, {}};
  for (const std::string& path : options.paths) {
    if (llvm::sys::fs::is_directory(path))
      run.openFolder(path);
    else
      run.open(path, false);
  }
  if (options.format == Format::Json) output.results(run.json());
  if (options.format == Format::Text || options.format == Format::Github)
    output.results(run.text());
  Exit exit = conclude(run.files, options, output);
  if (exit == Exit::Fine && run.count(false) > 0) exit = Exit::Wrong;
  std::string why;
  if (!options.junit.empty() && !writeFile(options.junit, junitText(run.outcomes), why)) {
    output.diagnostics(fmt::format("error[E0901]: cannot write `{}`: {}\n", options.junit, why));
    return Exit::CannotRun;
  }
  return exit;
}

}  // namespace sysdl
