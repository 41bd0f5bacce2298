// The results of an evaluated design, found by what its schema marks as such.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/session.h"

namespace sysdl {

/// A result, or a record that holds some.
struct ResultNode {
  std::string name;
  check::Value value;              // of a leaf
  std::vector<ResultNode> fields;  // of a record: first leaves, then records, as declared
};

/// All fields of a record, and of the records that it owns, that are marked `result`.
std::vector<ResultNode> resultsOf(check::Checker& checker, check::Record* record);

/// The field that a dotted path of names leads to; Bad where there is none.
check::Value valueAt(check::Checker& checker, check::Record* record, std::string_view path);

/// A number, in SI base units; empty where the field is no number or has no value.
std::optional<double> numberAt(check::Checker& checker, check::Record* record,
                               std::string_view path);

/// A `require` or `warn` of a design or of a part of it.
struct RuleState {
  std::string_view code;
  std::string text;   // its condition, on one line
  bool holds = true;  // of a warning: that there is nothing to warn of
};

/// The rules of a record and the records that it owns, those that could be judged.
std::vector<RuleState> rulesOf(check::Checker& checker, check::Record* record);

}  // namespace sysdl
