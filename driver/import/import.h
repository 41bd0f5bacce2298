// A model of another tool's format as the text of a .sysdl file.
#pragma once

#include <string>

#include "driver/session.h"

namespace sysdl {

/// The canonical text of a file with the model that a Hugging Face configuration describes; comments in it say what was not
/// mapped. Empty after reports (E0905) where the configuration is refused. `name` may be empty: it then follows from `path`.
std::string importHuggingFace(const std::string& path, const std::string& text,
                              const std::string& name, Session& session);

}  // namespace sysdl
