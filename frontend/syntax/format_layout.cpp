// Chooses where lines break, and writes them.
#include "frontend/syntax/format_layout.h"

namespace sysdl::syntax::formatting {
namespace {

/// Characters, not bytes.
size_t widthOf(std::string_view text) {
  size_t width = 0;
  for (char c : text) width += (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  return width;
}

}  // namespace

DocId Docs::add(DocKind kind, std::string_view text, std::span<const DocId> parts) {
  Doc doc;
  doc.kind = kind;
  doc.text = text;
  doc.first = static_cast<uint32_t>(parts_.size());
  doc.count = static_cast<uint32_t>(parts.size());
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  docs_.push_back(doc);
  return {static_cast<uint32_t>(docs_.size() - 1)};
}

/// What holds comments or broken bodies; parts are older than what they are parts of.
void Docs::settle() {
  for (; settled_ < docs_.size(); ++settled_) {
    Doc& doc = docs_[settled_];
    doc.comment = doc.kind == DocKind::Trailing || doc.kind == DocKind::Comment;
    doc.body =
        doc.kind == DocKind::Hard || doc.kind == DocKind::Blank || doc.kind == DocKind::Force;
    for (uint32_t i = 0; i < doc.count; ++i) {
      const Doc& part = docs_[parts_[doc.first + i].index];
      doc.comment = doc.comment || part.comment;
      doc.body = doc.body || part.body;
    }
    if (doc.kind == DocKind::Body && doc.comment) {
      doc.comment = false;
      doc.body = true;
    }
  }
}

class Printer {
public:
  explicit Printer(const Docs& docs) : docs_(docs) {}

  std::string print(DocId root) {
    stack_.push_back({root, 0, false, 0});
    while (!stack_.empty()) {
      Step step = stack_.back();
      stack_.pop_back();
      visit(step);
    }
    flushTrailing(0);
    return std::move(out_);
  }

private:
  using Doc = Docs::Doc;
  struct Step {
    DocId doc;
    uint32_t indent = 0;
    bool flat = false;
    uint32_t from = 0;  // of a Fill: the part to go on with
  };

  const Doc& at(DocId id) const { return docs_.docs_[id.index]; }
  DocId part(const Doc& doc, uint32_t i) const { return docs_.parts_[doc.first + i]; }

  void visit(const Step& step) {
    const Doc& doc = at(step.doc);
    switch (doc.kind) {
    case DocKind::Text: return write(doc.text, step.indent);
    case DocKind::Glue: return glue(doc.text, step.indent);
    case DocKind::Space: space_ = true; return;
    case DocKind::Trailing: return trailing(doc.text, step.indent);
    case DocKind::Comment: return comment(doc.text, step.indent);
    case DocKind::Line:
    case DocKind::Soft:
      if (!step.flat) return newline(step.indent, false);
      if (doc.kind == DocKind::Line) space_ = true;
      return;
    case DocKind::Hard: return newline(step.indent, false);
    case DocKind::Blank: return newline(step.indent, true);
    case DocKind::IfBroken:
      if (!step.flat) glue(doc.text, step.indent);
      return;
    case DocKind::IfFlat:
      if (step.flat) write(doc.text, step.indent);
      return;
    case DocKind::Stop:
    case DocKind::Force: return;
    case DocKind::Concat: return push(doc, step.indent, step.flat);
    case DocKind::Indent: return push(doc, step.indent + kIndent, step.flat);
    case DocKind::Group:
    case DocKind::Loose:
    case DocKind::Body: return push(doc, step.indent, liesFlat(doc, step));
    case DocKind::Fill: return fill(doc, step);
    case DocKind::Hang: return hang(doc, step);
    }
  }

  void push(const Doc& doc, uint32_t indent, bool flat) {
    for (uint32_t i = doc.count; i-- > 0;) stack_.push_back({part(doc, i), indent, flat, 0});
  }

