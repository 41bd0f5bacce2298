// `sysdlc diff A B`: which inputs differ, which results moved, and which input moved them how much.
#include <algorithm>
#include <map>

#include "driver/commands.h"
#include "driver/diff/changes.h"
#include "driver/diff/revision_reader.h"
#include "driver/diff/show.h"
#include "driver/envelope.h"
#include "fmt/format.h"

namespace sysdl {

using check::Record;

namespace {

using Records = std::map<std::string, Record*>;

/// What a file declares, by name: its designs, or the one of a name, and its other records.
Records recordsOf(Session& session, check::Module& module, const std::string& only) {
  Records records;
  const check::Schema* design = session.checker->preludeSchema("design");
  for (auto& [id, declaration] : module.values) {
    const check::Value& value = declaration.value;
    bool record = declaration.kind == check::DeclarationKind::Value &&
                  value.kind == check::ValueKind::Record && !value.record->isAbstract;
    std::string name(session.names.text(Name{id}));
    if (!record || (!only.empty() && (only != name || !value.record->schema->is(design)))) continue;
    // Another name for a record that is declared elsewhere is not this file's to compare.
    if (session.names.text(value.record->label) == name) records[name] = value.record;
  }
  return records;
}

void compare(Session& session, const Records& before, const Records& after,
             std::vector<Compared>& all) {
  const check::Schema* design = session.checker->preludeSchema("design");
  auto kind = [&](Record* r) { return std::string(session.names.text(r->schema->name)); };
  for (const auto& [name, record] : before) {
    auto other = after.find(name);
    Compared compared{name,
                      kind(record),
                      {},
                      other == after.end() ? Compared::What::Removed : Compared::What::Both};
    if (other != after.end()) {
      compared.attribution = attribute(session, record, other->second);
      compared.isDesign = record->schema->is(design);
    }
    all.push_back(std::move(compared));
  }
  for (const auto& [name, record] : after) {
    if (!before.contains(name)) all.push_back({name, kind(record), {}, Compared::What::Added});
  }
  std::ranges::stable_sort(all, {},
                           [](const Compared& c) { return std::pair(!c.isDesign, c.name); });
}

}  // namespace

Exit runDiff(const Options& options, Output& output) {
  auto reader = std::make_unique<RevisionReader>(ParseLimits{}.maxBytes);
  std::vector<std::string> paths;
  for (const std::string& side : {options.before, options.after}) {
    std::string why;
    std::optional<std::string> path = reader->resolve(side, why);
    if (!path) {
      Diagnostic d{Code::E0901, fmt::format("cannot read `{}`: {}", side, why), {}, {}, {}, {},
                   false};
      d.helpText("a side is a file, or a file at a revision, as in `HEAD~1:design.sysdl`");
      return refuse(d, options, output);
    }
    paths.push_back(*path);
  }
  std::vector<OpenedFile> files;
  files.push_back({paths[1], std::make_unique<Session>(std::move(reader)), nullptr, true});
  Session& session = *files.front().session;
  check::Module* before = session.open(paths[0]);
  check::Module* after = paths[0] == paths[1] ? before : session.open(paths[1]);
  files.front().readable = before && after;
  std::vector<Compared> compared;
  bool sound = before && after && !session.diagnostics.hasErrors();
  if (sound) {
    Records a = recordsOf(session, *before, options.design);
    Records b = recordsOf(session, *after, options.design);
    if (a.empty() && b.empty()) {
      std::string what =
          options.design.empty() ? "a record" : fmt::format("a design `{}`", options.design);
      session.diagnostics.report(Code::E0903, Span{after->start, after->start},
                                 fmt::format("neither side declares {}", what));
    }
    compare(session, a, b, compared);
  }
  std::erase_if(compared,
                [](const Compared& c) { return c.what == Compared::What::Both && c.same(); });
  Shower shower(session, options.before, options.after);
  if (options.format == Format::Json) {
    JsonWriter json;
    json.beginObject();
    writeEnvelope(json, "diff", {options.before, options.after});
    shower.json(json, compared);
    output.results(finishEnvelope(json, files, options));
  } else if (sound && (!compared.empty() || !session.diagnostics.hasErrors())) {
    output.results(shower.text(compared));
  }
  Exit exit = conclude(files, options, output);
  return exit == Exit::Fine && options.exitCode && !compared.empty() ? Exit::Wrong : exit;
}

}  // namespace sysdl
