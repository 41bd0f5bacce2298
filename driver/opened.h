// The files that a command works on, each in a session of its own.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/render/diagnostics.h"
#include "driver/session.h"

namespace sysdl {

struct OpenedFile {
  std::string path;
  std::unique_ptr<Session> session;
  check::Module* module = nullptr;  // null where there is none to work on
  bool readable = true;
};

/// Paths in order, each once: an answer does not depend on the order in which files are named.
std::vector<std::string> inOrder(std::vector<std::string> paths);

/// The .sysdl files below a folder, in order.
std::vector<std::string> filesBelow(const std::string& folder);

/// Opens and checks a file. What one file declares, another does not see unless it imports it. Files
/// in `texts` are taken to hold that.
OpenedFile openFile(const std::string& path, const Options& options,
                    const std::map<std::string, std::string>& texts = {});

/// A design of a file, as `-D` changed it.
struct ChosenDesign {
  OpenedFile* file = nullptr;
  Name name;
  check::Record* record = nullptr;
};

/// The designs of all files, or those called `name`, changed by each of `changes` in turn. Reports
/// E0903 where there is none.
std::vector<ChosenDesign> chooseDesigns(std::vector<OpenedFile>& files, const std::string& name,
                                        const std::vector<std::string>& changes);

/// The design called `name`, or the only one of a file. Reports E0903 where there is none or where there are several.
std::optional<ChosenDesign> chooseDesign(std::vector<OpenedFile>& files, const std::string& name,
                                         const std::vector<std::string>& changes);

}  // namespace sysdl
