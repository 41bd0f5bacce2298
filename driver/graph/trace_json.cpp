// Writes events for Perfetto and Chrome: "Trace Event Format", docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
#include "driver/graph/trace_json.h"

#include <algorithm>
#include <cmath>

#include "driver/json.h"
#include "driver/names.h"
#include "fmt/format.h"
#include "stdlib/embedded.h"

namespace sysdl {
namespace {

using schedule::Pass;
using schedule::Work;
using What = StepEvent::What;

/// Whole nanoseconds: what the viewers keep. So what follows another event does not overlap it by rounding.
double nanoseconds(double seconds) { return std::round(seconds * 1e9); }

class Writer {
public:
  Writer(const ChosenDesign& chosen, const EvaluatedDesign& design, const StepEvents& step)
      : chosen_(chosen), design_(design), graph_(*design.graph), plan_(design.inputs->plan),
        machine_(design.inputs->machine), step_(step), names_(chosen.file->session->names),
        tracks_(static_cast<int64_t>(StepTrack::FirstLevel) +
                static_cast<int64_t>(machine_.levels.size())) {}

  std::string run() {
    json_.beginObject();
    json_.key("traceEvents");
    json_.beginArray();
    findLanes();
    for (size_t i = 0; i < step_.events.size(); ++i) writeEvent(step_.events[i], lanes_[i]);
    json_.endArray();
    json_.member("displayTimeUnit", "ms");
    json_.key("otherData");
    writeOther();
    json_.endObject();
    return json_.take();
  }

private:
  std::string trackName(int64_t track) const {
    switch (static_cast<StepTrack>(track)) {
    case StepTrack::Passes: return "passes";
    case StepTrack::SendActivations: return "send activations";
    case StepTrack::SendGradients: return "send gradients";
    case StepTrack::Kernels: return "kernels";
    default: break;
    }
    const int64_t level = track - static_cast<int64_t>(StepTrack::FirstLevel);
    return std::string(names_.text(machine_.levels[level].name));
  }

  /// Numbers from 1: some viewers take thread 0 for the idle one.
  int64_t threadOf(int64_t track, size_t lane) const {
    return 1 + track + static_cast<int64_t>(lane) * tracks_;
  }

  /// Which lane of its track each event goes to, and names for all that there are.
  void findLanes() {
    std::vector<double> ends;  // of the lanes of a track
    const StepEvent* before = nullptr;
    for (const StepEvent& event : step_.events) {
      const bool next = before && before->stage == event.stage && before->track == event.track;
      if (!next) ends.clear();
      if (!before || before->stage != event.stage) nameProcess(event.stage);
      const double start = nanoseconds(event.start);
      auto free = std::ranges::find_if(ends, [&](double end) { return end <= start; });
      const auto lane = static_cast<size_t>(free - ends.begin());
      if (free == ends.end()) {
        ends.push_back(0);
        nameThread(event.stage, event.track, lane);
      }
      ends[lane] = nanoseconds(event.end);
      lanes_.push_back(lane);
      before = &event;
    }
  }

  void metadata(std::string_view name, int64_t stage, int64_t thread, std::string_view key,
                auto value) {
    json_.beginObject(JsonWriter::Inline);
    json_.member("name", name);
    json_.member("ph", "M");
    json_.member("pid", stage);
    if (thread > 0) json_.member("tid", thread);
    json_.key("args");
    json_.beginObject();
    json_.member(key, value);
    json_.endObject();
    json_.endObject();
  }

  void nameProcess(int64_t stage) {
    metadata("process_name", stage, 0, "name", fmt::format("stage {}", stage));
    metadata("process_sort_index", stage, 0, "sort_index", stage);
  }

  void nameThread(int64_t stage, int64_t track, size_t lane) {
    const int64_t thread = threadOf(track, lane);
    metadata("thread_name", stage, thread, "name", trackName(track));
    metadata("thread_sort_index", stage, thread, "sort_index",
             track * 1000 + static_cast<int64_t>(std::min<size_t>(lane, 999)));
  }

  std::string_view letterOf(Work work) const {
    switch (work) {
    case Work::Forward: return "F";
    case Work::Backward: return "B";
    case Work::Weight: return "W";
    case Work::Whole: break;
    }
    return splitsBackward(plan_.schedule.kind) ? "BW" : "B";
  }

  static std::string_view wordOf(Work work) {
    switch (work) {
    case Work::Forward: return "forward";
    case Work::Backward: return "backward for inputs";
    case Work::Weight: return "backward for weights";
    case Work::Whole: break;
    }
    return "backward";
  }

  std::string passName(const StepEvent& event) const {
    const Pass& pass = step_.passes[event.pass];
    return fmt::format("{} {}", letterOf(pass.work), pass.microbatch);
  }