  static bool mustBreak(const Doc& doc) {
    return doc.comment || (doc.body && doc.kind != DocKind::Loose);
  }

  bool liesFlat(const Doc& doc, const Step& step) {
    if (mustBreak(doc)) return false;
    if (step.flat) return true;
    std::vector<Step> steps;
    for (uint32_t i = doc.count; i-- > 0;) steps.push_back({part(doc, i), 0, true, 0});
    return fits(std::move(steps), column(step.indent));
  }

  void fill(const Doc& doc, const Step& step) {
    if (step.from == doc.count) return;
    DocId content = part(doc, step.from);
    bool last = step.from + 1 == doc.count;
    if (step.from > 0) {
      bool ends = pendingNewline_ || !trailing_.empty() || at(content).comment;
      bool joins = !ends && fitsFrom(column_ + 1, content, last);
      if (step.flat || joins)
        space_ = true;
      else
        newline(step.indent, false);
    }
    stack_.push_back({step.doc, step.indent, step.flat, step.from + 1});
    bool flat = step.flat || fitsFrom(column(step.indent), content, last);
    stack_.push_back({content, step.indent, flat, 0});
  }

  /// Whether a part of a Fill fits from a column on.
  bool fitsFrom(size_t from, DocId content, bool last) const {
    return fits({{content, 0, true, 0}}, from, last);
  }

  void hang(const Doc& doc, const Step& step) {
    const Doc& parts = at(part(doc, 0));
    bool broken = doc.comment || doc.body;
    if (step.flat && !broken) {
      stack_.push_back({part(doc, 0), step.indent, true, 0});
      return;
    }
    if (!broken) {
      if (fits({{part(doc, 0), 0, true, 0}}, column(step.indent))) {
        stack_.push_back({part(doc, 0), step.indent, true, 0});
        return;
      }
      if (fitsTwoLines(parts, step)) {
        stack_.push_back({part(doc, 0), step.indent + kIndent, false, 0});
        return;
      }
    }
    stack_.push_back({part(doc, 1), step.indent, false, 0});
  }

  bool fitsTwoLines(const Doc& parts, const Step& step) {
    uint32_t i = 0;
    size_t width = column(step.indent);
    for (; i < parts.count; ++i) {
      size_t with = width + (i > 0 ? 1 : 0) + flatWidth(part(parts, i));
      if (with > kWidth) break;
      width = with;
    }
    if (i == 0) return false;
    std::vector<Step> steps;
    for (uint32_t k = parts.count; k-- > i;) {
      steps.push_back({part(parts, k), 0, true, 0});
      if (k > i) steps.push_back({space(), 0, true, 0});
    }
    return i < parts.count && fits(std::move(steps), step.indent + kIndent);
  }

  size_t flatWidth(DocId id) const {
    const Doc& doc = at(id);
    switch (doc.kind) {
    case DocKind::Text:
    case DocKind::Glue:
    case DocKind::IfFlat: return widthOf(doc.text);
    case DocKind::Space:
    case DocKind::Line: return 1;
    case DocKind::Hang: return flatWidth(part(doc, 0));
    default: break;
    }
    size_t width = doc.kind == DocKind::Fill && doc.count > 0 ? doc.count - 1 : 0;
    for (uint32_t i = 0; i < doc.count; ++i) width += flatWidth(part(doc, i));
    return width;
  }

  /// A Space, wherever there is one: a separator that is no part of any document.
  DocId space() const { return {UINT32_MAX}; }

