// A writer of JSON text: keys in the order written, doubles in shortest round-trip form.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sysdl {

/// Writes one value after another into a string. An object or array is laid out a member a line, or
/// on one line where it is `Inline`, and then so is all within it.
class JsonWriter {
public:
  enum Layout { Lines, Inline };

  void beginObject(Layout layout = Lines) { begin('{', layout); }
  void endObject() { end('}'); }
  void beginArray(Layout layout = Lines) { begin('[', layout); }
  void endArray() { end(']'); }
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(bool truth);
  void value(double number);  // null where it is not finite
  template <std::integral Integer>
  void value(Integer number) {
    raw(std::to_string(number));
  }
  void null() { raw("null"); }
  /// Text that is JSON already.
  void raw(std::string_view json);

  template <typename T>
  void member(std::string_view name, const T& item) {
    key(name);
    value(item);
  }

  /// The text written so far, with a newline at its end.
  std::string take() { return std::move(text_) + "\n"; }

private:
  struct Level {
    Layout layout;
    bool empty = true;
  };
  void begin(char bracket, Layout layout);
  void end(char bracket);
  void separate();
  void breakLine();

  std::string text_;
  std::vector<Level> levels_;
  bool afterKey_ = false;
};

}  // namespace sysdl
