// Reads files from disk, and `REV:path` from a git repository.
#pragma once

#include <optional>
#include <string>

#include "frontend/check/loader.h"

namespace sysdl {

/// A side of a comparison: a file, or a path at a revision of the repository around the working folder.
class RevisionReader : public FileReader {
public:
  explicit RevisionReader(size_t maxBytes) : disk_(maxBytes), maxBytes_(maxBytes) {}

  /// The path under which a side is read, imports of which are read at the same revision:
  /// "HEAD~1:design.sysdl" becomes "HEAD~1:/folder/design.sysdl". A file of that very name comes first.
  /// Empty with a reason in `why` outside of a repository, without git, for an unknown revision.
  std::optional<std::string> resolve(const std::string& side, std::string& why);

  std::optional<std::string> read(const std::string& path, std::string& why) override;
  std::vector<std::string> neighbours(const std::string& path) override;
  /// Of a file on disk; what lies at a revision cannot leave its repository.
  std::string rootOf(const std::string& path) override;
  bool within(const std::string& path, const std::string& root) override;

private:
  DiskReader disk_;
  size_t maxBytes_;
};

}  // namespace sysdl
