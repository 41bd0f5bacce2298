// `sysdlc explain`: what a diagnostic's code means.
#include <cctype>

#include "driver/commands.h"
#include "driver/envelope.h"
#include "fmt/format.h"

namespace sysdl {

Exit runExplain(const Options& options, Output& output) {
  std::string name = options.code;
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  auto code = codeOf(name);
  if (!code) {
    Diagnostic d{Code::E0904, fmt::format("there is no diagnostic `{}`", options.code), {}, {}, {},
                 {}};
    d.helpText("codes look like `E0402`: they stand in brackets at the start of each message");
    return refuse(d, options, output);
  }
  std::string_view severity = severityOf(*code) == Severity::Error ? "error" : "warning";
  if (options.format == Format::Text) {
    output.results(fmt::format("{} ({}): {}\n", name, severity, summaryOf(*code)));
    return Exit::Fine;
  }
  JsonWriter json;
  json.beginObject();
  writeEnvelope(json, "explain", {});
  json.member("code", name);
  json.member("severity", severity);
  json.member("text", summaryOf(*code));
  json.key("diagnostics");
  json.beginArray();
  json.endArray();
  json.endObject();
  output.results(json.take());
  return Exit::Fine;
}

}  // namespace sysdl
