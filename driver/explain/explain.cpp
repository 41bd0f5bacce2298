// `sysdlc explain`: what a diagnostic's code means, or which codes there are.
#include <cctype>

#include "driver/commands.h"
#include "driver/envelope.h"
#include "driver/explain/pages.h"
#include "driver/explain/result.h"
#include "fmt/format.h"

namespace sysdl {
namespace {

std::string_view severityName(Code code) {
  return severityOf(code) == Severity::Error ? "error" : "warning";
}

void endAnswer(JsonWriter& json, Output& output) {
  json.key("diagnostics");
  json.beginArray();
  json.endArray();
  json.endObject();
  output.results(json.take());
}

void explainAll(const Options& options, Output& output) {
  if (options.format == Format::Text) {
    std::string text;
    for (Code code : allCodes()) text += fmt::format("{}  {}\n", nameOf(code), summaryOf(code));
    output.results(text + "\n`sysdlc explain CODE` says more of each.\n");
    return;
  }
  JsonWriter json;
  json.beginObject();
  writeEnvelope(json, "explain", {});
  json.key("codes");
  json.beginArray();
  for (Code code : allCodes()) {
    json.beginObject(JsonWriter::Inline);
    json.member("code", nameOf(code));
    json.member("severity", severityName(code));
    json.member("text", summaryOf(code));
    json.endObject();
  }
  json.endArray();
  endAnswer(json, output);
}

Exit unknownCode(const std::string& name, const Options& options, Output& output) {
  Diagnostic d{
      Code::E0904, fmt::format("there is no diagnostic `{}`", options.code), {}, {}, {}, {}, false};
  // Letters and digits mean more than how near they are: the first three digits name a group.
  std::vector<std::string_view> names;
  for (Code code : allCodes()) names.push_back(nameOf(code));
  std::string near = name.size() == 5 ? nearest(name, names) : std::string();
  d.helpText(near.empty() ? "codes look like `E0402`: they stand in brackets at the start of each "
                            "message; `sysdlc explain` lists them"
                          : fmt::format("did you mean `{}`? `sysdlc explain` lists them", near));
  return refuse(d, options, output);
}

}  // namespace

Exit runExplain(const Options& options, Output& output) {
  if (!options.result.empty()) return explainResult(options, output);
  if (options.code.empty()) {
    explainAll(options, output);
    return Exit::Fine;
  }
  std::string name = options.code;
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  auto code = codeOf(name);
  if (!code) return unknownCode(name, options, output);
  std::string_view page = explainPage(*code);
  if (options.format == Format::Text) {
    std::string head = fmt::format("{} ({}): {}\n", name, severityName(*code), summaryOf(*code));
    output.results(page.empty() ? head : head + "\n" + renderPage(page));
    return Exit::Fine;
  }
  JsonWriter json;
  json.beginObject();
  writeEnvelope(json, "explain", {});
  json.member("code", name);
  json.member("severity", severityName(*code));
  json.member("text", summaryOf(*code));
  json.member("page", page);
  endAnswer(json, output);
  return Exit::Fine;
}

}  // namespace sysdl
