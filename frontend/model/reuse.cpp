// The values of a record as a string of bytes, and its number.
#include "frontend/model/reuse.h"

#include <array>
#include <bit>

namespace sysdl {

using namespace check;

struct RecordKeys::Writer {
  Checker& c;
  std::string bytes;
  std::unordered_map<const Record*, uint32_t>
      seen;  // in this string: records may refer to each other

  template <typename T>
  void raw(const T& item) {
    // Pointers are written as such.
    const auto buffer =
        std::bit_cast<std::array<char, sizeof(T)>>(item);  // NOLINT(bugprone-sizeof-expression)
    bytes.append(buffer.data(), buffer.size());
  }

  void layer(const Layer& l) {
    raw(l.kind);
    raw(l.module);
    raw(l.node.index);
    raw(l.pathStart);
    for (const auto& [name, fixed] : l.fixed) {
      raw(name.id);
      value(fixed);
    }
  }

  void record(Record* r) {
    auto [entry, isNew] = seen.try_emplace(r, static_cast<uint32_t>(seen.size()));
    raw(entry->second);
    if (!isNew) return;
    raw(r->schema);
    raw(r->label.id);
    if (r->isAbstract) return raw(r);
    raw(r->layers.size());
    for (const Layer& l : r->layers) layer(l);
    for (uint32_t i = 0; i < r->slots.size(); ++i) value(c.slotValue(r, i));
  }

  void scalar(const Value& v) {
    const FormulaNode& node = c.formulas[v.formula];
    raw(v.number);
    raw(v.dimension);
    // What has no value yet, or never will, is like itself only.
    bool known = !node.symbolic && !node.faulty;
    raw(known);
    if (known)
      raw(node.value.integer);
    else
      raw(v.formula.index);
  }

  void value(const Value& v) {
    raw(v.kind);
    switch (v.kind) {
    case ValueKind::Bad:
    case ValueKind::Absent: return;
    case ValueKind::Scalar: return scalar(v);
    case ValueKind::Text:
      raw(v.text->pieces.size());
      for (const auto& [text, inner] : v.text->pieces) {
        raw(text.size());
        bytes += text;
        value(inner);
      }
      return;
    case ValueKind::Word:
      raw(v.words);
      raw(v.word);
      return;
    case ValueKind::Record: return record(v.record);
    case ValueKind::Group:
      raw(v.group->items.size());
      for (const auto& [label, item] : v.group->items) {
        raw(label.id);
        value(item);
      }
      return;
    case ValueKind::Map:
      raw(v.map->items.size());
      for (const auto& [word, item] : v.map->items) {
        raw(word);
        value(item);
      }
      return;
    case ValueKind::List:
      raw(v.list->items.size());
      for (const Value& item : v.list->items) value(item);
      return;
    default: raw(v.none);  // a declaration, or what is like itself only
    }
  }
};

uint32_t RecordKeys::of(Record* record) {
  auto known = known_.find(record);
  if (known != known_.end()) return known->second;
  Writer writer{c_, {}, {}};
  writer.record(record);
  auto [entry, isNew] =
      numbers_.try_emplace(std::move(writer.bytes), static_cast<uint32_t>(numbers_.size()));
  return known_[record] = entry->second;
}

}  // namespace sysdl
