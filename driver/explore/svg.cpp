// A plot of an exploration as SVG: a scatter with labelled axes.
#include <algorithm>
#include <cmath>

#include "driver/explore/table.h"
#include "fmt/format.h"

namespace sysdl {
namespace {

constexpr double kWidth = 720, kHeight = 480, kLeft = 90, kRight = 24, kTop = 44, kBottom = 64;

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

/// An axis with round numbers at its ticks, and a decimal prefix that keeps them short.
struct Axis {
  double low = 0, high = 1, step = 0.2;
  double scale = 1;
  std::string label;

  Axis(double least, double most, const std::string& name, const std::string& unit) {
    if (most <= least) {
      double pad = least == 0 ? 1 : std::abs(least) * 0.1;
      least -= pad;
      most += pad;
    }
    double rough = (most - least) / 6;
    double power = std::pow(10, std::floor(std::log10(rough)));
    step = power * 10;
    for (double factor : {5.0, 2.0, 1.0}) {
      if (rough <= power * factor) step = power * factor;
    }
    low = std::floor(least / step) * step;
    high = std::ceil(most / step) * step;
    std::string prefix;
    static constexpr std::pair<double, const char*> kSteps[] = {
        {1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}};
    double largest = std::max(std::abs(low), std::abs(high));
    for (const auto& [size, letter] : kSteps) {
      if (scale != 1 || largest < size || unit.empty()) continue;
      scale = size == 1e4 ? 1e3 : size;
      prefix = letter;
    }
    label = unit.empty() ? name : fmt::format("{} ({}{})", name, prefix, unit);
  }

  double share(double value) const { return (value - low) / (high - low); }
  int ticks() const { return static_cast<int>(std::lround((high - low) / step)); }
  std::string tick(int i) const {
    double value = low + step * i;
    if (std::abs(value) < step * 1e-9) value = 0;
    return fmt::format("{:.6g}", value / scale);
  }
};

struct Plot {
  Axis x, y;
  std::string text;

  double px(double value) const { return kLeft + x.share(value) * (kWidth - kLeft - kRight); }
  double py(double value) const {
    return kHeight - kBottom - y.share(value) * (kHeight - kTop - kBottom);
  }

  void line(double x1, double y1, double x2, double y2, const char* colour) {
    text += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1,
        x2, y2, colour);
  }
  void label(double atX, double atY, const char* anchor, const std::string& what,
             const char* more = "") {
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", atX,
                        atY, anchor, more, escaped(what));
  }
  void axes() {
    double bottom = kHeight - kBottom;
    for (int i = 0; i <= x.ticks(); ++i) {
      double at = px(x.low + x.step * i);
      line(at, kTop, at, bottom, "#e4e4e4");
      label(at, bottom + 18, "middle", x.tick(i));
    }
    for (int i = 0; i <= y.ticks(); ++i) {
      double at = py(y.low + y.step * i);
      line(kLeft, at, kWidth - kRight, at, "#e4e4e4");
      label(kLeft - 8, at + 4, "end", y.tick(i));
    }
    line(kLeft, bottom, kWidth - kRight, bottom, "#444");
    line(kLeft, kTop, kLeft, bottom, "#444");
    label((kLeft + kWidth - kRight) / 2, kHeight - 18, "middle", x.label);
    std::string turned = fmt::format(" transform=\"rotate(-90 20 {:.1f})\"", (kTop + bottom) / 2);
    label(20, (kTop + bottom) / 2, "middle", y.label, turned.c_str());
  }
};

}  // namespace

std::string plotSvg(const std::string& title, const Wanted& wanted, std::vector<Dot> dots) {
  auto [left, right] = std::ranges::minmax(dots, {}, &Dot::x);
  auto [low, high] = std::ranges::minmax(dots, {}, &Dot::y);
  Plot plot{Axis(left.x, right.x, wanted.x, wanted.xUnit),
            Axis(low.y, high.y, wanted.y, wanted.yUnit),
            {}};
  plot.text =
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
                  "height=\"{1}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
                  "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
                  kWidth, kHeight);
  plot.label(kLeft, 24, "start", title, " font-size=\"15\"");
  plot.axes();
  std::ranges::stable_sort(dots, {}, &Dot::chosen);
  size_t chosen = static_cast<size_t>(std::ranges::count(dots, true, &Dot::chosen));
  for (const Dot& dot : dots) {
    plot.text +=
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" {}/>\n", plot.px(dot.x),
                    plot.py(dot.y), dot.chosen ? 5 : 3,
                    dot.chosen ? "fill=\"#c03028\"" : "fill=\"#3060a8\" fill-opacity=\"0.35\"");
  }
  std::string legend = fmt::format("{} points", dots.size());
  if (chosen > 0) legend += fmt::format(", {} chosen (red)", chosen);
  plot.label(kWidth - kRight, 24, "end", legend);
  return plot.text + "</svg>\n";
}

}  // namespace sysdl
