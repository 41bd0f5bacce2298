// Units: exact scales to SI base units, prefixes, and the reading of unit texts such as "TFLOP/s".
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/support/diagnostic.h"
#include "ir/units/dimension.h"
#include "ir/units/exact.h"
#include "llvm/ADT/StringMap.h"

namespace sysdl {

struct Unit {
  Exact scale;  // one of it in SI base units (bytes for data)
  Dimension dimension;
  bool decimalPrefixes = false;  // k, M, G, ... and m, u, n, p
  bool binaryPrefixes = false;   // Ki, Mi, Gi, ...
};

/// What is wrong with a unit text, if anything.
enum class UnitFault : uint8_t { None, Unknown, PrefixNotAllowed, Malformed };

struct UnitLookup {
  UnitFault fault = UnitFault::None;
  std::string word;        // the faulty piece
  std::string suggestion;  // a spelling that exists, where one is near
  bool sure = false;       // it is what was meant
  Exact scale = Exact::integer(1);
  Dimension dimension;
};

class UnitTable {
public:
  /// Asks for a unit that is declared but not yet known; returns false where there is none.
  using Resolver = std::function<bool(std::string_view name)>;
  void setResolver(Resolver resolver, std::function<std::vector<std::string>()> allNames) {
    resolver_ = std::move(resolver);
    allNames_ = std::move(allNames);
  }

  /// Returns false where the name is taken.
  bool add(std::string_view name, Unit unit);
  const Unit* find(std::string_view name) const;

  /// Reads "GB/s", "defect/cm^2", "%": a product of powers of possibly prefixed units.
  UnitLookup parse(std::string_view text) const;

  /// "`s`, `min`, `hour`, …", for a message: the first declared ones.
  std::string listText() const;

private:
  bool parseWord(std::string_view word, int exponent, UnitLookup& result) const;
  Suggestion suggest(std::string_view word) const;
  std::string respell(std::string_view word) const;

  llvm::StringMap<Unit> units_;
  Resolver resolver_;
  std::function<std::vector<std::string>()> allNames_;
};

}  // namespace sysdl
