#include "cli/units.h"

#include <charconv>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace heaptally::cli {
namespace {

constexpr std::array<const char*, 7> kByteUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
constexpr std::array<const char*, 6> kCountUnits = {"", "k", "M", "G", "T", "P"};

double Sane(double number) { return std::isfinite(number) && number > 0 ? number : 0; }

// Three significant digits; below 0.995 that means two decimals, since the unit stays that of the neighbouring number.
std::string Digits(double number) {
  if (number >= 99.95) return fmt::format("{:.0f}", number);
  if (number >= 9.995) return fmt::format("{:.1f}", number);
  if (number > 0 && number < 0.005) return "<0.01";
  return fmt::format("{:.2f}", number);
}

// Index of the unit whose number is written with at most three digits before the point.
size_t UnitOf(double number, double step, size_t units) {
  size_t unit = 0;
  while (number >= 999.5 && unit + 1 < units) {
    number /= step;
    ++unit;
  }
  return unit;
}

size_t ByteUnit(double bytes) { return bytes < 1023.5 ? 0 : UnitOf(bytes, 1024, kByteUnits.size()); }
size_t CountUnit(double count) { return count < 9999.5 ? 0 : UnitOf(count, 1000, kCountUnits.size()); }

std::string InUnit(double number, double step, size_t unit) {
  if (unit == 0) return fmt::format("{:.0f}", number);
  return Digits(number / std::pow(step, static_cast<double>(unit)));
}

std::string Range(double lo, double hi, double step, size_t unit) {
  const std::string low = InUnit(Sane(lo), step, unit);
  if (!std::isfinite(hi)) return low + " or more";
  const std::string high = InUnit(Sane(hi), step, unit);
  return low + "-" + high;
}

}  // namespace

std::string FormatBytes(double bytes, NumberStyle style) {
  bytes = Sane(bytes);
  if (style.plain) return fmt::format("{:.0f}", bytes);
  const size_t unit = ByteUnit(bytes);
  return InUnit(bytes, 1024, unit) + " " + kByteUnits[unit];
}

std::string FormatBytesRange(double value, double lo, double hi, NumberStyle style) {
  return Range(lo, hi, 1024, style.plain ? 0 : ByteUnit(Sane(value)));
}

std::string FormatCounted(double count, const char* one, const char* many, NumberStyle style) {
  const std::string number = FormatCount(count, style);
  return number + " " + (number == "1" ? one : many);
}

std::string FormatCount(double count, NumberStyle style) {
  count = Sane(count);
  const size_t unit = style.plain ? 0 : CountUnit(count);
  const std::string digits = InUnit(count, 1000, unit);
  return unit == 0 ? digits : digits + " " + kCountUnits[unit];
}

std::string FormatCountRange(double value, double lo, double hi, NumberStyle style) {
  return Range(lo, hi, 1000, style.plain ? 0 : CountUnit(Sane(value)));
}

std::string FormatDuration(double seconds) {
  seconds = Sane(seconds);
  if (seconds == 0) return "0 s";
  if (seconds < 999.5e-9) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 999.5e-6) return Digits(seconds * 1e6) + " us";
  if (seconds < 999.5e-3) return Digits(seconds * 1e3) + " ms";
  if (seconds < 119.95) return Digits(seconds) + " s";
  const auto whole = static_cast<uint64_t>(std::min(std::llround(std::min(seconds, 9e15)), 9'000'000'000'000'000ll));
  if (whole < 7200) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  if (whole < 172800) return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {} h", whole / 86400, whole % 86400 / 3600);
}

std::string FormatShare(double part, double whole) {
  if (!(whole > 0)) return "";
  const double percent = Sane(part) / whole * 100;
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  if (percent < 9.95 && percent > 0) return fmt::format("{:.1f} %", percent);
  return fmt::format("{:.0f} %", percent);
}

bool ParseBytes(const std::string& text, uint64_t* bytes) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) == 0) return false;
  if (text.size() > 1 && (text[1] == 'x' || text[1] == 'X')) return false;  // strtod would read hexadecimal
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  std::string unit;
  for (; *end != '\0'; ++end) {
    if (*end != ' ') unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*end)));
  }
  if (unit.size() > 1 && unit.ends_with("ib")) unit.resize(unit.size() - 2);
  if (!unit.empty() && unit.back() == 'b') unit.pop_back();
  const std::string letters = "kmgt";
  double factor = 1;
  if (!unit.empty()) {
    const size_t power = letters.find(unit[0]);
    if (unit.size() != 1 || power == std::string::npos) return false;
    factor = std::pow(1024, static_cast<double>(power + 1));
  }
  if (!(number >= 0) || number * factor >= 9.2e18) return false;
  *bytes = static_cast<uint64_t>(std::llround(number * factor));
  return true;
}

bool ParseDuration(const std::string& text, double* seconds) {
  double number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || !(number > 0) || !(number < 1e9)) return false;
  const std::string unit(end, text.data() + text.size());
  const double scale = unit == "ms" ? 1e-3 : unit == "s" ? 1 : unit == "m" || unit == "min" ? 60 : unit == "h" ? 3600 : 0;
  *seconds = number * scale;
  return scale > 0;
}

}  // namespace heaptally::cli