  KernelResult kernelOf(const StepEvent& event) const {
    return event.what == What::Optimizer ? design_.results->optimizer
                                         : design_.results->kernels[event.node];
  }

  std::string nameOfEvent(const StepEvent& event) const {
    switch (event.what) {
    case What::Pass: return passName(event);
    case What::Send: return "send " + passName(event);
    case What::Reductions: return "reduce gradients";
    case What::Gathers: return "gather weights";
    case What::Optimizer:
    case What::Kernel: return kernelName(design_, kernelOf(event), names_);
    case What::Tied:
    case What::Collective: break;
    }
    const CollectiveNode& node = graph_.collectives[event.node];
    return fmt::format("{} {}", nameOf(node.kind), collectiveName(design_, node, names_));
  }

  static std::string_view categoryOf(What what) {
    switch (what) {
    case What::Pass: return "pass";
    case What::Kernel: return "kernel";
    case What::Optimizer: return "optimizer";
    default: return "collective";
    }
  }

  void writeEvent(const StepEvent& event, size_t lane) {
    const double start = nanoseconds(event.start);
    json_.beginObject(JsonWriter::Inline);
    json_.member("name", nameOfEvent(event));
    json_.member("cat", categoryOf(event.what));
    json_.member("ph", "X");
    json_.member("pid", event.stage);
    json_.member("tid", threadOf(event.track, lane));
    json_.member("ts", start / 1e3);
    json_.member("dur", (nanoseconds(event.end) - start) / 1e3);
    json_.key("args");
    json_.beginObject();
    writeArguments(event);
    json_.endObject();
    json_.endObject();
  }

  void writeArguments(const StepEvent& event) {
    if (event.pass >= 0) {
      const Pass& pass = step_.passes[event.pass];
      if (event.what == What::Pass) json_.member("pass", wordOf(pass.work));
      json_.member("micro_batch", pass.microbatch);
      json_.member("chunk", pass.chunk);
    }
    if (event.what == What::Kernel) {
      const KernelResult kernel = kernelOf(event);
      json_.member("phase", phaseOf(design_, kernel));
      json_.member("flops", kernel.work);
      json_.member("hbm_bytes", kernel.traffic);
      json_.member("bound", kernel.bound);
    }
    if (event.node != kNone && event.what != What::Kernel) writeCollective(event);
    // With what passes cover, which the event's own length leaves out.
    if (event.time > 0) json_.member("time", event.time);
  }

  void writeCollective(const StepEvent& event) {
    const CollectiveNode& node = graph_.collectives[event.node];
    const CollectiveResult& result = design_.results->collectives[event.node];
    json_.member("phase", nameOf(node.phase));
    json_.member("axes", axesOf(design_, node, names_));
    json_.member("ranks", node.group.ranks);
    json_.member("level", levelOf(design_, node, names_));
    json_.member("bytes", node.bytes);
    json_.member("wire_bytes", result.wireBytes);
    json_.member("algorithm", names_.text(result.algorithm));
    if (event.what == What::Collective && event.pass < 0) json_.member("count", event.count);
  }

  /// Of the trace as a whole; seconds.
  void writeOther() {
    const StepTime& time = design_.results->time;
    json_.beginObject();
    json_.member("schema", "sysdl.trace/1");
    json_.member("tool", SYSDL_VERSION);
    json_.member("stdlib", stdlib::kVersion);
    json_.member("file", chosen_.file->path);
    json_.member("design", names_.text(chosen_.name));
    json_.member("step_time", time.step);
    json_.member("exact", time.exact);
    json_.member("bubble", time.bubble);
    json_.member("busiest_stage", time.busiestStage);
    json_.member("micro_batches", plan_.microbatches);
    json_.member("micro_batches_shown", step_.microbatches);
    json_.member("trace_end", step_.end);
    json_.member("complete", step_.all && step_.detailed);
    json_.key("notes");
    json_.beginArray();
    if (plan_.schedule.postValidation) {
      json_.value(
          "stages begin a step one after another: `step_time` is that of one stage, from its "
          "own first pass on");
    }
    if (!step_.all) {
      json_.value(fmt::format("passes of micro-batches from {} on: there are too many",
                              step_.microbatches));
    }
    if (!step_.detailed) json_.value("kernels and collectives of some passes: there are too many");
    json_.endArray();
    json_.endObject();
  }

  const ChosenDesign& chosen_;
  const EvaluatedDesign& design_;
  const Graph& graph_;
  const Plan& plan_;
  const Machine& machine_;
  const StepEvents& step_;
  const NameTable& names_;
  int64_t tracks_;
  std::vector<size_t> lanes_;  // by event
  JsonWriter json_;
};

}  // namespace

std::string traceText(const ChosenDesign& chosen, const EvaluatedDesign& design,
                      const StepEvents& step) {
  return Writer(chosen, design, step).run();
}

}  // namespace sysdl
