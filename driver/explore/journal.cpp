// The state of a run that can be gone on with.
#include "driver/explore/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include "driver/explore/exploration.h"
#include "fmt/format.h"

namespace sysdl {
namespace {

constexpr std::string_view kFirst = "sysdl.explore.state/1 ";

/// Tabs separate fields and newlines lines; both, and backslashes, are escaped within.
std::string field(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

std::vector<std::string> fieldsOf(const std::string& line) {
  std::vector<std::string> fields(1);
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\t')
      fields.emplace_back();
    else if (line[i] == '\\' && i + 1 < line.size()) {
      char c = line[++i];
      fields.back() += c == 't' ? '\t' : c == 'n' ? '\n' : c;
    } else
      fields.back() += line[i];
  }
  return fields;
}

template <typename T>
T numberOf(const std::string& text) {
  T value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Row rowOf(const std::vector<std::string>& fields) {
  Row row;
  row.index = numberOf<uint64_t>(fields.at(1));
  auto keys = numberOf<size_t>(fields.at(2));
  size_t at = 3;
  for (size_t i = 0; i < keys; ++i) row.keys.push_back(numberOf<double>(fields.at(at++)));
  while (at + 2 < fields.size()) {
    row.cells.push_back({fields[at], fields[at + 1], fields[at + 2] == "1"});
    at += 3;
  }
  return row;
}

std::string linesOf(const ChunkResult& chunk) {
  std::string text;
  for (const Row& row : chunk.rows) {
    text += fmt::format("row\t{}\t{}", row.index, row.keys.size());
    for (double key : row.keys) text += fmt::format("\t{}", key);
    for (const Cell& cell : row.cells) {
      text +=
          fmt::format("\t{}\t{}\t{}", field(cell.bare), field(cell.shown), cell.isNumber ? 1 : 0);
    }
    text += "\n";
  }
  for (const auto& [refusal, count] : chunk.refusals) {
    text +=
        fmt::format("refused\t{}\t{}\t{}\n", field(refusal.first), field(refusal.second), count);
  }
  return text + fmt::format("done\t{}\t{}\t{}\n", chunk.first, chunk.size, chunk.left);
}

}  // namespace

Journal::~Journal() {
  if (file_ >= 0) ::close(file_);
}

uint64_t Journal::replay(const std::string& path, const std::string& key, bool& same,
                         const std::function<void(ChunkResult&&)>& take) {
  same = true;
  uint64_t next = 0;
  std::streamoff complete = 0;
  {
    std::ifstream in(path, std::ios::binary);
    std::string line;
    if (!in || !std::getline(in, line) || in.eof()) return 0;
    same = line == std::string(kFirst) + key;
    if (!same) return 0;
    complete = in.tellg();
    ChunkResult chunk;
    // A line without its newline was cut off.
    while (std::getline(in, line) && !in.eof()) {
      std::vector<std::string> fields = fieldsOf(line);
      if (fields[0] == "row" && fields.size() > 2) chunk.rows.push_back(rowOf(fields));
      if (fields[0] == "refused" && fields.size() == 4) {
        chunk.refusals[{fields[1], fields[2]}] += numberOf<uint64_t>(fields[3]);
      }
      if (fields[0] != "done" || fields.size() != 4) continue;
      chunk.first = numberOf<uint64_t>(fields[1]);
      chunk.size = numberOf<uint64_t>(fields[2]);
      chunk.left = numberOf<uint64_t>(fields[3]);
      next = chunk.first + chunk.size;
      complete = in.tellg();
      take(std::move(chunk));
      chunk = {};
    }
  }
  if (::truncate(path.c_str(), static_cast<off_t>(complete)) != 0) return 0;
  return next;
}

bool Journal::open(const std::string& path, const std::string& key, bool goOn, std::string& why) {
  path_ = path;
  file_ =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (goOn ? 0 : O_TRUNC), 0666);
  std::string first = goOn ? std::string() : std::string(kFirst) + key + "\n";
  if (file_ >= 0 &&
      ::write(file_, first.data(), first.size()) == static_cast<ssize_t>(first.size()))
    return true;
  why = std::strerror(errno);
  return false;
}

bool Journal::add(const ChunkResult& chunk) {
  std::string text = linesOf(chunk);
  std::string_view left = text;
  while (!left.empty()) {
    ssize_t written = ::write(file_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    left.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

void Journal::remove() { ::unlink(path_.c_str()); }

}  // namespace sysdl
