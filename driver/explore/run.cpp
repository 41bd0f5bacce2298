// Running an exploration: points in chunks over threads, outcomes in the order of the points.
#include "driver/explore/run.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "driver/explore/exploration.h"
#include "fmt/format.h"

namespace sysdl {

OpenedExploration::OpenedExploration() = default;
OpenedExploration::OpenedExploration(OpenedExploration&&) noexcept = default;
OpenedExploration& OpenedExploration::operator=(OpenedExploration&&) noexcept = default;
OpenedExploration::~OpenedExploration() = default;

OpenedExploration openExploration(const Options& options) {
  const std::string& path = options.paths.front();
  const std::string& name = options.name;
  OpenedExploration opened;
  opened.file = openFile(path, options);
  if (!opened.file.module || opened.file.session->diagnostics.hasErrors()) return opened;
  Session& session = *opened.file.session;
  check::Module& module = *opened.file.module;
  std::vector<syntax::NodeId> all = explorationsOf(module), chosen;
  std::vector<std::string_view> names;
  std::string known;
  for (syntax::NodeId item : all) {
    names.push_back(session.names.text(module.tree[item].name));
    known += fmt::format("{}`{}`", known.empty() ? "" : ", ", names.back());
    if (name.empty() || names.back() == name) chosen.push_back(item);
  }
  if (chosen.size() != 1) {
    std::string message = all.empty() ? fmt::format("`{}` declares no exploration", path)
                          : name.empty()
                              ? fmt::format("`{}` declares {} explorations", path, all.size())
                              : fmt::format("there is no exploration `{}`", name);
    std::string near = name.empty() ? std::string() : nearest(name, names);
    std::string help =
        all.empty() ? "declare one, as in `explore splits = DESIGN { sweep plan.tp in [1, 2, 4] }`"
        : name.empty() ? "choose one with `--name`: " + known
        : near.empty() ? "there are " + known
                       : fmt::format("did you mean `{}`?", near);
    session.diagnostics.report(Code::E0903, Span{module.start, module.start}, message)
        .helpText(help);
    return opened;
  }
  session.shareParts();
  std::string text;
  for (check::Module* part : session.ownModules(module))
    text += session.sources.fileText(part->start);
  opened.text = std::hash<std::string>()(text);
  opened.exploration = std::make_unique<Exploration>(session, module, chosen.front());
  if (!opened.exploration->read()) opened.exploration.reset();
  return opened;
}

namespace {

/// Opens a file once more; E0901 where it has changed since the run began.
OpenedExploration openAgain(const RunRequest& request) {
  OpenedExploration opened = openExploration(request.options);
  if (!opened.exploration || opened.text == request.text) {
    if (opened.exploration && request.forScripts) opened.exploration->forScripts();
    return opened;
  }
  opened.file.session->diagnostics.report(
      Code::E0901, opened.exploration->span(),
      fmt::format("`{}` or a file that it imports was changed while it was explored",
                  request.options.paths.front()));
  opened.exploration.reset();
  return opened;
}

constexpr uint64_t kChunk = 32;
/// Points that one session evaluates: its arenas only grow, and a new one starts in milliseconds.
constexpr uint64_t kSessionPoints = 256;
/// Lists that depend on earlier sweeps, likewise.
constexpr uint64_t kSessionLists = 256;

struct Chunk {
  uint64_t number = 0;
  uint64_t first = 0;
  uint64_t size = 0;
  std::vector<uint32_t> choices;  // of each point, one after another
};

/// Enumerates the points in order: the last sweep of the text varies fastest.
class PointSource {
public:
  explicit PointSource(const RunRequest& request) : request_(request) { open(); }

  /// The next points; none at the end. The file's faults are in `failed`.
  Chunk next(std::unique_ptr<OpenedExploration>& failed) {
    Chunk chunk;
    chunk.number = chunks_++;
    while (chunk.size < kChunk && !ended_) {
      if (!descend()) {
        if (wrong_) failed = std::make_unique<OpenedExploration>(std::move(opened_));
        break;
      }
      if (index_ >= request_.first) {
        if (chunk.size++ == 0) chunk.first = index_;
        chunk.choices.insert(chunk.choices.end(), choices_.begin(), choices_.end());
      }
      ++index_;
      advance();
    }
    return chunk;
  }

private:
  void open() {
    opened_ = openAgain(request_);
    if (!opened_.exploration) ended_ = wrong_ = true;
  }

  size_t depth() const { return opened_.exploration->sweeps().size(); }

