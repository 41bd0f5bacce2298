// Documents in the manner of Wadler and prettier: text, places where a line may break, and groups of
// them that lie on one line where they fit.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sysdl::syntax::formatting {

inline constexpr size_t kWidth = 120;
inline constexpr uint32_t kIndent = 2;

enum class DocKind : uint8_t {
  Text,
  Glue,      // text that comes before a comment at the end of the line, as a comma does
  Space,     // unless a line ends here
  Trailing,  // a comment at the end of the line
  Comment,   // on a line of its own
  Line,      // a newline, or a space where the group lies on one line
  Soft,      // a newline, or nothing
  Hard,      // a newline
  Blank,     // a newline and a blank line
  IfBroken,  // text where the group is broken
  IfFlat,    // text where it is not
  Stop,      // what follows on the line does not count when a group before it is fitted
  Force,     // breaks the group it stands in
  Concat,
  Indent,
  Group,
  Loose,  // a group that may lie on one line although a body in it is broken
  Body,   // what holds comments on lines of its own without breaking the groups around it
  Fill,   // as many of the parts on each line as fit
  Hang,   // [on one line or two, one part a line]
};

struct DocId {
  uint32_t index = 0;
};

class Docs {
public:
  Docs() { add(DocKind::Concat, {}, {}); }

  /// The empty document is id 0.
  static DocId none() { return {}; }
  DocId text(std::string_view text, DocKind kind = DocKind::Text) { return add(kind, text, {}); }
  DocId mark(DocKind kind) { return add(kind, {}, {}); }
  DocId make(DocKind kind, std::span<const DocId> parts) { return add(kind, {}, parts); }
  DocId make(DocKind kind, std::initializer_list<DocId> parts) {
    return add(kind, {}, {parts.begin(), parts.size()});
  }
  DocId concat(std::initializer_list<DocId> parts) { return make(DocKind::Concat, parts); }
  DocId concat(std::span<const DocId> parts) { return make(DocKind::Concat, parts); }

  std::string_view textOf(DocId doc) const { return docs_[doc.index].text; }
  /// Takes the text out of a document that is part of others already.
  void clear(DocId doc) {
    docs_[doc.index].kind = DocKind::Concat;
    docs_[doc.index].text = {};
  }

  /// Lays a document out, from column 0; no newline at the end.
  std::string print(DocId doc);

private:
  friend class Printer;
  struct Doc {
    DocKind kind = DocKind::Concat;
    bool comment = false;  // holds one that ends its line
    bool body = false;     // holds a body that is broken
    uint32_t first = 0, count = 0;
    std::string_view text;
  };

  DocId add(DocKind kind, std::string_view text, std::span<const DocId> parts);
  void settle();

  std::vector<Doc> docs_;
  std::vector<DocId> parts_;
  size_t settled_ = 0;
};

}  // namespace sysdl::syntax::formatting
