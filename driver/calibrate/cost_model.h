// The library's formulas with open constants: a time for sizes and any values of what is fitted.
//
// Nothing of a kernel or a collective is said here: the formulas are those of std.kernels and
// std.collectives, evaluated by the language over symbolic inputs and compiled once.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/calibrate/measurements.h"
#include "driver/session.h"

namespace sysdl::calibrate {

enum class Unit : uint8_t { None, Time, Data };

/// What is fitted: a field of a schema, in SI units.
struct Constant {
  std::string name;  // "sustained"
  Unit unit = Unit::None;
  double low = 0, high = 1;
  double usual = 0.5;            // where nothing is known
  std::optional<double> before;  // what the chip or network has
};

/// A way that a time can come about; of several that apply, the fastest counts.
struct Way {
  Program
      program;  // inputs: a row's, then the constants; outputs: the time, perhaps whether it applies
};

/// The formulas for one group of rows.
struct CostModel {
  std::vector<Constant> constants;
  std::map<std::string, std::vector<Way>> ways;  // by `Row::kind`

  /// The time of a row in seconds; nothing where no way applies or a number leaves its range.
  std::optional<double> seconds(const Row& row, std::span<const double> values,
                                Scratch& scratch) const;
};

/// A named chip or network: where it is declared, and how a file that imports it calls it.
struct Named {
  check::Record* record = nullptr;
  std::string name;        // "H100_SXM_80GB"
  std::string importLine;  // "import std.chips.nvidia"; empty where none is needed
  std::string path;        // "nvidia.H100_SXM_80GB"
};

/// Finds a value whose schema is, or extends, `schema`, in the library and in the file of `--file`.
/// Reports E0904 to `fault` where there is none.
std::optional<Named> findNamed(Session& session, const std::string& file, std::string_view schema,
                               const std::string& name, std::string_view option, Diagnostic& fault);

/// The words of the language for number formats.
std::vector<std::string> formatWords(Session& session);

/// Opens the constants of `gemm_fit` of a chip for one format (`quantize` only where the chip has it:
/// most products quantize nothing) and sets the inputs of `rows`. Reports
/// E0906 at the first row where the chip has no rate for the format.
std::optional<CostModel> productModel(Session& session, const Named& chip,
                                      const std::string& format, std::span<Row> rows);

/// Inputs that stand for the constants, and the names under which a text of `amended` reads them:
/// "fitted_sustained".
std::vector<FormulaId> openConstants(check::Checker& checker,
                                     const std::vector<Constant>& constants, Span span,
                                     std::vector<std::pair<Name, check::Value>>& named);

/// A copy of a record that a line changes, in which some names have values.
check::Record* amended(check::Checker& checker, check::Record* base, const std::string& text,
                       std::vector<std::pair<Name, check::Value>> named);

/// The shortest measured time, in seconds.
double shortest(std::span<const Row> rows);

/// A network level that is calibrated.
struct CalibratedLevel {
  std::string name;  // "node"
  CostModel model;
};

/// Opens the constants of a level of a network, the outermost that all rows cross unless `level` names
/// one, and sets the inputs of `rows`. Reports E0906 for each row that does not fit the network.
std::optional<CalibratedLevel> levelModel(Session& session, const Named& network,
                                          const std::string& level, std::vector<Row>& rows);

}  // namespace sysdl::calibrate
