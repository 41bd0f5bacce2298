// Cuts a model into pipeline stages and chunks by repeat counts, and sends between them.
//
// The occurrences of repeated parts, in order, are cut into p * v equal pieces; piece j * p + i is
// chunk j of stage i (interleaved 1F1B [Narayanan et al. 2021, arXiv:2104.04473]). Parts that occur
// once go with the piece before them, the first ones with piece 0. Cost follows the number of parts
// and chunks, not of stages or layers.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "frontend/lower/context.h"
#include "frontend/lower/groups.h"

namespace sysdl::lowering {
namespace {

struct Cut {
  int64_t stages = 1;
  int64_t chunks = 1;
  int64_t piece = 1;           // occurrences of repeated parts in a piece
  std::vector<int64_t> begin;  // by part: repeated occurrences before it
  int64_t head = -1;           // where the parts after the last layer stand, if they count as one
};

int64_t stageCount(const Context& context) { return context.mesh.degree(context.mesh.stages); }

bool isRepeated(const Part& part) { return part.repeat > 1; }

/// The piece of a part that occurs once.
int64_t pieceOf(const Cut& cut, uint32_t part) {
  if (cut.begin[part] == cut.head) return cut.head / cut.piece;
  return cut.begin[part] == 0 ? 0 : (cut.begin[part] - 1) / cut.piece;
}

/// The numbers near `wanted` that divide `total`: "4 or 6".
std::string nearestDivisors(int64_t total, int64_t wanted) {
  int64_t below = std::min(wanted, total), above = wanted;
  while (below > 1 && total % below != 0) --below;
  while (above < total && total % above != 0) ++above;
  return above >= total || above == below ? std::to_string(below)
                                          : fmt::format("{} or {}", below, above);
}

void reportCut(Context& context, int64_t total, const Cut& cut) {
  const int64_t pieces = cut.stages * cut.chunks;
  const MeshAxis& axis = context.plan.mesh[context.plan.stages];
  std::string name(context.names.text(axis.name));
  auto part = std::find_if(context.model.parts.begin(), context.model.parts.end(), isRepeated);
  const Part& shown = part == context.model.parts.end() ? context.model.parts.front() : *part;
  Diagnostic& d = context.diagnostics.report(
      Code::E0515, axis.span,
      fmt::format("{} layers do not divide over {} stages of {} chunk{}", total, cut.stages,
                  cut.chunks, cut.chunks == 1 ? "" : "s"),
      fmt::format("{} = {}", name, cut.stages));
  d.label(shown.span, fmt::format("{} layers", total));
  d.note(fmt::format("{} layers / ({} stages * {} chunks) = {:.4g}", total, cut.stages, cut.chunks,
                     static_cast<double>(total) / static_cast<double>(pieces)));
  if (total >= cut.chunks && total % cut.chunks == 0) {
    d.helpText(fmt::format("{} can be {}", name, nearestDivisors(total / cut.chunks, cut.stages)));
  } else {
    d.helpText(
        fmt::format("the number of stages times chunks can be {}", nearestDivisors(total, pieces)));
  }
}

/// Occurrences of each part in chunk `chunk` of stage `stage`.
Chunk chunkAt(const Context& context, const Cut& cut, int64_t stage, int64_t chunk) {
  const int64_t piece = chunk * cut.stages + stage;
  const int64_t first = piece * cut.piece, last = first + cut.piece;
  Chunk result;
  for (uint32_t part = 0; part < context.model.parts.size(); ++part) {
    const Part& p = context.model.parts[part];
    int64_t count = 0;
    if (isRepeated(p)) {
      int64_t begin = std::max(cut.begin[part], first);
      int64_t end = std::min(cut.begin[part] + p.repeat, last);
      count = std::max<int64_t>(end - begin, 0);
    } else if (pieceOf(cut, part) == piece) {
      count = 1;
    }
    result.count.push_back(count);
  }
  return result;
}

/// The stages at which what a stage holds may change: around pieces with a border between parts.
std::set<int64_t> changes(const Context& context, const Cut& cut) {
  std::set<int64_t> result{0};
  auto alone = [&](int64_t piece) {
    result.insert(piece % cut.stages);
    result.insert(piece % cut.stages + 1);
  };
  for (uint32_t part = 0; part < context.model.parts.size(); ++part) {
    const Part& p = context.model.parts[part];
    if (!isRepeated(p)) {
      alone(pieceOf(cut, part));
    } else {
      int64_t piece = cut.begin[part] / cut.piece;
      if (cut.begin[part] % cut.piece == 0) {
        result.insert(piece % cut.stages);
      } else {
        alone(piece);
      }
    }
  }
  result.erase(cut.stages);
  return result;
}

Cut cutOf(const Context& context, int64_t& total) {
  Cut cut{stageCount(context), std::max<int64_t>(context.plan.schedule.chunks, 1), 1, {}, -1};
  // What the first and the last stage hold besides layers takes the place of a layer there.
  const int64_t ends = context.plan.endsAsLayers && cut.stages > 1 ? 1 : 0;
  total = ends;
  for (const Part& part : context.model.parts) {
    cut.begin.push_back(total);
    if (isRepeated(part)) total += part.repeat;
  }
  if (ends) cut.head = total;
  total += ends;
  return cut;
}

}  // namespace

void cutStages(Context& context) {
  int64_t total = 0;
  Cut cut = cutOf(context, total);
  int64_t pieces = 1;
  if (__builtin_mul_overflow(cut.stages, cut.chunks, &pieces)) pieces = INT64_MAX;
  if (pieces > 1 && (total == 0 || total % pieces != 0)) {
    if (context.plan.stages == kNone) {
      context.diagnostics.report(
          Code::E0515, context.model.parts.front().span,
          fmt::format("{} layers do not divide into {} chunks", total, cut.chunks));
    } else {
      reportCut(context, total == 0 ? 1 : total, cut);
    }
    return;
  }
  cut.piece = std::max<int64_t>(total / pieces, 1);
  std::set<int64_t> starts = changes(context, cut);
  for (auto start = starts.begin(); start != starts.end(); ++start) {
    int64_t next = std::next(start) == starts.end() ? cut.stages : *std::next(start);
    StageClass stage;
    stage.first = *start;
    stage.stages = next - *start;
    for (int64_t chunk = 0; chunk < cut.chunks; ++chunk) {
      stage.chunks.push_back(chunkAt(context, cut, *start, chunk));
    }
    auto& stages = context.graph.stages;
    auto same = [](const Chunk& a, const Chunk& b) { return a.count == b.count; };
    if (!stages.empty() && std::equal(stages.back().chunks.begin(), stages.back().chunks.end(),
                                      stage.chunks.begin(), stage.chunks.end(), same)) {
      stages.back().stages += stage.stages;
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
    if (isRepeated(context.part(part))) return &part;
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
