// The job of `sysdlc calibrate`, without its command line.
#pragma once

#include <optional>

#include "driver/calibrate/report.h"
#include "driver/options.h"

namespace sysdl::calibrate {

/// Reads the measurements that `session.sources` holds at `table` and fits the constants of `what` to
/// them, as `options` say (kind, fitShare, where, level, collective, ranks, measurements). Empty after
/// errors, which are in the session's diagnostics: E0906 with their places.
std::optional<Calibration> calibrate(Session& session, const Options& options, const Named& what,
                                     Loc table);

}  // namespace sysdl::calibrate
