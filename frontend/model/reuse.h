// What designs that differ in a few fields have in common: models, machines and optimizers by the
// values of the records that they are read from, within one checker.
#pragma once

#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/check/checker.h"
#include "ir/graph/plan.h"
#include "ir/graph/tensor_program.h"

namespace sysdl {

/// Numbers records such that two of the same number are written by the same definitions and have the
/// same values, all that they hold included. What is evaluated from nothing else is the same then.
class RecordKeys {
public:
  explicit RecordKeys(check::Checker& checker) : c_(checker) {}
  uint32_t of(check::Record* record);

private:
  struct Writer;
  check::Checker& c_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::unordered_map<const check::Record*, uint32_t> known_;
};

struct DesignReuse {
  explicit DesignReuse(check::Checker& checker) : keys(checker) {}

  using Key = std::array<uint32_t, 3>;
  RecordKeys keys;
  std::map<Key, Model> models;               // of model, chip and precision; any size of batch
  std::map<Key, OptimizerModel> optimizers;  // of optimizer, chip and precision
  /// Of the network, and the collective algorithms that the design sees.
  std::map<std::pair<uint32_t, std::vector<const check::Schema*>>, Machine> machines;
};

}  // namespace sysdl
