// Units: lookup with prefixes, and suggestions for what is misspelt.
#include "ir/units/unit_table.h"

#include <cctype>

#include "ir/support/diagnostic.h"

namespace sysdl {
namespace {

struct Prefix {
  std::string_view text;
  int power;  // of ten, or of 1024
  bool binary;
};

// SI prefixes (BIPM SI brochure, table 7) and binary ones (IEC 80000-13).
constexpr Prefix kPrefixes[] = {
    {"Ki", 1, true},  {"Mi", 2, true},   {"Gi", 3, true},   {"Ti", 4, true},  {"Pi", 5, true},
    {"Ei", 6, true},  {"f", -15, false}, {"p", -12, false}, {"n", -9, false}, {"u", -6, false},
    {"µ", -6, false}, {"μ", -6, false},  {"m", -3, false},  {"c", -2, false}, {"k", 3, false},
    {"M", 6, false},  {"G", 9, false},   {"T", 12, false},  {"P", 15, false}, {"E", 18, false},
};

// What people write, and how it is written here; each may stand after a prefix ("TFLOPS", "GBps").
constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
    {"FLOPS", "FLOP/s"},     {"FLOPs", "FLOP/s"},   {"flops", "FLOP/s"}, {"Flops", "FLOP/s"},
    {"Flop", "FLOP"},        {"flop", "FLOP"},      {"OPS", "OP/s"},     {"OPs", "OP/s"},
    {"Bps", "B/s"},          {"bps", "bit/s"},      {"bytes", "B"},      {"byte", "B"},
    {"Bytes", "B"},          {"Byte", "B"},         {"bits", "bit"},     {"b", "bit"},
    {"seconds", "s"},        {"second", "s"},       {"secs", "s"},       {"sec", "s"},
    {"minutes", "min"},      {"minute", "min"},     {"hours", "hour"},   {"hr", "hour"},
    {"h", "hour"},           {"days", "day"},       {"d", "day"},        {"years", "year"},
    {"yr", "year"},          {"y", "year"},         {"watts", "W"},      {"watt", "W"},
    {"Watts", "W"},          {"Watt", "W"},         {"joules", "J"},     {"joule", "J"},
    {"hertz", "Hz"},         {"HZ", "Hz"},          {"hz", "Hz"},        {"wh", "Wh"},
    {"dollars", "USD"},      {"dollar", "USD"},     {"tokens", "token"}, {"tok", "token"},
    {"requests", "request"}, {"defects", "defect"}, {"meters", "m"},     {"meter", "m"},
};

bool isWordByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

}  // namespace

bool UnitTable::add(std::string_view name, Unit unit) {
  return units_.try_emplace(llvm::StringRef(name.data(), name.size()), std::move(unit)).second;
}

const Unit* UnitTable::find(std::string_view name) const {
  llvm::StringRef key(name.data(), name.size());
  auto found = units_.find(key);
  if (found == units_.end() && resolver_ && resolver_(name)) found = units_.find(key);
  return found == units_.end() ? nullptr : &found->getValue();
}

bool UnitTable::parseWord(std::string_view word, int exponent, UnitLookup& result) const {
  Exact scale;
  const Unit* unit = find(word);
  if (unit) {
    scale = unit->scale;
  } else {
    const Unit* refused = nullptr;
    for (const Prefix& prefix : kPrefixes) {
      if (!word.starts_with(prefix.text) || word.size() == prefix.text.size()) continue;
      const Unit* base = find(word.substr(prefix.text.size()));
      if (!base) continue;
      if (!(prefix.binary ? base->binaryPrefixes : base->decimalPrefixes)) {
        refused = base;
        continue;
      }
      unit = base;
      scale = base->scale.times(Exact::integer(prefix.binary ? 1024 : 10).power(prefix.power));
      break;
    }
    if (!unit) {
      result.fault = refused ? UnitFault::PrefixNotAllowed : UnitFault::Unknown;
      result.word = std::string(word);
      Suggestion meant = suggest(word);
      result.suggestion = meant.word;
      result.sure = meant.sure;
      return false;
    }
  }
  auto dimension = power(unit->dimension, 2 * exponent);
  if (dimension) dimension = multiply(result.dimension, *dimension);
  if (!dimension) {
    result.fault = UnitFault::Malformed;
    result.word = std::string(word);
    return false;
  }
  result.dimension = *dimension;
  result.scale = result.scale.times(scale.power(exponent));
  return true;
}

UnitLookup UnitTable::parse(std::string_view text) const {
  UnitLookup result;
  if (text == "%") {
    result.scale = Exact::integer(1).over(Exact::integer(100));
    return result;
  }
  size_t i = 0;
  int sign = 1;
  while (i < text.size()) {
    size_t start = i;
    while (i < text.size() && isWordByte(text[i])) ++i;
    std::string_view word = text.substr(start, i - start);
    int exponent = 1;
    if (i < text.size() && text[i] == '^') {
      ++i;
      bool negative = i < text.size() && text[i] == '-';
      if (negative) ++i;
      exponent = 0;
      while (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) &&
             exponent < 64) {
        exponent = exponent * 10 + (text[i++] - '0');
      }
      if (negative) exponent = -exponent;
    }
    if (word.empty() || exponent > 60 || exponent < -60) {
      result.fault = UnitFault::Malformed;
      result.word = std::string(text);
      return result;
    }
    if (!parseWord(word, sign * exponent, result)) {
      // The suggestion replaces one word of the whole text.
      if (!result.suggestion.empty()) {
        result.suggestion = std::string(text.substr(0, start)) + result.suggestion +
                            std::string(text.substr(start + word.size()));
      }
      return result;
    }
    if (i == text.size()) break;
    sign = text[i] == '/' ? -1 : 1;
    ++i;
  }
  return result;
}

std::string UnitTable::listText() const {
  constexpr size_t kShown = 24;
  std::string text;
  size_t count = 0;
  if (!allNames_) return text;
  for (const std::string& name : allNames_()) {
    if (++count > kShown) return text + ", …";
    text.append(text.empty() ? "`" : ", `").append(name).append("`");
  }
  return text;
}

std::string UnitTable::respell(std::string_view word) const {
  for (const auto& [wrong, right] : kSpellings) {
    if (!word.ends_with(wrong)) continue;
    std::string candidate(word.substr(0, word.size() - wrong.size()));
    candidate += right;
    if (parse(candidate).fault == UnitFault::None) return candidate;
  }
  return {};
}

Suggestion UnitTable::suggest(std::string_view word) const {
  if (!allNames_) return {};
  if (std::string respelt = respell(word); !respelt.empty()) return {respelt, true};
  std::vector<std::string> owned;
  for (const std::string& name : allNames_()) {
    owned.push_back(name);
    const Unit* unit = find(name);
    if (!unit) continue;
    for (const Prefix& prefix : kPrefixes) {
      if (prefix.binary ? unit->binaryPrefixes : unit->decimalPrefixes) {
        owned.push_back(std::string(prefix.text) + name);
      }
    }
  }
  return suggestion(word, {owned.begin(), owned.end()});
}

}  // namespace sysdl
