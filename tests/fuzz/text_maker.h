// Random `.sysdl` text that mostly parses: from bytes of a fuzzer or of a seeded generator.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace sysdl::test {

/// A file made by the choices that `bytes` spell; when they run out, each choice is the first one. Names
/// come from a small pool, so that many references find something.
std::string makeText(std::span<const uint8_t> bytes);

/// Puts a file through check, evaluation, tests, explorations' lists and the formatter. Empty where all
/// is as it must be: each diagnostic has a place, no message asks to be reported as a fault of ours, a
/// design without errors has finite results, and the formatted text is stable. Else what is not.
std::string examine(const std::string& text);

}  // namespace sysdl::test
