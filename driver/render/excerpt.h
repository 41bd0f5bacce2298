// Source lines with their labels underlined, as a compiler's message shows them.
#pragma once

#include <string>
#include <vector>

#include "driver/render/style.h"
#include "ir/support/diagnostic.h"
#include "ir/support/source_map.h"

namespace sysdl {

/// A place as people count: line and column from 1, columns in characters.
struct Place {
  std::string path;
  uint32_t line = 0;
  uint32_t column = 0;
};

Place placeOf(Loc loc, const SourceMap& sources);

/// The width of the line numbers of the labels.
size_t gutterWidth(const std::vector<Label>& labels, const SourceMap& sources);

/// For each file of the labels its `--> path:line:column`, its labelled lines, and under each the
/// underlines (`^` for the first label, `-` for others) with their texts. Lines that are too long
/// are cut around their labels. Every line ends in a newline.
std::string excerpt(const std::vector<Label>& labels, Role primary, const SourceMap& sources,
                    const Style& style, size_t gutter);

}  // namespace sysdl
