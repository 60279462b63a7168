#include "analysis/stack_paths.h"

#include <algorithm>

namespace heaptally::analysis {
namespace {

// The part of `stack` that the tree begins with, from its root on; empty if the question is not about this stack.
void Orient(const FrameTable& table, const TreeQuestion& question, std::vector<uint32_t>* stack) {
  const bool bottom_up = question.direction == TreeQuestion::Direction::kBottomUp;
  if (!question.through.empty()) {
    const auto asked_for = [&](uint32_t frame) {
      const uint32_t function = table.FunctionOf(frame);
      return function < question.through.size() && question.through[function];
    };
    const auto outermost = std::find_if(stack->rbegin(), stack->rend(), asked_for);
    if (outermost == stack->rend()) {
      stack->clear();
    } else if (bottom_up) {
      stack->erase(stack->begin(), outermost.base() - 1);
    } else {
      stack->erase(outermost.base(), stack->end());
    }
  }
  if (!bottom_up) std::reverse(stack->begin(), stack->end());
}

// Leaves out plumbing, and a function that calls itself directly; `place` stays if nothing else would. The first frame
// stays if it is what was asked for.
void Fold(const FrameTable& table, const TreeQuestion& question, uint32_t place, std::vector<uint32_t>* path) {
  size_t kept = 0;
  bool named = false;
  for (size_t at = 0; at < path->size(); ++at) {
    const uint32_t frame = (*path)[at];
    const bool asked_for = at == 0 && !question.through.empty();
    if (!asked_for && table.IsPlumbing(frame)) continue;
    if (kept > 0 && table.FunctionOf((*path)[kept - 1]) == table.FunctionOf(frame)) continue;
    named = named || table[frame].words.empty();
    (*path)[kept++] = frame;
  }
  path->resize(kept);
  // Words alone ("callers not known") would hide what is known.
  if (named || (kept == 1 && (*path)[0] == place)) return;
  path->insert(question.direction == TreeQuestion::Direction::kBottomUp ? path->begin() : path->end(), place);
}

}  // namespace

StackPaths PathsOf(const std::vector<const profile::Profile*>& profiles, const TreeQuestion& question,
                   FrameTable* table) {
  StackPaths out;
  std::vector<uint32_t> stack;
  for (size_t number = 0; number < profiles.size(); ++number) {
    for (const profile::Site& site : profiles[number]->sites) {
      if (site.memory_class == "mapped" || !(RankedAmount(site.measures, question.by).value() > 0)) continue;
      table->Stack(number, site, &stack);
      const uint32_t place = stack[table->PlaceAt(stack)];
      Orient(*table, question, &stack);
      if (stack.empty()) continue;
      if (!question.full) Fold(*table, question, place, &stack);
      out.paths.push_back({&site.measures, static_cast<uint32_t>(out.frames.size()),
                           static_cast<uint32_t>(stack.size())});
      out.frames.insert(out.frames.end(), stack.begin(), stack.end());
    }
  }
  return out;
}

}  // namespace heaptally::analysis