  /// Whether `steps`, flat, and what comes after them up to where a line may end fit from column `at`.
  bool fits(std::vector<Step> steps, size_t at, bool withRest = true) const {
    size_t rest = stack_.size();
    bool spaced = false;
    for (;;) {
      if (at > kWidth) return false;
      if (steps.empty()) {
        if (rest == 0 || !withRest) return true;
        steps.push_back(stack_[--rest]);
      }
      Step step = steps.back();
      steps.pop_back();
      if (step.doc.index == UINT32_MAX) {
        spaced = true;
        continue;
      }
      const Doc& doc = this->at(step.doc);
      switch (doc.kind) {
      case DocKind::Text:
      case DocKind::Glue:
        at += widthOf(doc.text) + (spaced ? 1 : 0);
        spaced = false;
        break;
      case DocKind::IfFlat:
        if (step.flat) at += widthOf(doc.text);
        break;
      case DocKind::IfBroken:
        if (!step.flat) at += widthOf(doc.text);
        break;
      case DocKind::Space: spaced = true; break;
      case DocKind::Line:
      case DocKind::Soft:
        if (!step.flat) return true;
        if (doc.kind == DocKind::Line) spaced = true;
        break;
      case DocKind::Hard:
      case DocKind::Blank:
      case DocKind::Trailing:
      case DocKind::Comment:
      case DocKind::Stop: return true;
      case DocKind::Force: break;
      case DocKind::Fill:
        if (!step.flat) {
          if (step.from == doc.count) break;
          if (step.from > 0) return true;
        }
        for (uint32_t i = doc.count; i-- > step.from;) {
          steps.push_back({part(doc, i), 0, step.flat, 0});
          if (i > 0) steps.push_back({space(), 0, true, 0});
        }
        break;
      case DocKind::Hang: steps.push_back({part(doc, 0), 0, step.flat, 0}); break;
      default: {
        bool group =
            doc.kind == DocKind::Group || doc.kind == DocKind::Loose || doc.kind == DocKind::Body;
        bool flat = step.flat && !(group && mustBreak(doc));
        for (uint32_t i = doc.count; i-- > 0;) steps.push_back({part(doc, i), 0, flat, 0});
      }
      }
    }
  }

  /// Where the next text starts.
  size_t column(uint32_t indent) const {
    if (pendingNewline_) return pendingIndent_;
    if (!trailing_.empty()) return indent + kIndent;
    return column_ + (space_ && !out_.empty() ? 1 : 0);
  }

  void newline(uint32_t indent, bool blank) {
    pendingNewline_ = true;
    pendingIndent_ = indent;
    blank_ = blank_ || blank;
  }

  /// Writes the comment that waits for the end of its line.
  void flushTrailing(uint32_t indent) {
    if (trailing_.empty()) return;
    out_.append("  ").append(trailing_);
    trailing_ = {};
    if (!pendingNewline_) newline(indent + kIndent, false);
  }

  void write(std::string_view text, uint32_t indent) {
    flushTrailing(indent);
    if (pendingNewline_ && !out_.empty()) {
      out_.append(blank_ ? "\n\n" : "\n").append(pendingIndent_, ' ');
      column_ = pendingIndent_;
    } else if (space_ && !out_.empty()) {
      out_ += ' ';
      ++column_;
    }
    pendingNewline_ = blank_ = space_ = false;
    append(text);
  }

  void glue(std::string_view text, uint32_t indent) {
    if (pendingNewline_) return write(text, indent);
    append(text);
  }

  void append(std::string_view text) {
    out_ += text;
    column_ += widthOf(text);
  }

  void trailing(std::string_view text, uint32_t indent) {
    if (!trailing_.empty() || pendingNewline_) return comment(text, indent);
    trailing_ = text;
    space_ = false;
  }

  void comment(std::string_view text, uint32_t indent) {
    flushTrailing(indent);
    if (!pendingNewline_) newline(indent + kIndent, false);
    uint32_t column = pendingIndent_;
    write(text, indent);
    newline(column, false);
  }

  const Docs& docs_;
  std::vector<Step> stack_;
  std::string out_;
  size_t column_ = 0;
  bool space_ = false;
  bool pendingNewline_ = false;
  bool blank_ = false;
  uint32_t pendingIndent_ = 0;
  std::string_view trailing_;
};

std::string Docs::print(DocId doc) {
  settle();
  return Printer(*this).print(doc);
}

}  // namespace sysdl::syntax::formatting
