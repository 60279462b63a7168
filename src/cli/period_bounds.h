// Which periods a mode takes: bytes in mode bytes, calls in modes count and per-class.
#pragma once

#include <cstdint>
#include <string>

namespace heaptally::cli {

struct Refusal {
  std::string why;  // "": it will do
  std::string what_works;
};

Refusal WhyNoPeriod(const std::string& mode, uint64_t period);

}  // namespace heaptally::cli
