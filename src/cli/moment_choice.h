// Which moment of a capture is meant: "file@12.5s" is the one nearest to 12.5 s after the start, "file@3" the third,
// "file@first" and "file@last" speak for themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/units.h"
#include "store/capture.h"

namespace heaptally::cli {

struct NamedMoment {
  std::string file;
  std::string at;  // "" where none is named
};
// A file that has the '@' in its own name is that file.
NamedMoment SplitMoment(const std::string& what);

// A remark where a time is asked for at which the capture holds nothing any more; "" else.
std::string BeyondTheLast(const std::vector<store::Moment>& moments, const std::string& at);

// The moment's number. On failure returns nothing and sets *error, *what_works.
std::optional<uint64_t> ChooseMoment(const std::vector<store::Moment>& moments, const std::string& at,
                                     std::string* error, std::string* what_works);

// The start of the first image, Unix time.
uint64_t StartOf(const std::vector<store::Moment>& moments);

// A table, one moment in a row.
std::string RenderMoments(const std::vector<store::Moment>& moments, size_t width, NumberStyle style);

// Prints these tables of captures, or a complaint that ends in `what_works`. Returns the exit status.
int ListMoments(const std::vector<std::string>& files, const std::string& what_works, NumberStyle style);

}  // namespace heaptally::cli
