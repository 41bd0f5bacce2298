// A calibration as a `.sysdl` text and as JSON.
#include "driver/calibrate/report.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "driver/calibrate/csv.h"
#include "driver/render/utf8.h"
#include "fmt/format.h"
#include "frontend/parse/parse.h"
#include "frontend/syntax/format.h"

namespace sysdl::calibrate {
namespace {

constexpr size_t kWidth = 118;

/// Text between quotes.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '{' || c == '}') result += c;
    result += c;
  }
  return result + "\"";
}

/// A comment in lines that are not too long.
std::string comment(std::string_view mark, std::string_view text) {
  std::string result, line(mark);
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(' ', at), text.size());
    bool percents = end + 1 < text.size() && text[end + 1] == '%';  // stays with its number
    if (percents) end = std::min(text.find(' ', end + 1), text.size());
    std::string word(text.substr(at, end - at));
    if (line.size() + 1 + word.size() > kWidth && line.size() > mark.size()) {
      result += line + "\n";
      line = mark;
    }
    line += " " + word;
    at = end + 1;
  }
  return result + line + "\n";
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string worstOf(const Errors& errors) {
  return fmt::format("worst {:+.1f} % (line {}, {})", 100 * errors.worst, errors.line,
                     errors.shown);
}

/// "0.8486", "3.12 us"
std::string valueOf(const Constant& constant, double value) {
  switch (constant.unit) {
  case Unit::Time: return fmt::format("{} us", std::round(value * 1e10) / 1e4);
  case Unit::Data: return fmt::format("{} B", value);
  case Unit::None: break;
  }
  return fmt::format("{}", value);
}

std::string groupName(const Calibration& c, const Calibrated& group) {
  return c.products ? group.group + " products" : "collectives on the level " + group.group;
}

/// What was fitted to what, and how near it comes.
std::string story(const Calibration& c, const Calibrated& group) {
  const Fit& fit = group.fit;
  std::string text =
      fmt::format("Fitted to {} of {} {} of {} (by {}, the middle one of each {:.3g}): median "
                  "|error| {} there; "
                  "{} on the other {}, 90th percentile {}, {}.",
                  fit.fittedOn, fit.rows, groupName(c, group), c.measurements,
                  c.products ? "work" : "collective, ranks and size", 1 / c.share,
                  percent(fit.fitted.median), percent(fit.heldBack.median), fit.heldBack.rows,
                  percent(fit.heldBack.p90), worstOf(fit.heldBack));
  if (fit.before) {
    text +=
        fmt::format(" The constants of {} before: median {}, 90th percentile {}, {}.", c.what.name,
                    percent(fit.before->median), percent(fit.before->p90), worstOf(*fit.before));
  }
  for (size_t i = 0; i < fit.constants.size(); ++i) {
    if (fit.constants[i].atBound)
      text += fmt::format(" `{}` lies at the end of its range.", group.model.constants[i].name);
  }
  return text;
}

/// "  sustained = 0.8486", with a source of its own where it is not fitted.
std::string assignment(const Calibration& c, const Calibrated& group, size_t index,
                       std::string_view path) {
  const Constant& constant = group.model.constants[index];
  const FittedConstant& found = group.fit.constants[index];
  std::string source;
  if (found.kept == Kept::AsBefore)
    source = fmt::format("as {}: these rows do not determine it", c.what.name);
  if (found.kept == Kept::Assumed) source = "assumed: these rows do not determine it";
  return fmt::format("  {}{} = {}{}\n", path, constant.name, valueOf(constant, found.value),
                     source.empty() ? "" : fmt::format(" source {} as assumed", quoted(source)));
}

std::string constantsName(const Calibration& c, const Calibrated& group) {
  return fmt::format("{}_{}", lowered(c.what.name), group.group);
}

