// The writer of JSON text.
#include "driver/json.h"

#include <cmath>
#include <iterator>

#include "driver/render/utf8.h"
#include "fmt/format.h"

namespace sysdl {
namespace {

void quote(std::string& out, std::string_view text) {
  out += '"';
  for (size_t i = 0; i < text.size();) {
    auto c = static_cast<unsigned char>(text[i]);
    size_t length = characterLength(text, i);
    if (length == 0) {
      out += "\\ufffd";  // no character: JSON is UTF-8
      ++i;
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text[i];
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", c);
    } else {
      out.append(text, i, length);
    }
    i += length;
  }
  out += '"';
}

}  // namespace

void JsonWriter::breakLine() {
  text_ += '\n';
  text_.append(2 * levels_.size(), ' ');
}

void JsonWriter::separate() {
  if (afterKey_) {
    afterKey_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) text_ += level.layout == Inline ? ", " : ",";
  if (level.layout == Lines) breakLine();
  level.empty = false;
}

void JsonWriter::begin(char bracket, Layout layout) {
  separate();
  text_ += bracket;
  bool within = !levels_.empty() && levels_.back().layout == Inline;
  levels_.push_back({within ? Inline : layout});
}

void JsonWriter::end(char bracket) {
  Level level = levels_.back();
  levels_.pop_back();
  if (level.layout == Lines && !level.empty) breakLine();
  text_ += bracket;
}

void JsonWriter::key(std::string_view name) {
  separate();
  quote(text_, name);
  text_ += ": ";
  afterKey_ = true;
}

void JsonWriter::value(std::string_view text) {
  separate();
  quote(text_, text);
}

void JsonWriter::value(bool truth) { raw(truth ? "true" : "false"); }

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  fmt::format_to(std::back_inserter(text_), "{}", number);
}

void JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
}

}  // namespace sysdl
