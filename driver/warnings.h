// Which warnings are said: `--allow`, `--deny`, and waivers in comments on the line.
#pragma once

#include <string>
#include <vector>

#include "driver/session.h"
#include "ir/support/diagnostic.h"

namespace sysdl {

/// What the command line says of warnings: codes, or "warnings" for all of them. `deny` makes errors
/// of them; a code named in both is denied.
struct WarningPolicy {
  std::vector<std::string> allow, deny;
};

/// The word of a policy that is neither the code of a warning nor "warnings"; empty where all are.
std::string wrongWord(const WarningPolicy& policy);

/// The diagnostics of a session in source order, without the warnings that are allowed, by the policy
/// or by a comment `// allow W0403: reason` on their line or alone on the line above. A comment of that
/// form with another code, or without a reason, is reported (W0206).
std::vector<Diagnostic> settled(Session& session, const WarningPolicy& policy);

}  // namespace sysdl
