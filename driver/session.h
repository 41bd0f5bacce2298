// One run of the compiler: sources, names, diagnostics, the checker, and designs evaluated on demand.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/check/checker.h"
#include "frontend/model/design.h"
#include "frontend/model/reuse.h"
#include "ir/graph/graph.h"
#include "ir/graph/results.h"

namespace sysdl {

/// A design that has been evaluated: what it was lowered to and what was found.
struct EvaluatedDesign {
  Name name;
  check::Record* record = nullptr;
  bool sound = false;    // its rules on inputs hold
  bool lowered = false;  // or tried
  std::optional<DesignInputs> inputs;
  std::optional<Graph> graph;
  std::optional<StepResults> results;  // empty where the design has errors
  std::vector<check::PendingRule> rules;
};

class Session {
public:
  /// Reads files by `reader`, from disk unless it is given.
  explicit Session(std::unique_ptr<FileReader> reader = nullptr);

  /// Loads and checks the file named on the command line. Null where it cannot be read; faults in it
  /// are in `diagnostics`.
  check::Module* open(const std::string& path);
  /// The same with the text of the file given.
  check::Module* openText(const std::string& path, std::string text);

  /// Files are imported from below these folders, rather than from the project of the file.
  void setRoots(std::vector<std::string> roots) { roots_ = std::move(roots); }

  /// What `open` loaded, in that order.
  const std::vector<check::Module*>& opened() const { return opened_; }

  /// A file and all that it imports, but the standard library.
  std::vector<check::Module*> ownModules(check::Module& module);

  /// The designs of a file in name order; E0903 where there is none.
  std::vector<std::pair<Name, check::Record*>> designs(check::Module& module);

  /// Checks, lowers and evaluates a design, binds its results and judges its rules; once per record.
  EvaluatedDesign& evaluateDesign(Name name, check::Record* record);

  /// Checks the rules of a design that need no results.
  EvaluatedDesign& checkDesign(Name name, check::Record* record);
  /// Lowers without evaluating, for `--emit graph`.
  EvaluatedDesign& lowerDesign(Name name, check::Record* record);

  /// From now on, designs share what they have in common. Messages may point to the first of them.
  void shareParts() {
    reuse_ = std::make_unique<DesignReuse>(*checker);
    checker->keepAsked(false);
  }
  /// Lets go of what was found about a design; its record stays.
  void forget(check::Record* record) { evaluated_.erase(record); }

  /// Evaluates every design whose results a formula waits for. False where one of them has errors,
  /// or is no design.
  bool settle(FormulaId formula);

  /// The value of an expression that was written outside of all files, as after `--get`: names are
  /// the record's fields, then those of the prelude. `origin` is what messages show as its file.
  check::Value evaluateText(const std::string& origin, std::string text, check::Record* record);

  SourceMap sources;
  NameTable names;
  Diagnostics diagnostics;
  std::unique_ptr<FileReader> reader;
  std::unique_ptr<check::Checker> checker;

private:
  /// A file beside `path` whose name is nearly the same; empty where there is none.
  std::string neighbour(const std::string& path);
  void walkValues(check::Module& module);
  void addRemedies(check::Record* record, size_t said);
  void reportFault(const EvaluatedDesign& design, const struct EvaluationError& error);

  std::vector<check::Module*> opened_;
  std::vector<std::string> roots_;
  std::map<check::Record*, EvaluatedDesign> evaluated_;
  std::unique_ptr<DesignReuse> reuse_;
  std::deque<check::Module> texts_;
  Scratch scratch_;
  bool remedying_ = false;
};

}  // namespace sysdl
