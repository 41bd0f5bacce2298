// Random files that are right, with the values that they must have, computed beside the text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sysdl::test {

/// What a field of a record must be, in SI units.
struct Wanted {
  std::string record, field;
  double value = 0;
};

struct SoundFile {
  std::string text;
  std::vector<Wanted> wanted;
};

/// Schemas with fields of several types over one another, instances, and chains of amends that change
/// some of them; `bytes` spell the choices.
SoundFile makeSound(std::span<const uint8_t> bytes);

/// A design of a small model whose numbers fit together.
std::string makeSoundDesign(std::span<const uint8_t> bytes);

}  // namespace sysdl::test
