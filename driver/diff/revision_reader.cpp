// Files of a git repository, read by git itself.
#include "driver/diff/revision_reader.h"

#include "fmt/format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

namespace sysdl {
namespace {

struct Answer {
  bool ran = false;  // git was found
  bool ok = false;
  std::string out, said;
};

std::string textOf(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// Runs git without a shell; what it prints is read from files that are gone afterwards.
Answer git(std::vector<llvm::StringRef> words) {
  Answer answer;
  auto program = llvm::sys::findProgramByName("git");
  llvm::SmallString<128> out, said;
  if (!program || llvm::sys::fs::createTemporaryFile("sysdl", "out", out) ||
      llvm::sys::fs::createTemporaryFile("sysdl", "err", said))
    return answer;
  llvm::FileRemover removeOut(out), removeSaid(said);
  words.insert(words.begin(), llvm::StringRef("git"));
  llvm::Optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(out),
                                                 llvm::StringRef(said)};
  int status = llvm::sys::ExecuteAndWait(*program, words, llvm::None, redirects);
  answer.ran = status >= 0;
  answer.ok = status == 0;
  answer.out = textOf(out);
  answer.said = textOf(said);
  return answer;
}

std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string whyNot(const Answer& answer) {
  if (!answer.ran) return "git is not installed";
  llvm::StringRef line(answer.said);
  line = line.split('\n').first;
  line.consume_front("fatal: ");
  return line.str();
}

}  // namespace

std::optional<std::string> RevisionReader::resolve(const std::string& side, std::string& why) {
  size_t colon = side.find(':');
  if (colon == std::string::npos || colon == 0 || llvm::sys::fs::exists(side)) return side;
  std::string revision = side.substr(0, colon), path = side.substr(colon + 1);
  if (revision.starts_with("-")) {
    why = fmt::format("`{}` is no revision", revision);
    return std::nullopt;
  }
  Answer known =
      git({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  if (!known.ok) {
    Answer inside = git({"rev-parse", "--show-prefix"});
    why = inside.ok ? fmt::format("there is no revision `{}`", revision) : whyNot(inside);
    return std::nullopt;
  }
  // As git reads it: from the root of the repository, or from here after `./`; else from here.
  std::string prefix = firstLine(git({"rev-parse", "--show-prefix"}).out);
  std::string fromHere = joinPath("/" + prefix + "x", path), fromRoot = joinPath("/x", path);
  bool here = path.starts_with("./") || path.starts_with("../");
  for (const std::string& full : {here ? fromHere : fromRoot, fromHere}) {
    if (git({"cat-file", "-e", revision + ":" + full.substr(1)}).ok) return revision + ":" + full;
  }
  why = fmt::format("`{}` has no file `{}`", revision, path);
  return std::nullopt;
}

std::optional<std::string> RevisionReader::read(const std::string& path, std::string& why) {
  size_t colon = path.find(":/");
  if (colon == std::string::npos || llvm::sys::fs::exists(path)) return disk_.read(path, why);
  std::string revision = path.substr(0, colon);
  Answer blob = git({"cat-file", "blob", revision + ":" + path.substr(colon + 2)});
  if (!blob.ok) {
    why = fmt::format("no such file at {}", revision);
    return std::nullopt;
  }
  // One byte more than allowed is enough to be refused.
  if (blob.out.size() > maxBytes_) blob.out.resize(maxBytes_ + 1);
  return std::move(blob.out);
}

std::vector<std::string> RevisionReader::neighbours(const std::string& path) {
  if (path.find(":/") == std::string::npos) return disk_.neighbours(path);
  return {};
}

std::string RevisionReader::rootOf(const std::string& path) {
  return path.find(":/") == std::string::npos ? disk_.rootOf(path) : std::string();
}

bool RevisionReader::within(const std::string& path, const std::string& root) {
  return disk_.within(path, root);
}

}  // namespace sysdl
