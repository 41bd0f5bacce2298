// How much of each move each change of an input causes.
#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "driver/diff/changes.h"
#include "fmt/format.h"

namespace sysdl {

using check::Record;

namespace {

constexpr size_t kExact = 6;  // groups: more would need more than 64 evaluations

class Attributor {
public:
  Attributor(Session& session, Record* before, Record* after)
      : session_(session), before_(before), after_(after) {}

  Attribution run() {
    auto from = outcomesOf(session_, before_, false), to = outcomesOf(session_, after_, false);
    if (!from || !to) return {};
    result_.changes = changesOf(*session_.checker, before_, after_);
    for (const Outcome& outcome : *from) {
      auto other = std::ranges::find(*to, outcome.path, &Outcome::path);
      if (other == to->end() || other->number == outcome.number) continue;
      if (!(outcome.value.dimension == other->value.dimension)) continue;
      result_.moves.push_back(
          {outcome.path, outcome.value, other->value, outcome.number, other->number, {}, 0});
    }
    for (size_t i = 0; i < result_.changes.size(); ++i) {
      if (layerOf(i)) result_.groups.push_back({i});
    }
    if (result_.moves.empty() || result_.groups.empty()) {
      for (Move& move : result_.moves) move.rest = move.to - move.from;
      return std::move(result_);
    }
    mergeIllegal();
    if (result_.groups.size() <= kExact)
      shapley();
    else
      twoOrders();
    for (Move& move : result_.moves) {
      move.rest = move.to - move.from - std::reduce(move.shares.begin(), move.shares.end());
      // What rounding leaves is nobody's.
      if (std::abs(move.rest) <= 1e-9 * std::max(std::abs(move.from), std::abs(move.to)))
        move.rest = 0;
    }
    return std::move(result_);
  }

private:
  using Numbers = std::vector<double>;  // of each move

  Session& session_;
  Record* before_;
  Record* after_;
  Attribution result_;
  std::map<size_t, std::optional<check::Layer>> layers_;
  std::map<std::vector<bool>, std::optional<Numbers>> known_;  // by the changes that are made

  /// A layer that makes one change, or null where the language has no amend for it.
  const std::optional<check::Layer>& layerOf(size_t index) {
    auto [entry, isNew] = layers_.try_emplace(index);
    const Change& change = result_.changes[index];
    if (isNew && !change.text.empty()) {
      entry->second = session_.checker->amendLayer(
          before_, "<diff>", change.text, {{session_.names.intern("changed"), change.value}});
    }
    return entry->second;
  }

  /// The numbers with some of the groups of changes made; empty where that is no legal record.
  const std::optional<Numbers>& with(const std::vector<bool>& groups) {
    std::vector<bool> changes(result_.changes.size());
    for (size_t g = 0; g < groups.size(); ++g) {
      for (size_t i : result_.groups[g]) changes[i] = changes[i] || groups[g];
    }
    auto [entry, isNew] = known_.try_emplace(changes);
    if (!isNew) return entry->second;
    std::vector<check::Layer> layers;
    for (size_t i = 0; i < changes.size(); ++i) {
      if (changes[i]) layers.push_back(*layerOf(i));
    }
    size_t said = session_.diagnostics.size();
    Record* record = session_.checker->amend(before_, layers, before_->span);
    record->label = before_->label;
    auto outcomes = outcomesOf(session_, record, true);
    session_.diagnostics.takeFrom(said);
    session_.checker->forgetFaults();
    if (!outcomes) return entry->second;
    Numbers numbers;
    for (const Move& move : result_.moves) {
      auto found = std::ranges::find(*outcomes, move.path, &Outcome::path);
      numbers.push_back(found == outcomes->end() ? move.from : found->number);
    }
    entry->second = std::move(numbers);
    return entry->second;
  }

  std::vector<bool> setOf(size_t bits) const {
    std::vector<bool> set(result_.groups.size());
    for (size_t g = 0; g < set.size(); ++g) set[g] = (bits >> g) & 1;
    return set;
  }

  void merge(const std::vector<bool>& set) {
    std::vector<std::vector<size_t>> groups;
    std::vector<size_t> one;
    for (size_t g = 0; g < set.size(); ++g) {
      if (set[g])
        one.insert(one.end(), result_.groups[g].begin(), result_.groups[g].end());
      else
        groups.push_back(result_.groups[g]);
    }
    std::ranges::sort(one);
    groups.push_back(std::move(one));
    std::ranges::sort(groups);
    result_.groups = std::move(groups);
  }

  /// Changes of which some alone make no legal record belong together, as `tp` and the devices that it
  /// must divide.
  void mergeIllegal() {
    while (result_.groups.size() > 1) {
      std::optional<std::vector<bool>> illegal;
      size_t n = result_.groups.size();
      auto test = [&](std::vector<bool> set) {
        if (!illegal && !with(set)) illegal = std::move(set);
      };
      if (n <= kExact) {
        for (size_t size = 1; size < n; ++size) {
          for (size_t bits = 1; bits + 1 < size_t{1} << n; ++bits) {
            if (std::popcount(bits) == static_cast<int>(size)) test(setOf(bits));
          }
        }
      } else {
        for (size_t g = 0; g < n; ++g) {
          std::vector<bool> first(n), last(n);
          for (size_t i = 0; i < n; ++i) {
            first[i] = i <= g;
            last[i] = i >= g;
          }
          if (g + 1 < n) test(first);
          if (g > 0) test(last);
        }
      }
      if (!illegal) return;
      // The least that makes it legal joins it; at last all of them do.
      size_t joined = n;
      for (size_t g = 0; g < n && joined == n; ++g) {
        std::vector<bool> more = *illegal;
        if (more[g]) continue;
        more[g] = true;
        if (with(more)) joined = g;
      }
      std::vector<bool> all = *illegal;
      if (joined < n)
        all[joined] = true;
      else
        all.assign(n, true);
      merge(all);
    }
  }

  void shapley() {
    size_t n = result_.groups.size();
    // The weight of a set of size s in the average over all orders: s! (n-1-s)! / n!.
    std::vector<double> weight(n, 1.0 / static_cast<double>(n));
    for (size_t s = 1; s < n; ++s)
      weight[s] = weight[s - 1] * static_cast<double>(s) / static_cast<double>(n - s);
    for (Move& move : result_.moves) move.shares.assign(n, 0);
    for (size_t bits = 0; bits < size_t{1} << n; ++bits) {
      const Numbers before = *with(setOf(bits));
      for (size_t g = 0; g < n; ++g) {
        if ((bits >> g) & 1) continue;
        const Numbers& after = *with(setOf(bits | size_t{1} << g));
        for (size_t m = 0; m < result_.moves.size(); ++m)
          result_.moves[m].shares[g] +=
              weight[static_cast<size_t>(std::popcount(bits))] * (after[m] - before[m]);
      }
    }
  }

  void twoOrders() {
    result_.exact = false;
    size_t n = result_.groups.size();
    for (Move& move : result_.moves) move.shares.assign(n, 0);
    for (bool forward : {true, false}) {
      std::vector<bool> made(n);
      Numbers before = *with(made);
      for (size_t step = 0; step < n; ++step) {
        size_t g = forward ? step : n - 1 - step;
        made[g] = true;
        const Numbers& after = *with(made);
        for (size_t m = 0; m < result_.moves.size(); ++m)
          result_.moves[m].shares[g] += (after[m] - before[m]) / 2;
        before = after;
      }
    }
  }
};

}  // namespace

Attribution attribute(Session& session, Record* before, Record* after) {
  return Attributor(session, before, after).run();
}

}  // namespace sysdl