std::string productText(const Calibration& c) {
  std::string text, uses;
  std::string source = quoted(c.measurements);
  for (const Calibrated& group : c.groups) {
    std::string name = constantsName(c, group);
    text += comment("///", story(c, group));
    text += fmt::format("gemm_fit {} {{\n  source {} as fitted\n", name, source);
    for (size_t i = 0; i < group.fit.constants.size(); ++i) text += assignment(c, group, i, "");
    text += "}\n\n";
    uses += fmt::format("  engine.tensor.gemm[{}] = {}\n", group.group, name);
  }
  return text + comment("///", fmt::format("{} with these constants.", c.what.name)) +
         fmt::format("chip {}_calibrated = {} {{\n  source {} as fitted\n{}}}\n", c.what.name,
                     c.what.path, source, uses);
}

std::string networkText(const Calibration& c) {
  std::string text = comment("///", story(c, c.groups.front()));
  text += fmt::format("network {}_calibrated = {} {{\n  source {} as fitted\n", c.what.name,
                      c.what.path, quoted(c.measurements));
  const Calibrated& group = c.groups.front();
  for (size_t i = 0; i < group.fit.constants.size(); ++i)
    text += assignment(c, group, i, fmt::format("level.{}.", group.group));
  return text + "}\n";
}

void writeErrors(JsonWriter& json, std::string_view name, const Errors& errors) {
  json.key(name);
  json.beginObject(JsonWriter::Inline);
  json.member("rows", errors.rows);
  json.member("median", errors.median);
  json.member("p90", errors.p90);
  json.member("worst", errors.worst);
  json.member("worst_line", errors.line);
  json.member("worst_row", errors.shown);
  json.endObject();
}

}  // namespace

std::string textOf(const Calibration& calibration) {
  Calibration c = calibration;
  c.measurements = printable(c.measurements);
  std::ranges::replace(c.measurements, '\n', ' ');
  std::string head = fmt::format(
      "Efficiency constants of {}, fitted to measurements by `sysdlc calibrate`.", c.what.name);
  if (c.used < c.total)
    head += fmt::format(" `--where` chose {} of {} rows of {}.", c.used, c.total, c.measurements);
  std::string text = comment("//", head) + "sysdl 2026\n\n";
  if (!c.what.importLine.empty()) text += c.what.importLine + "\n\n";
  text += c.products ? productText(c) : networkText(c);
  // Layout is the formatter's matter.
  SourceMap sources;
  NameTable names;
  Diagnostics diagnostics;
  Loc start = sources.add("<calibrate>", text);
  syntax::Tree tree = parse(start, sources, names, diagnostics);
  if (diagnostics.hasErrors())
    throw std::logic_error("`calibrate` wrote a file with errors:\n" + text);
  return syntax::format(tree, sources, names);
}

void writeJson(JsonWriter& json, const Calibration& c) {
  json.member("kind", c.products ? "gemm" : "collectives");
  json.member(c.products ? "chip" : "network", c.what.name);
  json.member("fit_share", c.share);
  json.member("rows_in_file", c.total);
  json.member("rows_used", c.used);
  json.key("fits");
  json.beginArray();
  for (const Calibrated& group : c.groups) {
    json.beginObject();
    json.member(c.products ? "format" : "level", group.group);
    json.member("rows", group.fit.rows);
    json.member("fitted_on", group.fit.fittedOn);
    json.key("constants");
    json.beginArray();
    for (size_t i = 0; i < group.fit.constants.size(); ++i) {
      const Constant& constant = group.model.constants[i];
      const FittedConstant& found = group.fit.constants[i];
      json.beginObject(JsonWriter::Inline);
      json.member("name", constant.name);
      json.member("value", found.value);
      json.member("unit", constant.unit == Unit::Time   ? "s"
                          : constant.unit == Unit::Data ? "B"
                                                        : "1");
      json.member("fitted", found.kept == Kept::Fitted);
      json.member("at_bound", found.atBound);
      json.key("before");
      if (constant.before)
        json.value(*constant.before);
      else
        json.null();
      json.endObject();
    }
    json.endArray();
    writeErrors(json, "errors_fitted", group.fit.fitted);
    writeErrors(json, "errors_held_back", group.fit.heldBack);
    if (group.fit.before) writeErrors(json, "errors_before", *group.fit.before);
    json.endObject();
  }
  json.endArray();
  json.member("text", textOf(c));
}

}  // namespace sysdl::calibrate
