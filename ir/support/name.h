// Names: identifiers interned to 32-bit ids, so that they compare and hash as integers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "llvm/ADT/StringMap.h"

namespace sysdl {

/// An interned string; id 0 is the absent name.
struct Name {
  uint32_t id = 0;
  explicit operator bool() const { return id != 0; }
  friend auto operator<=>(Name, Name) = default;
};

class NameTable {
public:
  NameTable() { texts_.emplace_back(); }
  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;

  Name intern(std::string_view text) {
    if (text.empty()) return {};
    auto [entry, isNew] = ids_.try_emplace(llvm::StringRef(text.data(), text.size()),
                                           static_cast<uint32_t>(texts_.size()));
    if (isNew) texts_.emplace_back(entry->getKeyData(), entry->getKeyLength());
    return Name{entry->getValue()};
  }
  std::string_view text(Name name) const { return texts_[name.id]; }

private:
  llvm::StringMap<uint32_t> ids_;        // owns the characters
  std::vector<std::string_view> texts_;  // by id
};

}  // namespace sysdl

template <>
struct std::hash<sysdl::Name> {
  size_t operator()(sysdl::Name name) const noexcept { return name.id; }
};
