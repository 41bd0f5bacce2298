// Hands out the pages that the generated assembler file holds, and lays them out for a terminal.
#include "driver/explain/pages.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace {
struct Page {
  const char* code;
  const char* data;
  std::size_t size;
};
}  // namespace

extern "C" const Page sysdlPages[];  // sorted by code
extern "C" const std::size_t sysdlPageCount;

namespace sysdl {
namespace {

/// What stands above a block, by what follows its fence.
std::string_view captionOf(std::string_view fence) {
  if (fence.find(" wrong") != std::string_view::npos) return "Wrong:\n\n";
  if (fence.find(" right") != std::string_view::npos) return "Right:\n\n";
  return fence == "```text" ? "It says:\n\n" : "";
}

}  // namespace

std::string_view explainPage(Code code) {
  std::span<const Page> pages(sysdlPages, sysdlPageCount);
  auto found = std::ranges::find(pages, nameOf(code),
                                 [](const Page& page) { return std::string_view(page.code); });
  return found == pages.end() ? std::string_view() : std::string_view(found->data, found->size);
}

std::string renderPage(std::string_view markdown) {
  std::string text;
  bool inBlock = false;
  while (!markdown.empty()) {
    std::size_t end = std::min(markdown.find('\n'), markdown.size() - 1);
    std::string_view line = markdown.substr(0, end);
    markdown.remove_prefix(end + 1);
    if (line.starts_with("```")) {
      if (!inBlock) text += captionOf(line);
      inBlock = !inBlock;
      continue;
    }
    if (inBlock && !line.empty()) text += "    ";
    text.append(line).append("\n");
  }
  return text;
}

}  // namespace sysdl
