// The frames of a profile as numbers: what it takes to build a tree of a million nodes without a string in sight.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "exporters/call_tree.h"

namespace heaptally::exporters {

struct TableFrame {
  uint32_t function;
  uint32_t line;
  bool allocator, plumbing;
};

// Functions, each once, over all profiles.
class FunctionTable {
 public:
  FunctionTable(const Wording& wording, StringTable* strings) : wording_(wording), strings_(*strings) {}

  TableFrame Add(const analysis::StackFrame& frame);
  // A frame that is no function but says something.
  TableFrame Words(const std::string& words);
  std::vector<CallFunction> Take() { return std::move(functions_); }

 private:
  uint32_t Number(const CallFunction& function);

  const Wording& wording_;
  StringTable& strings_;
  std::vector<CallFunction> functions_;
  std::map<std::array<uint32_t, 4>, uint32_t> numbers_;
  std::unordered_map<std::string, TableFrame> seen_;  // making a name readable costs microseconds
};

// A profile's machine frames, each with the source frames that it stands for.
class FrameTable {
 public:
  FrameTable(const profile::Profile& profile, FunctionTable* functions);

  // The stack of `site` as ShownStack has it, root first. Never empty. `place`: the frame that names the site's place.
  void Stack(const profile::Site& site, bool allocator_frames, std::vector<TableFrame>* root_first, TableFrame* place);

 private:
  FunctionTable& functions_;
  std::vector<uint32_t> begin_;  // of a machine frame's sources; one more than there are frames
  std::vector<TableFrame> sources_;
};

}  // namespace heaptally::exporters
