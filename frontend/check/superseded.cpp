// Layers that later ones replace whole: a chain of ten thousand amends of one field keeps a few.
#include <algorithm>
#include <set>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::check {

using syntax::Kind;
using syntax::Node;

namespace {

/// Below this, looking for what can go costs more than it saves.
constexpr size_t kFewLayers = 16;

/// A chain of amends in which nothing can be left out costs the square of its length, and one that
/// reads `base` in each the cube.
constexpr size_t kMaxLayers = 1'000;
constexpr int kMaxBases = 32;

/// What a layer sets, as paths such as "plan.tp.", each piece ended by a dot.
class Collector {
public:
  Collector(const Checker& checker, const syntax::Tree& tree) : c_(checker), t_(tree) {}

  LayerSummary layer(const Layer& from) {
    if (from.kind == LayerKind::Member)
      member(from.node, from.pathStart, "");
    else
      body(from.node, "");
    std::ranges::sort(summary_.paths);
    return std::move(summary_);
  }

private:
  const Checker& c_;
  const syntax::Tree& t_;
  LayerSummary summary_;

  void body(NodeId node, const std::string& prefix) {
    size_t before = summary_.paths.size();
    for (NodeId item : t_.children(node)) {
      switch (t_[item].kind) {
      case Kind::Assign:
      case Kind::Nest: member(item, 0, prefix); break;
      case Kind::Let: readsBase(t_.child(item, 0)); break;
      case Kind::Origin: break;
      default: summary_.replaceable = false;  // rules stay, and children have more to say
      }
    }
    // An empty body says that the record is there.
    if (summary_.paths.size() == before) summary_.replaceable = false;
  }

  void member(NodeId node, uint32_t start, std::string path) {
    NodeId pieces = t_.child(node, 0);
    for (NodeId piece : t_.children(pieces).subspan(start)) {
      bool word = t_[piece].kind == Kind::Word;
      path += word ? c_.str(t_[piece].name) : c_.sources.text(t_[piece].span);
      path += '.';
    }
    if (t_[node].kind == Kind::Nest) return body(t_.child(node, 1), path);
    summary_.paths.push_back(path);
    readsBase(t_.child(node, 1));
  }

  void readsBase(NodeId node) {
    if (!node.valid()) return;
    const Node& n = t_[node];
    summary_.readsBase |= n.kind == Kind::Ref && c_.str(n.name) == kBaseWord;
    for (NodeId child : t_.children(node)) readsBase(child);
  }
};

/// Whether a path, or one that it lies beneath, is in the set.
bool covered(const std::string& path, const std::set<std::string, std::less<>>& set) {
  std::string_view all = path;
  for (size_t end = path.find('.'); end != std::string::npos; end = path.find('.', end + 1)) {
    if (set.contains(all.substr(0, end + 1))) return true;
  }
  return false;
}

}  // namespace

const LayerSummary& Checker::summaryOf(const Layer& layer) {
  std::tuple key(layer.module, layer.node.index, layer.pathStart);
  auto [entry, isNew] = summaries_.try_emplace(key);
  if (isNew) entry->second = Collector(*this, layer.module->tree).layer(layer);
  return entry->second;
}

void Checker::dropSuperseded(std::vector<Layer>& layers) {
  if (layers.size() < kFewLayers) return;
  std::set<std::string, std::less<>> set;  // by the layers above
  std::vector<bool> keep(layers.size(), true);
  for (size_t i = layers.size(); i-- > 0;) {
    const Layer& layer = layers[i];
    bool written = layer.kind == LayerKind::Body || layer.kind == LayerKind::Member;
    if (!written || layer.fromSchema) continue;
    const LayerSummary& summary = summaryOf(layer);
    bool dead = summary.replaceable && std::ranges::all_of(summary.paths, [&](const auto& path) {
                  return covered(path, set);
                });
    keep[i] = !dead;
    // What is read through `base` must stay, and with it all that lies below.
    if (!dead && summary.readsBase) break;
    set.insert(summary.paths.begin(), summary.paths.end());
  }
  size_t kept = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (!keep[i]) continue;
    if (kept != i) layers[kept] = std::move(layers[i]);
    ++kept;
  }
  layers.resize(kept);
}

bool Checker::isTooDeep(std::vector<Layer>& layers, Span span) {
  if (layers.size() < kFewLayers) return false;
  int bases = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    bool written = layer.kind == LayerKind::Body || layer.kind == LayerKind::Member;
    if (written && !layer.fromSchema && summaryOf(layer).readsBase) ++bases;
    if (i < kMaxLayers && bases <= kMaxBases) continue;
    layers.resize(i);
    std::string said =
        i < kMaxLayers
            ? fmt::format("`base` is read through more than {} amends of one record", kMaxBases)
            : fmt::format("a record is amended at most {} times where each amend still counts",
                          kMaxLayers);
    diagnostics.report(Code::E0120, span, said)
        .helpText("rules, children and what `base` reads make an amend count; plain values can be "
                  "set anew as often as you like");
    return true;
  }
  return false;
}

}  // namespace sysdl::check
