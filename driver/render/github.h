// Diagnostics as annotations of a GitHub workflow.
#pragma once

#include <string>

#include "ir/support/diagnostic.h"

namespace sysdl {

/// One line, `::error file=…,line=…,col=…,endLine=…,endColumn=…,title=E0402: …::message`. The title is
/// the catalogue's line; message, notes and help are the text. A diagnostic of no file of the user's
/// has no place.
std::string githubAnnotation(const Diagnostic& diagnostic, const SourceMap& sources);

}  // namespace sysdl
