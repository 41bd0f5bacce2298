// The hash of what files say.
#include "driver/input_hash.h"

#include <algorithm>
#include <bit>
#include <set>

#include "fmt/format.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA1.h"

namespace sysdl {

using syntax::Kind;
using syntax::NodeId;

namespace {

std::string digest(std::string_view text) {
  auto bytes = llvm::SHA1::hash(
      llvm::makeArrayRef(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  return llvm::toHex(llvm::makeArrayRef(bytes), /*LowerCase=*/true);
}

/// Hashes syntax trees from the leaves upwards, so that members can be sorted by their hashes.
class TreeHash {
public:
  TreeHash(Session& session, const syntax::Tree& tree) : session_(session), tree_(tree) {}

  std::string of(NodeId id) {
    if (!id.valid()) return "-";
    const syntax::Node& node = tree_[id];
    if (node.kind == Kind::Group) return of(tree_.child(id, 0));
    if (node.kind == Kind::Number) return quantity(id);
    std::vector<std::string> children;
    for (NodeId child : tree_.children(id)) children.push_back(of(child));
    // A record's members and a file's declarations mean the same in any order.
    if (node.kind == Kind::File || node.kind == Kind::Body) std::ranges::sort(children);
    std::string text = fmt::format("{} {} {} {}\n{}\n{}\n", static_cast<int>(node.kind),
                                   static_cast<int>(node.op), node.flags, node.number,
                                   session_.names.text(node.name), session_.names.text(node.text));
    for (const std::string& child : children) text += child + "\n";
    return digest(text);
  }

private:
  std::string quantity(NodeId id) {
    std::string_view digits = session_.names.text(tree_[id].text);
    auto exact = Exact::decimal(digits);
    if (!exact) return digest(digits);
    NodeId unit = tree_.childCountOf(id) ? tree_.child(id, 0) : NodeId();
    if (!unit.valid()) return fmt::format("{:016x}", std::bit_cast<uint64_t>(exact->toDouble()));
    UnitLookup found = session_.checker->units.parse(session_.names.text(tree_[unit].text));
    return fmt::format("{:016x} {}", std::bit_cast<uint64_t>(exact->times(found.scale).toDouble()),
                       session_.checker->dimensions.formula(found.dimension));
  }

  Session& session_;
  const syntax::Tree& tree_;
};

std::string hashOf(Session& session, const check::Module& module) {
  return module.tree.root.valid() ? TreeHash(session, module.tree).of(module.tree.root)
                                  : digest(session.sources.fileText(module.start));
}

}  // namespace

std::string inputHash(const std::vector<OpenedFile>& files,
                      const std::vector<std::string>& changes) {
  std::set<std::string> hashes;
  for (const OpenedFile& file : files) {
    if (!file.module) continue;
    for (const check::Module* module : file.session->ownModules(*file.module)) {
      hashes.insert(hashOf(*file.session, *module));
    }
  }
  std::string text;
  for (const std::string& hash : hashes) text += hash + "\n";
  for (const std::string& change : changes) text += "-D " + change + "\n";
  return digest(text);
}

}  // namespace sysdl
