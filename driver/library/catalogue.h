// What the standard library and a file declare, by name and kind, with what is said of each.
#pragma once

#include <string>
#include <vector>

#include "driver/session.h"

namespace sysdl {

struct Entry {
  std::string name;
  std::string
      kind;  // "schema", "chip", "unit", "function", "operator", "block", "enum", "dimension"
  std::string module;  // "std.chips.nvidia", or the path of a file
  std::string doc;     // its doc comment, one paragraph a line
  std::string text;    // as it is written
  std::string file;
  uint32_t line = 0;
  bool needsImport = false;
  const check::Schema* schema = nullptr;  // of a schema; of a value, its own
  check::Module* home = nullptr;
  syntax::NodeId node;

  /// "Tensor parallel degree." of its doc comment.
  std::string firstSentence() const;
};

/// Everything that the library declares, by module and then in the order of the text; with `path`, what that
/// file declares comes first. Faults of the file are in the session's diagnostics.
std::vector<Entry> catalogueOf(Session& session, const std::string& path);

/// The doc comment right above a place; empty where there is none.
std::string docAbove(const Session& session, const check::Module& module, Span item);

}  // namespace sysdl
