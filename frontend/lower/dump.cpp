// Writes a graph as text: one kernel or collective a line, in a fixed order.
#include "frontend/lower/dump.h"

#include <fmt/format.h>

#include <iterator>

namespace sysdl {
namespace {

class Dumper {
public:
  Dumper(const Graph& graph, const Model& model, const Plan& plan, const Machine& machine,
         const NameTable& names, const std::function<std::string(uint32_t)>& cost)
      : graph_(graph), model_(model), plan_(plan), machine_(machine), names_(names), cost_(cost) {}

  std::string run() {
    line("devices {}, data ranks {}", graph_.devices, graph_.dataRanks);
    for (const StageClass& stage : graph_.stages) dumpStage(stage);
    for (size_t part = 0; part < graph_.parts.size(); ++part) dumpPart(part);
    dumpList("border", graph_.boundary);
    dumpList("border backward", graph_.boundaryBackward);
    dumpList("tied", graph_.tied);
    return std::move(text_);
  }

private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  std::string_view name(Name name) const { return names_.text(name); }

  void dumpStage(const StageClass& stage) {
    std::string chunks;
    for (const Chunk& chunk : stage.chunks) {
      std::string parts;
      for (size_t part = 0; part < chunk.count.size(); ++part) {
        if (chunk.count[part] == 0) continue;
        if (!parts.empty()) parts += ", ";
        parts += fmt::format("{} {}", chunk.count[part], name(model_.parts[part].name));
      }
      chunks += fmt::format(" [{}]", parts);
    }
    if (stage.stages == 1) {
      line("stage {}:{}", stage.first, chunks);
    } else {
      line("stages {} to {}:{}", stage.first, stage.first + stage.stages - 1, chunks);
    }
  }

  void dumpKernel(uint32_t index) {
    const KernelNode& node = graph_.kernels[index];
    const Operation& operation = model_.parts[node.part].operations[node.operation];
    std::string sizes;
    for (size_t i = 0; i < operation.sizes.size(); ++i) {
      sizes += fmt::format(" {}={}", name(model_.axes[operation.sizes[i]].name),
                           graph_.localSizes[node.sizes][i]);
    }
    Name kernel = operation.kernels[node.kernel].name;
    line("    kernel {}{}{}{}{}", name(operation.name), kernel ? "." : "", name(kernel), sizes,
         cost_ ? "  " + cost_(index) : "");
  }

  void dumpCollective(const CollectiveNode& node) {
    std::string axes;
    for (MeshAxisId axis : node.group.axes) {
      if (!axes.empty()) axes += "*";
      axes += name(plan_.mesh[axis].name);
    }
    std::string levels;
    for (size_t level = 0; level < node.group.ranksOnLevel.size(); ++level) {
      if (node.group.ranksOnLevel[level] == 1) continue;
      if (!levels.empty()) levels += " * ";
      levels +=
          fmt::format("{} {}", node.group.ranksOnLevel[level], name(machine_.levels[level].name));
    }
    line("    {} {} over {}, {} ranks ({}), {} B: {}{}{}", nameOf(node.kind), name(node.name), axes,
         node.group.ranks, levels, node.bytes, node.why, node.overlappable ? ", overlappable" : "",
         node.bucket ? fmt::format(", bucket {}", node.bucket) : "");
  }

  void dumpIssues(std::string_view title, const std::vector<Issue>& issues) {
    if (issues.empty()) return;
    line("  {}", title);
    for (const Issue& issue : issues) {
      if (issue.collective) {
        dumpCollective(graph_.collectives[issue.index]);
      } else {
        dumpKernel(issue.index);
      }
    }
  }

  void dumpPart(size_t id) {
    const PartGraph& part = graph_.parts[id];
    line("part {} x {}", name(model_.parts[id].name), model_.parts[id].repeat);
    dumpIssues("forward", part.forward);
    dumpIssues("recompute", part.recompute);
    dumpIssues("backward", part.backward);
    dumpIssues("optimizer", part.optimizer);
    line("  memory");
    line("    kept {} B, transient {} B", part.keptBytes, part.transientBytes);
    line("    parameters {} of {}, stepped {}", part.parameters, part.globalParameters,
         part.optimizedParameters);
    line("    weights {} B, gradients {} B, optimizer {} B", part.weightBytes, part.gradientBytes,
         part.optimizerBytes);
  }

  void dumpList(std::string_view title, const std::vector<uint32_t>& list) {
    if (list.empty()) return;
    line("{}", title);
    for (uint32_t index : list) dumpCollective(graph_.collectives[index]);
  }

  const Graph& graph_;
  const Model& model_;
  const Plan& plan_;
  const Machine& machine_;
  const NameTable& names_;
  const std::function<std::string(uint32_t)>& cost_;
  std::string text_;
};

}  // namespace

std::string dump(const Graph& graph, const Model& model, const Plan& plan, const Machine& machine,
                 const NameTable& names, const std::function<std::string(uint32_t)>& cost) {
  return Dumper(graph, model, plan, machine, names, cost).run();
}

}  // namespace sysdl
