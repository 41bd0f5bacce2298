// Opening files, choosing and changing designs.
#include "driver/opened.h"

#include <algorithm>

#include "fmt/format.h"
#include "llvm/Support/FileSystem.h"

namespace sysdl {

std::vector<std::string> inOrder(std::vector<std::string> paths) {
  std::ranges::sort(paths);
  auto same = std::ranges::unique(paths);
  paths.erase(same.begin(), same.end());
  return paths;
}

std::vector<std::string> filesBelow(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  llvm::sys::fs::recursive_directory_iterator entry(folder, error, /*follow_symlinks=*/false), end;
  for (; !error && entry != end; entry.increment(error)) {
    bool isFile = entry->type() == llvm::sys::fs::file_type::regular_file;
    if (isFile && llvm::StringRef(entry->path()).endswith(".sysdl")) files.push_back(entry->path());
  }
  std::ranges::sort(files);
  return files;
}

namespace {

/// Reads from disk, but for some files that are taken to hold other texts.
class EditedReader : public DiskReader {
public:
  explicit EditedReader(const std::map<std::string, std::string>& texts)
      : DiskReader(ParseLimits{}.maxBytes), texts_(texts) {}
  std::optional<std::string> read(const std::string& path, std::string& why) override {
    auto found = texts_.find(path);
    return found == texts_.end() ? DiskReader::read(path, why) : found->second;
  }

private:
  std::map<std::string, std::string> texts_;
};

}  // namespace

OpenedFile openFile(const std::string& path, const Options& options,
                    const std::map<std::string, std::string>& texts) {
  std::unique_ptr<FileReader> reader;
  if (!texts.empty()) reader = std::make_unique<EditedReader>(texts);
  OpenedFile file{path, std::make_unique<Session>(std::move(reader)), nullptr};
  file.session->setRoots(options.roots);
  file.module = file.session->open(path);
  file.readable = file.module != nullptr;
  return file;
}

namespace {

/// No file has a design of the name that was asked for.
void reportNoSuchDesign(OpenedFile& file, const std::string& name,
                        const std::vector<ChosenDesign>& all) {
  Session& session = *file.session;
  Span start{file.module->start, file.module->start};
  auto& d =
      session.diagnostics.report(Code::E0903, start, fmt::format("there is no design `{}`", name));
  std::vector<std::string_view> candidates;
  std::string known;
  for (const ChosenDesign& design : all) {
    candidates.push_back(design.file->session->names.text(design.name));
    known += fmt::format("{}`{}`", known.empty() ? "" : ", ", candidates.back());
  }
  std::string near = nearest(name, candidates);
  d.helpText(near.empty() ? "there are " + known : fmt::format("did you mean `{}`?", near));
}

}  // namespace

std::vector<ChosenDesign> chooseDesigns(std::vector<OpenedFile>& files, const std::string& name,
                                        const std::vector<std::string>& changes) {
  std::vector<ChosenDesign> all, chosen;
  for (OpenedFile& file : files) {
    if (!file.module) continue;
    for (auto [designName, record] : file.session->designs(*file.module)) {
      all.push_back({&file, designName, record});
      if (name.empty() || file.session->names.text(designName) == name)
        chosen.push_back(all.back());
    }
  }
  if (chosen.empty() && !all.empty()) reportNoSuchDesign(*all.front().file, name, all);
  // A change that is wrong is no reason to evaluate what it should have changed.
  std::erase_if(chosen, [&](ChosenDesign& design) {
    Session& session = *design.file->session;
    size_t errors = session.diagnostics.errorCount();
    for (const std::string& change : changes) {
      design.record = session.checker->amendText(design.record, "<-D>", change);
    }
    return session.diagnostics.errorCount() != errors;
  });
  return chosen;
}

std::optional<ChosenDesign> chooseDesign(std::vector<OpenedFile>& files, const std::string& name,
                                         const std::vector<std::string>& changes) {
  std::vector<ChosenDesign> designs = chooseDesigns(files, name, changes);
  if (designs.empty()) return std::nullopt;
  if (designs.size() == 1) return designs.front();
  OpenedFile& file = *designs.front().file;
  std::string names;
  for (const ChosenDesign& d : designs)
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", file.session->names.text(d.name));
  file.session->diagnostics
      .report(Code::E0903, Span{file.module->start, file.module->start},
              "the file has several designs: which one?")
      .helpText(fmt::format("choose by `--design`: {}", names));
  return std::nullopt;
}

}  // namespace sysdl
