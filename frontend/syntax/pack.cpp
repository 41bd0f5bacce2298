// Syntax trees as bytes: names by a table of their own, positions relative to the file.
#include "frontend/syntax/pack.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "llvm/ADT/DenseMap.h"

namespace sysdl::syntax {
namespace {

static_assert(std::is_trivially_copyable_v<Node> && std::is_trivially_copyable_v<Comment>);

struct Header {
  uint32_t magic = 0x5953444c;
  uint32_t nodeSize = sizeof(Node);
  uint32_t root = 0;
  uint32_t names = 0, nodes = 0, links = 0, comments = 0;
};

/// Adds `delta` to a position that is one; unsigned arithmetic wraps back.
void shift(Span& span, uint32_t delta) {
  if (span.begin.valid()) span.begin.offset += delta;
  if (span.end.valid()) span.end.offset += delta;
}

void shift(Node& node, uint32_t delta) {
  shift(node.span, delta);
  shift(node.nameSpan, delta);
}

template <typename T>
void append(std::string& bytes, const T* data, size_t count) {
  bytes.append(reinterpret_cast<const char*>(data), count * sizeof(T));
}

/// Takes `count` values off the front of `bytes`; false where there are fewer.
template <typename T>
bool take(std::string_view& bytes, std::vector<T>& values, size_t count) {
  if (bytes.size() / sizeof(T) < count) return false;
  values.resize(count);
  std::copy_n(bytes.begin(), count * sizeof(T), reinterpret_cast<char*>(values.data()));
  bytes.remove_prefix(count * sizeof(T));
  return true;
}

}  // namespace

std::string pack(const Tree& tree, const NameTable& names, Loc start) {
  llvm::DenseMap<uint32_t, uint32_t> local;
  std::vector<std::string_view> texts;
  auto localName = [&](Name name) {
    if (!name) return Name{};
    auto [entry, isNew] = local.try_emplace(name.id, static_cast<uint32_t>(texts.size() + 1));
    if (isNew) texts.push_back(names.text(name));
    return Name{entry->second};
  };
  // Positions stay above zero, which means "nowhere".
  const uint32_t delta = 1 - start.offset;
  std::vector<Node> nodes = tree.nodes;
  for (Node& node : nodes) {
    node.name = localName(node.name);
    node.text = localName(node.text);
    shift(node, delta);
  }
  std::vector<Comment> comments = tree.comments;
  for (Comment& comment : comments) shift(comment.span, delta);
  Header header;
  header.root = tree.root.index;
  header.names = static_cast<uint32_t>(texts.size());
  header.nodes = static_cast<uint32_t>(nodes.size());
  header.links = static_cast<uint32_t>(tree.links.size());
  header.comments = static_cast<uint32_t>(comments.size());
  std::string bytes;
  append(bytes, &header, 1);
  append(bytes, nodes.data(), nodes.size());
  append(bytes, tree.links.data(), tree.links.size());
  append(bytes, comments.data(), comments.size());
  for (std::string_view text : texts) {
    auto size = static_cast<uint32_t>(text.size());
    append(bytes, &size, 1);
    bytes += text;
  }
  return bytes;
}

std::optional<Tree> unpack(std::string_view bytes, NameTable& names, Loc start) {
  Header header, expected;
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes.remove_prefix(sizeof header);
  if (header.magic != expected.magic || header.nodeSize != expected.nodeSize) return std::nullopt;
  Tree tree;
  tree.root.index = header.root;
  if (!take(bytes, tree.nodes, header.nodes) || !take(bytes, tree.links, header.links) ||
      !take(bytes, tree.comments, header.comments)) {
    return std::nullopt;
  }
  std::vector<Name> interned{Name{}};
  for (uint32_t i = 0; i < header.names; ++i) {
    uint32_t size = 0;
    if (bytes.size() < sizeof size) return std::nullopt;
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    if (bytes.size() < size) return std::nullopt;
    interned.push_back(names.intern(bytes.substr(0, size)));
    bytes.remove_prefix(size);
  }
  const uint32_t delta = start.offset - 1;
  for (Node& node : tree.nodes) {
    if (node.name.id >= interned.size() || node.text.id >= interned.size()) return std::nullopt;
    node.name = interned[node.name.id];
    node.text = interned[node.text.id];
    shift(node, delta);
  }
  for (Comment& comment : tree.comments) shift(comment.span, delta);
  return tree;
}

}  // namespace sysdl::syntax
