// Where source text comes from: files named on the command line or imported, and the embedded library.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sysdl {

/// Reads files for imports. Paths are as written in the importing file, already joined to its folder.
class FileReader {
public:
  virtual ~FileReader() = default;
  /// The file's bytes, or nothing where it cannot be read (`why` says so in words).
  virtual std::optional<std::string> read(const std::string& path, std::string& why) = 0;
  /// Names of the `.sysdl` files in the folder of `path`, for did-you-mean.
  virtual std::vector<std::string> neighbours(const std::string& path) = 0;
  /// The folder below which the imports of `path` lie unless others are declared; empty: anywhere.
  virtual std::string rootOf(const std::string& path) {
    (void)path;
    return {};
  }
  /// Whether `path`, with all links followed, lies below the folder `root`.
  virtual bool within(const std::string& path, const std::string& root) {
    (void)path;
    (void)root;
    return true;
  }
};

/// Reads from disk.
class DiskReader : public FileReader {
public:
  explicit DiskReader(size_t maxBytes) : maxBytes_(maxBytes) {}
  std::optional<std::string> read(const std::string& path, std::string& why) override;
  std::vector<std::string> neighbours(const std::string& path) override;
  /// The nearest folder around the file that holds `.git`, else the file's own folder.
  std::string rootOf(const std::string& path) override;
  bool within(const std::string& path, const std::string& root) override;

private:
  size_t maxBytes_;
};

/// `path` as seen from the folder of `from`, normalised: "pods/x.sysdl" from "a/b.sysdl" is
/// "a/pods/x.sysdl".
std::string joinPath(std::string_view from, std::string_view path);

}  // namespace sysdl
