// `sysdlc calibrate`: fits the efficiency constants of a chip or a network to measured times.
#include "driver/calibrate/calibrate.h"

#include <algorithm>
#include <tuple>

#include "driver/commands.h"
#include "driver/envelope.h"
#include "fmt/format.h"

namespace sysdl {
namespace calibrate {
namespace {

double workOf(const Row& row) {
  double work = 2;
  for (int64_t size : row.sizes) work *= static_cast<double>(size);
  return work;
}

/// Formats apart, then in the order of work.
void sortProducts(std::vector<Row>& rows) {
  std::ranges::sort(rows, {}, [](const Row& row) {
    return std::tuple(row.group, workOf(row), row.sizes, row.line);
  });
}

void sortCollectives(std::vector<Row>& rows) {
  std::ranges::sort(rows, {}, [](const Row& row) {
    return std::tuple(row.kind, row.sizes[1], row.sizes[2], row.sizes[0], row.line);
  });
}

class Calibrator {
public:
  Calibrator(const Options& options, Session& session, const Named& what)
      : options_(options), session_(session) {
    result_.what = what;
    result_.measurements = options.measurements;
    result_.share = *readNumber(options.fitShare);
    result_.products = options.kind == "gemm";
    for (const std::string& condition : options.where) {
      size_t equals = condition.find('=');
      chosen_.emplace_back(condition.substr(0, equals), condition.substr(equals + 1));
    }
  }

  /// Fits what the file says; false after errors.
  bool run(Loc table) {
    bool done = result_.products ? products(table) : collectives(table);
    if (!done && !session_.diagnostics.hasErrors()) {
      session_.diagnostics.report(
          Code::E0906, {table, table},
          fmt::format("the library's formulas give no time for `{}`", result_.what.name));
    }
    return done && !session_.diagnostics.hasErrors();
  }

  Calibration& result() { return result_; }

private:
  bool products(Loc table) {
    Measurements read =
        readProducts(table, session_.sources, chosen_, formatWords(session_), session_.diagnostics);
    if (!take(read)) return false;
    sortProducts(rows_);
    bool complete = true;
    for (size_t begin = 0; begin < rows_.size();) {
      std::string format = rows_[begin].group;
      size_t end = begin;
      while (end < rows_.size() && rows_[end].group == format) ++end;
      std::span<Row> rows(rows_.begin() + static_cast<ptrdiff_t>(begin), end - begin);
      begin = end;
      auto model = productModel(session_, result_.what, format, rows);
      complete = complete && model;
      if (model) add(format, std::move(*model), rows);
    }
    return complete;
  }

  bool collectives(Loc table) {
    CollectiveDefaults defaults{options_.collective, static_cast<int64_t>(options_.ranks)};
    Measurements read =
        readCollectives(table, session_.sources, chosen_, defaults, session_.diagnostics);
    if (!take(read)) return false;
    sortCollectives(rows_);
    auto level = levelModel(session_, result_.what, options_.level, rows_);
    if (!level) return false;
    add(level->name, std::move(level->model), rows_);
    return true;
  }

  bool take(Measurements& read) {
    if (session_.diagnostics.hasErrors()) return false;
    result_.total = read.total;
    result_.used = read.rows.size();
    rows_ = std::move(read.rows);
    return true;
  }

  void add(const std::string& group, CostModel model, std::span<const Row> rows) {
    std::vector<bool> chosen = chooseRows(rows, result_.share);
    if (!enough(model, chosen)) {
      auto fitted = static_cast<size_t>(std::ranges::count(chosen, true));
      session_.diagnostics
          .report(Code::E0906, rows.front().span,
                  fmt::format("too few rows of {}: {} to fit {} constants on, {} to judge them by",
                              group, fitted, model.constants.size(), rows.size() - fitted))
          .helpText(
              fmt::format("each needs {} rows or more; `--fit-share` says how they are divided",
                          model.constants.size()));
      return;
    }
    auto fit = fitConstants(model, rows, chosen, session_.diagnostics);
    if (fit) result_.groups.push_back({group, std::move(model), std::move(*fit)});
  }

  const Options& options_;
  Session& session_;
  Chosen chosen_;
  std::vector<Row> rows_;
  Calibration result_;
};

}  // namespace

std::optional<Calibration> calibrate(Session& session, const Options& options, const Named& what,
                                     Loc table) {
  Calibrator calibrator(options, session, what);
  if (!calibrator.run(table)) return std::nullopt;
  return std::move(calibrator.result());
}

}  // namespace calibrate

Exit runCalibrate(const Options& options, Output& output) {
  using calibrate::Calibration;
  std::vector<OpenedFile> files;
  files.push_back({options.measurements, std::make_unique<Session>(), nullptr, true});
  Session& session = *files.front().session;
  auto answer = [&] {
    if (options.format == Format::Json) {
      JsonWriter json;
      json.beginObject();
      writeEnvelope(json, "calibrate", {options.measurements});
      output.results(finishEnvelope(json, files, options));
    }
    return conclude(files, options, output);
  };
  bool products = options.kind == "gemm";
  Diagnostic fault{Code::E0904, {}, {}, {}, {}, {}, false};
  auto named = calibrate::findNamed(session, options.file, products ? "chip" : "network",
                                    products ? options.chip : options.network,
                                    products ? "--chip" : "--network", fault);
  files.front().readable = options.file.empty() || !session.opened().empty();
  if (!named && !session.diagnostics.hasErrors()) return refuse(fault, options, output);
  if (!named) return answer();
  std::string why;
  auto text = session.reader->read(options.measurements, why);
  if (!text) {
    Diagnostic d{
        Code::E0901, fmt::format("cannot read `{}`: {}", options.measurements, why), {}, {}, {}, {},
        false};
    return refuse(d, options, output);
  }
  Loc table = session.sources.add(options.measurements, std::move(*text));
  std::optional<Calibration> calibration = calibrate::calibrate(session, options, *named, table);
  if (!calibration) return answer();
  if (options.format != Format::Json) {
    output.results(textOf(*calibration));
    return conclude(files, options, output);
  }
  JsonWriter json;
  json.beginObject();
  writeEnvelope(json, "calibrate", {options.measurements});
  writeJson(json, *calibration);
  output.results(finishEnvelope(json, files, options));
  return conclude(files, options, output);
}

}  // namespace sysdl
