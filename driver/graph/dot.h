// The graph that a design lowers to in the language of Graphviz.
#pragma once

#include <string>

#include "driver/opened.h"

namespace sysdl {

/// A cluster of stage classes, and one for each part: its kernels (boxes) and collectives (ellipses), with edges in
/// issue order and dotted ones from a collective to the kernel that waits for it. `id` makes the names of nodes differ
/// from those of other designs.
std::string dotOf(const ChosenDesign& chosen, const EvaluatedDesign& design, size_t id);

/// The whole of a file, of the clusters of its designs.
std::string dotFile(const std::string& clusters);

}  // namespace sysdl