  /// Completes `choices_` to a point; false at the end.
  bool descend() {
    while (!ended_ && choices_.size() < depth()) {
      auto level = static_cast<uint32_t>(choices_.size());
      bool dependent = opened_.exploration->sweeps()[level].dependent;
      if (dependent && ++lists_ % kSessionLists == 0) open();
      auto count = opened_.exploration ? opened_.exploration->count(level, choices_) : std::nullopt;
      if (!count)
        ended_ = wrong_ = true;
      else if (*count == 0)
        advance();
      else {
        counts_.push_back(*count);
        choices_.push_back(0);
      }
    }
    return !ended_;
  }

  void advance() {
    while (!choices_.empty() && ++choices_.back() == counts_.back()) {
      choices_.pop_back();
      counts_.pop_back();
    }
    ended_ = choices_.empty();
  }

  const RunRequest& request_;
  OpenedExploration opened_;
  std::vector<uint32_t> choices_, counts_;
  uint64_t index_ = 0, chunks_ = 0, lists_ = 0;
  bool ended_ = false, wrong_ = false;
};

/// Evaluates chunks in a session that is renewed now and then.
class Worker {
public:
  explicit Worker(const RunRequest& request) : request_(request) {}

  ChunkResult evaluate(const Chunk& chunk) {
    ChunkResult result;
    result.first = chunk.first;
    result.size = chunk.size;
    size_t width = chunk.size ? chunk.choices.size() / chunk.size : 0;
    for (uint64_t i = 0; i < chunk.size; ++i) {
      if (!opened_.exploration || ++points_ % kSessionPoints == 0) {
        opened_ = {};  // before the next one takes memory
        opened_ = openAgain(request_);
      }
      Outcome outcome;
      if (opened_.exploration) {
        outcome = opened_.exploration->evaluate(chunk.first + i,
                                                std::span(chunk.choices).subspan(i * width, width));
      }
      switch (outcome.what) {
      case Outcome::What::Kept: result.rows.push_back(std::move(outcome.row)); break;
      case Outcome::What::Left: ++result.left; break;
      case Outcome::What::Refused: ++result.refusals[outcome.refusal]; break;
      case Outcome::What::Failed:
        result.size = i;
        result.failed = std::make_unique<OpenedExploration>(std::move(opened_));
        opened_ = {};
        return result;
      }
    }
    return result;
  }

private:
  const RunRequest& request_;
  OpenedExploration opened_;
  uint64_t points_ = 0;
};

/// Chunks are handed out in order and come back in any; few lie in between.
class Pool {
public:
  explicit Pool(const RunRequest& request) : request_(request), source_(request) {
    for (unsigned i = 0; i < request.jobs; ++i) threads_.emplace_back([this] { work(); });
  }

  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// The next result in order; empty at the end.
  std::optional<ChunkResult> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_.contains(taken_) || (ended_ && taken_ >= given_); });
    auto found = done_.find(taken_);
    if (found == done_.end()) return std::nullopt;
    ChunkResult result = std::move(found->second);
    done_.erase(found);
    ++taken_;
    changed_.notify_all();
    return result;
  }

private:
  void work() {
    Worker worker(request_);
    for (;;) {
      Chunk chunk;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] {
          return stopped_ || ended_ || given_ < taken_ + uint64_t{4} * request_.jobs;
        });
        if (stopped_ || ended_) return;
        ChunkResult wrong;
        chunk = source_.next(wrong.failed);
        if (wrong.failed || chunk.size == 0) ended_ = true;
        if (chunk.size > 0) given_ = chunk.number + 1;
        if (wrong.failed) {
          wrong.first = chunk.first + chunk.size;
          done_.emplace(given_++, std::move(wrong));
        }
        changed_.notify_all();
        if (chunk.size == 0) return;
      }
      ChunkResult result = worker.evaluate(chunk);
      std::lock_guard lock(mutex_);
      done_.emplace(chunk.number, std::move(result));
      changed_.notify_all();
    }
  }

  const RunRequest& request_;
  std::mutex mutex_;
  std::condition_variable changed_;
  PointSource source_;
  std::map<uint64_t, ChunkResult> done_;
  uint64_t given_ = 0, taken_ = 0;
  bool ended_ = false, stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

void runExploration(const RunRequest& request, const std::function<bool(ChunkResult&&)>& take) {
  Pool pool(request);
  while (auto result = pool.take()) {
    bool failed = result->failed != nullptr;
    if (!take(std::move(*result)) || failed) return;
  }
}

}  // namespace sysdl
