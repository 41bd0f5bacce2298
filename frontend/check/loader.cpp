// Where source text comes from: the disk.
#include "frontend/check/loader.h"

#include <algorithm>

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace sysdl {

std::optional<std::string> DiskReader::read(const std::string& path, std::string& why) {
  llvm::sys::fs::file_status status;
  if (auto error = llvm::sys::fs::status(path, status)) {
    why = error.message();
    return std::nullopt;
  }
  if (status.type() == llvm::sys::fs::file_type::directory_file) {
    why = "it is a folder";
    return std::nullopt;
  }
  // One byte more than allowed is enough to be refused by the parser's limit.
  auto file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file) {
    why = llvm::toString(file.takeError());
    return std::nullopt;
  }
  std::string bytes;
  bool ok = true;
  while (bytes.size() <= maxBytes_) {
    size_t before = bytes.size();
    size_t chunk = std::min<size_t>(maxBytes_ + 1 - before, size_t{1} << 16);
    bytes.resize(before + chunk);
    auto got = llvm::sys::fs::readNativeFile(*file, llvm::MutableArrayRef(&bytes[before], chunk));
    if (!got) {
      why = llvm::toString(got.takeError());
      ok = false;
      break;
    }
    bytes.resize(before + *got);
    if (*got == 0) break;
  }
  if (llvm::sys::fs::closeFile(*file)) ok = false;
  if (!ok) return std::nullopt;
  return bytes;
}

std::vector<std::string> DiskReader::neighbours(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  llvm::sys::fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
  for (; !error && entry != end && names.size() < 1000; entry.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(entry->path());
    if (name.endswith(".sysdl")) names.push_back(name.str());
  }
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

std::optional<std::string> realPath(llvm::StringRef path) {
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(path, real, /*expand_tilde=*/false)) return std::nullopt;
  return std::string(real);
}

}  // namespace

std::string DiskReader::rootOf(const std::string& path) {
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  std::string own = realPath(folder.empty() ? "." : folder).value_or(std::string());
  for (llvm::StringRef at = own; !at.empty(); at = llvm::sys::path::parent_path(at)) {
    llvm::SmallString<256> mark(at);
    llvm::sys::path::append(mark, ".git");
    if (llvm::sys::fs::exists(mark)) return std::string(at);
  }
  return own;
}

bool DiskReader::within(const std::string& path, const std::string& root) {
  // What does not exist is reported as that, where its folder is one that may be asked about.
  std::optional<std::string> real = realPath(path);
  if (!real) real = realPath(llvm::sys::path::parent_path(path));
  std::optional<std::string> folder = realPath(root);
  if (!folder || !real) return !real;
  llvm::StringRef rest(*real);
  return rest.consume_front(*folder) && (rest.empty() || rest.front() == '/' || *folder == "/");
}

std::string joinPath(std::string_view from, std::string_view path) {
  llvm::SmallString<256> joined;
  llvm::StringRef written(path.data(), path.size());
  if (!llvm::sys::path::is_absolute(written)) {
    joined = llvm::sys::path::parent_path(llvm::StringRef(from.data(), from.size()));
  }
  llvm::sys::path::append(joined, written);
  llvm::sys::path::remove_dots(joined, true);
  return std::string(joined);
}

}  // namespace sysdl
