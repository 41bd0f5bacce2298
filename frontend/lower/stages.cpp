// Cuts a model into pipeline stages and chunks, and sends between them.
//
// Layers, in order, are cut into pieces: equal ones, or as the plan lists them. Where a piece lies is the
// schedule's matter: piece j * p + i is chunk j of stage i in interleaved 1F1B [Narayanan et al. 2021,
// arXiv:2104.04473]; other schedules fold the pieces into a V. Parts that are no layers go with the piece
// before them, the first ones with the first piece and the last ones with the last.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "frontend/lower/context.h"
#include "frontend/lower/groups.h"

namespace sysdl::lowering {
namespace {

struct Cut {
  int64_t stages = 1;
  int64_t chunks = 1;
  int64_t pieces = 1;
  std::vector<int64_t> layers;  // by piece
};

int64_t stageCount(const Context& context) { return context.mesh.degree(context.mesh.stages); }

/// The numbers near `wanted` that divide `total`: "4 or 6".
std::string nearestDivisors(int64_t total, int64_t wanted) {
  int64_t below = std::min(wanted, total), above = wanted;
  while (below > 1 && total % below != 0) --below;
  while (above < total && total % above != 0) ++above;
  return above >= total || above == below ? std::to_string(below)
                                          : fmt::format("{} or {}", below, above);
}

void reportCut(Context& context, int64_t total, const Cut& cut) {
  const MeshAxis& axis = context.plan.mesh[context.plan.stages];
  std::string name(context.names.text(axis.name));
  auto part = std::find_if(context.model.parts.begin(), context.model.parts.end(), isLayer);
  const Part& shown = part == context.model.parts.end() ? context.model.parts.front() : *part;
  Diagnostic& d = context.diagnostics.report(
      Code::E0515, axis.span,
      fmt::format("{} layers do not divide over {} stages of {} chunk{}", total, cut.stages,
                  cut.chunks, cut.chunks == 1 ? "" : "s"),
      fmt::format("{} = {}", name, cut.stages));
  d.label(shown.span, fmt::format("{} layers", total));
  d.note(fmt::format("{} layers / ({} stages * {} chunks) = {:.4g}", total, cut.stages, cut.chunks,
                     static_cast<double>(total) / static_cast<double>(cut.pieces)));
  if (total >= cut.chunks && total % cut.chunks == 0) {
    d.helpText(fmt::format("{} can be {}", name, nearestDivisors(total / cut.chunks, cut.stages)));
  } else {
    d.helpText(fmt::format("the number of stages times chunks can be {}",
                           nearestDivisors(total, cut.pieces)));
  }
}

int64_t layersOf(const Model& model) {
  int64_t total = 0;
  for (const Part& part : model.parts) {
    if (isLayer(part)) total += part.repeat;
  }
  return total;
}

/// The layers of each piece; nothing after a report where they do not divide.
std::optional<Cut> cutOf(Context& context) {
  const Schedule& schedule = context.plan.schedule;
  Cut cut{stageCount(context), std::max<int64_t>(schedule.chunks, 1), 1, {}};
  const int64_t own = schedule.kind == ScheduleKind::DualPipe ? 1 : cut.chunks;
  if (__builtin_mul_overflow(cut.stages, own, &cut.pieces)) cut.pieces = INT64_MAX;
  // What the first and the last piece hold besides layers takes the place of a layer there.
  const int64_t ends = context.plan.endsAsLayers && cut.stages > 1 ? 1 : 0;
  const int64_t total = layersOf(context.model) + 2 * ends;
  const std::vector<int64_t>& listed = context.plan.stageLayers;
  if (cut.pieces > 1 && !listed.empty()) {
    const int64_t sum = std::accumulate(listed.begin(), listed.end(), int64_t{0});
    if (static_cast<int64_t>(listed.size()) == cut.pieces && sum == total - 2 * ends) {
      cut.layers = listed;
      return cut;
    }
    context.diagnostics.report(
        Code::E0515, context.plan.mesh[context.plan.stages].span,
        fmt::format("{} numbers of layers are listed, {} together, for {} pieces and {} layers",
                    listed.size(), sum, cut.pieces, total - 2 * ends));
    return std::nullopt;
  }
  if (cut.pieces > 1 && (total == 0 || total % cut.pieces != 0)) {
    if (context.plan.stages == kNone) {
      context.diagnostics.report(
          Code::E0515, context.model.parts.front().span,
          fmt::format("{} layers do not divide into {} chunks", total, cut.chunks));
    } else {
      reportCut(context, total == 0 ? 1 : total, cut);
    }
    return std::nullopt;
  }
  cut.layers.assign(static_cast<size_t>(cut.pieces), total / cut.pieces);
  cut.layers.front() -= ends;
  cut.layers.back() -= ends;
  return cut;
}

/// What each piece holds.
std::vector<Chunk> piecesOf(const Model& model, const Cut& cut) {
  std::vector<Chunk> pieces(static_cast<size_t>(cut.pieces));
  for (Chunk& piece : pieces) piece.count.assign(model.parts.size(), 0);
  size_t piece = 0;
  int64_t room = cut.layers.front();
  int64_t left = layersOf(model);
  for (const PartRun& run : runsOf(model)) {
    int64_t count = run.count;
    if (!isLayer(model.parts[run.part])) {
      pieces[left == 0 ? pieces.size() - 1 : piece].count[run.part] += count;
      continue;
    }
    left -= count;
    while (count > 0) {
      while (room == 0) room = cut.layers[++piece];
      const int64_t taken = std::min(count, room);
      pieces[piece].count[run.part] += taken;
      count -= taken;
      room -= taken;
    }
  }
  return pieces;
}

}  // namespace

void cutStages(Context& context) {
  const std::optional<Cut> cut = cutOf(context);
  if (!cut) return;
  const std::vector<Chunk> pieces = piecesOf(context.model, *cut);
  auto& stages = context.graph.stages;
  for (int64_t s = 0; s < cut->stages; ++s) {
    StageClass stage;
    stage.first = s;
    for (int64_t chunk = 0; chunk < cut->chunks; ++chunk) {
      stage.chunks.push_back(pieces[pieceOf(context.plan.schedule.kind, cut->stages, s, chunk)]);
    }
    auto same = [](const Chunk& a, const Chunk& b) { return a.count == b.count; };
    if (!stages.empty() && std::equal(stages.back().chunks.begin(), stages.back().chunks.end(),
                                      stage.chunks.begin(), stage.chunks.end(), same)) {
      ++stages.back().stages;
    } else {
      stages.push_back(std::move(stage));
    }
  }
}

namespace {

/// The first stage that holds a part.
int64_t firstStage(const Context& context, uint32_t part) {
  for (const StageClass& stage : context.graph.stages) {
    for (const Chunk& chunk : stage.chunks) {
      if (chunk.count[part] > 0) return stage.first;
    }
  }
  return 0;
}

/// The tensor that crosses stage borders: the first repeated part's output, else the first output.
const PlacedPart* crossingPart(const Context& context, const std::vector<PlacedPart>& placed) {
  const PlacedPart* result = nullptr;
  for (const PlacedPart& part : placed) {
    if (!part.border) continue;
    if (!result) result = &part;
    if (isLayer(context.part(part))) return &part;
  }
  return result;
}

void emitBorder(Context& context, const PlacedPart& placed, Phase phase,
                std::vector<uint32_t>& list) {
  const Tensor& tensor = context.part(placed).tensors[context.part(placed).output];
  const double elementBytes =
      phase == Phase::Forward ? tensor.elementBytes : tensor.gradientElementBytes;
  const double bytes = context.elements(tensor, *placed.border) * elementBytes;
  // Ranks along other mesh axes that hold the same values can each send a slice of them.
  FactorSet copies = 0;
  if (context.plan.scatterGather) {
    for (uint32_t f = 0; f < context.mesh.factors.size(); ++f) copies |= FactorSet{1} << f;
    copies &= ~(context.mesh.stages | context.data | placed.border->sharding());
  }
  std::vector<Issue> issues;
  CollectiveNode send;
  send.name = tensor.name;
  send.part = placed.id;
  send.kind = CollectiveKind::PointToPoint;
  send.phase = phase;
  send.bytes = bytes / static_cast<double>(context.mesh.degree(copies));
  send.why = phase == Phase::Forward ? "stage -> next stage" : "gradient, stage -> stage before";
  emitCollective(context, issues, send, 0).group = pairAcrossStages(context.mesh, context.machine);
  if (copies) {
    CollectiveNode gather = send;
    gather.kind = CollectiveKind::AllGather;
    gather.bytes = bytes;
    gather.why = "Sharded -> Replicated, sent in slices";
    emitCollective(context, issues, std::move(gather), copies);
  }
  for (const Issue& issue : issues) list.push_back(issue.index);
}

}  // namespace

void emitBorders(Context& context, const std::vector<PlacedPart>& placed) {
  context.placed |= context.mesh.stages;
  const PlacedPart* part = crossingPart(context, placed);
  if (stageCount(context) <= 1 || !part) return;
  emitBorder(context, *part, Phase::Forward, context.graph.boundary);
  emitBorder(context, *part, Phase::Backward, context.graph.boundaryBackward);
}

namespace {

struct TiedPair {
  PlacedPart* firstPart = nullptr;
  PlacedParameter* first = nullptr;
  PlacedPart* part = nullptr;
  PlacedParameter* parameter = nullptr;
};

/// Each parameter that an earlier one has the tied name of, with the first of that name.
std::vector<TiedPair> tiedPairs(const Context& context, std::vector<PlacedPart>& placed) {
  std::vector<TiedPair> pairs;
  std::map<Name, std::pair<PlacedPart*, PlacedParameter*>> firsts;
  for (PlacedPart& part : placed) {
    for (PlacedParameter& parameter : part.parameters) {
      Name name = context.part(part).tensors[parameter.tensor].tiedTo;
      if (!name) continue;
      auto [entry, isNew] = firsts.try_emplace(name, &part, &parameter);
      if (!isNew) pairs.push_back({entry->second.first, entry->second.second, &part, &parameter});
    }
  }
  return pairs;
}

}  // namespace

void shareTied(Context& context, std::vector<PlacedPart>& placed) {
  for (TiedPair& pair : tiedPairs(context, placed)) {
    pair.parameter->tied = true;
    pair.parameter->shared =
        firstStage(context, pair.firstPart->id) == firstStage(context, pair.part->id);
    if (pair.parameter->shared) {
      pair.first->gradientPartial |= pair.parameter->gradientPartial;
      continue;
    }
    const Tensor& tensor = context.part(*pair.part).tensors[pair.parameter->tensor];
    std::vector<Issue> issues;
    CollectiveNode node;
    node.name = tensor.name;
    node.part = pair.part->id;
    node.phase = Phase::Optimizer;
    const FactorSet shards = storedOver(context.mesh, context.plan, Stored::Weights) |
                             storedOver(context.mesh, context.plan, Stored::Gradients);
    node.bytes =
        pair.parameter->elements * tensor.gradientElementBytes /
        static_cast<double>(context.mesh.degree(shards & ~pair.parameter->held.sharding()));
    node.why = "gradient of tied parameters on two stages";
    emitCollective(context, issues, std::move(node), 0).group =
        pairAcrossStages(context.mesh, context.machine);
    context.graph.tied.push_back(issues.front().index);
  }
}

}  // namespace sysdl::lowering
