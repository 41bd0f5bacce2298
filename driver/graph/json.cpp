// Writes a graph as JSON.
#include "driver/graph/json.h"

#include "driver/kernel_cost.h"
#include "driver/names.h"

namespace sysdl {
namespace {

class Writer {
public:
  Writer(JsonWriter& json, const EvaluatedDesign& design, const NameTable& names)
      : json_(json), design_(design), graph_(*design.graph), model_(design.inputs->model),
        plan_(design.inputs->plan), machine_(design.inputs->machine), names_(names) {}

  void run() {
    json_.member("devices", graph_.devices);
    json_.member("data_ranks", graph_.dataRanks);
    json_.key("stages");
    json_.beginArray();
    for (const StageClass& stage : graph_.stages) writeStage(stage);
    json_.endArray();
    json_.key("parts");
    json_.beginArray();
    for (size_t part = 0; part < graph_.parts.size(); ++part) writePart(part);
    json_.endArray();
    writeList("border", graph_.boundary);
    writeList("border_backward", graph_.boundaryBackward);
    writeList("tied", graph_.tied);
    json_.key("optimizer");
    if (design_.results)
      writeOptimizer(design_.results->optimizer);
    else
      json_.null();
  }

private:
  std::string_view name(Name name) const { return names_.text(name); }

  void writeStage(const StageClass& stage) {
    json_.beginObject(JsonWriter::Inline);
    json_.member("first", stage.first);
    json_.member("stages", stage.stages);
    json_.key("chunks");
    json_.beginArray();
    for (const Chunk& chunk : stage.chunks) {
      json_.beginArray();
      for (size_t part = 0; part < chunk.count.size(); ++part) {
        if (chunk.count[part] == 0) continue;
        json_.beginObject();
        json_.member("part", name(model_.parts[part].name));
        json_.member("count", chunk.count[part]);
        json_.endObject();
      }
      json_.endArray();
    }
    json_.endArray();
    json_.endObject();
  }

  void writePart(size_t id) {
    const PartGraph& part = graph_.parts[id];
    json_.beginObject();
    json_.member("name", name(model_.parts[id].name));
    json_.member("repeat", model_.parts[id].repeat);
    writeIssues("forward", part.forward);
    writeIssues("recompute", part.recompute);
    writeIssues("backward", part.backward);
    writeIssues("optimizer", part.optimizer);
    writeMemory(part);
    json_.endObject();
  }

  /// Parameters are numbers of them, all else bytes.
  void writeMemory(const PartGraph& part) {
    json_.key("memory");
    json_.beginObject();
    json_.member("kept", part.keptBytes);
    json_.member("waiting", part.waitingBytes);
    json_.member("transient", part.transientBytes);
    json_.member("weights", part.weightBytes);
    json_.member("gradients", part.gradientBytes);
    json_.member("optimizer", part.optimizerBytes);
    json_.member("parameters", part.parameters);
    json_.member("optimized_parameters", part.optimizedParameters);
    json_.member("global_parameters", part.globalParameters);
    json_.endObject();
  }

  void writeIssues(std::string_view key, const std::vector<Issue>& issues) {
    json_.key(key);
    json_.beginArray();
    for (const Issue& issue : issues) {
      if (issue.collective)
        writeCollective(issue.index);
      else
        writeKernel(issue);
    }
    json_.endArray();
  }

  void writeList(std::string_view key, const std::vector<uint32_t>& list) {
    json_.key(key);
    json_.beginArray();
    for (uint32_t index : list) writeCollective(index);
    json_.endArray();
  }

  void writeKernel(const Issue& issue) {
    const KernelNode& node = graph_.kernels[issue.index];
    const Operation& operation = model_.parts[node.part].operations[node.operation];
    json_.beginObject(JsonWriter::Inline);
    json_.member("type", "kernel");
    json_.member("id", issue.index);
    KernelResult unpriced;
    unpriced.node = issue.index;
    json_.member("name", kernelName(design_, unpriced, names_));
    json_.member("operation", name(operation.name));
    json_.key("kernel");
    if (Name kernel = operation.kernels[node.kernel].name)
      json_.value(name(kernel));
    else
      json_.null();
    json_.key("sizes");
    json_.beginObject();
    for (size_t i = 0; i < operation.sizes.size(); ++i) {
      json_.member(name(model_.axes[operation.sizes[i]].name), graph_.localSizes[node.sizes][i]);
    }
    json_.endObject();
    json_.member("copies", node.copies);
    json_.key("waits_for");
    if (issue.waitsFor == kNone)
      json_.null();
    else
      json_.value(issue.waitsFor);
    if (design_.results) writeCost(design_.results->kernels[issue.index]);
    json_.endObject();
  }

  void writeCost(const KernelResult& kernel) {
    json_.member("matrix_flops", kernel.matrixWork);
    sysdl::writeCost(json_, kernel, names_);
  }

  /// The step of the busiest stage.
  void writeOptimizer(const KernelResult& kernel) {
    json_.beginObject(JsonWriter::Inline);
    json_.member("name", kernelName(design_, kernel, names_));
    writeCost(kernel);
    json_.endObject();
  }

  void writeCollective(uint32_t index) {
    const CollectiveNode& node = graph_.collectives[index];
    json_.beginObject(JsonWriter::Inline);
    json_.member("type", "collective");
    json_.member("id", index);
    json_.member("name", collectiveName(design_, node, names_));
    json_.member("kind", nameOf(node.kind));
    json_.member("tensor", name(node.name));
    json_.key("axes");
    json_.beginArray();
    for (MeshAxisId axis : node.group.axes) json_.value(name(plan_.mesh[axis].name));
    json_.endArray();
    json_.member("ranks", node.group.ranks);
    json_.key("ranks_on_level");
    json_.beginObject();
    for (size_t level = 0; level < node.group.ranksOnLevel.size(); ++level)
      json_.member(name(machine_.levels[level].name), node.group.ranksOnLevel[level]);
    json_.endObject();
    json_.member("bytes", node.bytes);
    json_.member("why", node.why);
    json_.member("overlappable", node.overlappable);
    json_.key("bucket");
    if (node.bucket == 0)
      json_.null();
    else
      json_.value(node.bucket);
    if (design_.results) {
      const CollectiveResult& result = design_.results->collectives[index];
      json_.member("wire_bytes", result.wireBytes);
      json_.member("time", result.time);
      json_.member("exposed", result.exposed);
      json_.member("algorithm", name(result.algorithm));
      json_.member("extrapolated", result.extrapolated);
    }
    json_.endObject();
  }

  JsonWriter& json_;
  const EvaluatedDesign& design_;
  const Graph& graph_;
  const Model& model_;
  const Plan& plan_;
  const Machine& machine_;
  const NameTable& names_;
};

}  // namespace

void writeGraph(JsonWriter& json, const ChosenDesign& chosen, const EvaluatedDesign& design) {
  Session& session = *chosen.file->session;
  json.beginObject();
  json.member("name", session.names.text(chosen.name));
  json.member("file", chosen.file->path);
  json.key("graph");
  if (design.graph) {
    json.beginObject();
    Writer(json, design, session.names).run();
    json.endObject();
  } else {
    json.null();
  }
  json.endObject();
}

}  // namespace sysdl
