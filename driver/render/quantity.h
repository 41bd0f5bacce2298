// Numbers for people: few digits, a fitting prefix.
#pragma once

#include <string>
#include <string_view>

namespace sysdl {

/// "13.75 s", "64.4 GB", "1.23 us": `digits` significant digits and a decimal prefix. Seconds take
/// none above one.
std::string withPrefix(double value, std::string_view unit, int digits = 4);

/// "9,533" or, below 1000, `digits` significant digits: "148.9".
std::string grouped(double value, int digits = 4);

/// "$35.41", "$0.00107", "$309,000".
std::string dollars(double value);

/// "357 days", "5.2 hours", "64 s".
std::string duration(double seconds);

/// "12.3 %" of 0.123.
std::string percent(double fraction);

}  // namespace sysdl
