// How numbers are written for people: three significant digits, binary units with a space ("188 MiB"), counts with a
// decimal suffix ("1.24 M"). With `plain` (--bytes) every number is a bare integer, for scripts and for comparing.
#pragma once

#include <cstdint>
#include <string>

namespace heaptally::cli {

struct NumberStyle {
  bool plain = false;  // --bytes: no units, no rounding
};

// `bytes` may be an estimate, hence a double; a negative or non-finite value is written as 0.
std::string FormatBytes(double bytes, NumberStyle style = {});

// "181-195" in the unit that FormatBytes(value) uses, so that value and interval are read together. An interval without
// an upper end (`hi` not finite) is "181 or more".
std::string FormatBytesRange(double value, double lo, double hi, NumberStyle style = {});

// Objects, calls: "17", "9999", "340 k", "1.24 M".
std::string FormatCount(double count, NumberStyle style = {});
std::string FormatCountRange(double value, double lo, double hi, NumberStyle style = {});

// "1 object", "2 objects", "1.24 M objects".
std::string FormatCounted(double count, const char* one, const char* many, NumberStyle style = {});

// "850 ns", "40.0 ms", "12.4 s", "3 min 20 s", "2 h 05 min", "3 d 4 h".
std::string FormatDuration(double seconds);

// Share of a whole: "71 %", "0.4 %", "<0.1 %"; "" when the whole is 0.
std::string FormatShare(double part, double whole);

// "4096", "64K", "64k", "512 KiB", "1.5MiB", "2G" -> bytes: binary units, an optional "iB" or "B". Returns false on
// anything else (negative, empty, unknown unit, beyond 2^63).
bool ParseBytes(const std::string& text, uint64_t* bytes);

// "12.5s", "500ms", "2m", "1h" -> seconds, above 0. Returns false on anything else.
bool ParseDuration(const std::string& text, double* seconds);

}  // namespace heaptally::cli
