#include "symbols/dwarf_unit.h"

#include <dwarf.h>

#include <unordered_map>

#include "symbols/range_lists.h"

namespace heaptally::symbols {
namespace {

bool Contains(const std::vector<std::pair<uint64_t, uint64_t>>& ranges, uint32_t from, uint32_t to, uint64_t vaddr) {
  for (uint32_t i = from; i < to; ++i) {
    if (ranges[i].first <= vaddr && vaddr < ranges[i].second) return true;
  }
  return false;
}

}  // namespace

void DwarfUnit::FindSplitUnit() {
  if (unit_.type != DW_UT_skeleton) return;
  split_ = splits_->Find(unit_, &problem_);
  if (split_.unit != nullptr) functions_unit_ = split_.unit;
}

void DwarfUnit::ReadFunctions(bool everywhere) {
  if (!read_top_) FindSplitUnit();
  read_top_ = true;
  read_all_ = everywhere;
  functions_.clear();
  map_ = RangeMap();
  WalkDies(functions_unit_->data->UnitDie(*functions_unit_), [&](const Die& die, const Die&) {
    const int tag = TagOf(die);
    if (tag != DW_TAG_subprogram) return everywhere || tag == DW_TAG_namespace || tag == DW_TAG_module;
    Function function{die, {}, false, {}, {}};
    ForRanges(die, [&](uint64_t low, uint64_t high) {
      const CodeRange* code = image_.CodeAround(low);
      if (code != nullptr && low < high && high <= code->high) function.ranges.emplace_back(low, high);
    });
    if (!function.ranges.empty()) {
      for (auto [low, high] : function.ranges) map_.Add(low, high, static_cast<uint32_t>(functions_.size()));
      functions_.push_back(std::move(function));
    }
    return everywhere;
  });
  map_.Build();
}

void DwarfUnit::AddFunctionRanges(RangeMap* map, uint32_t value) {
  if (!read_all_) ReadFunctions(true);
  for (const Function& function : functions_) {
    for (auto [low, high] : function.ranges) map->Add(low, high, value);
  }
}

DwarfUnit::Function* DwarfUnit::FunctionAt(uint64_t vaddr) {
  if (!read_top_) ReadFunctions(false);
  uint32_t i = map_.Find(vaddr);
  if (i == RangeMap::kNone && !read_all_) {
    ReadFunctions(true);
    i = map_.Find(vaddr);
  }
  return i == RangeMap::kNone ? nullptr : &functions_[i];
}

void DwarfUnit::ReadCalls(Function* function) {
  function->has_calls = true;
  std::vector<std::pair<const char*, uint32_t>> open;  // calls around the current DIE: address, index
  auto close_until = [&](const char* parent) {
    while (!open.empty() && open.back().first != parent) {
      function->calls[open.back().second].end = static_cast<uint32_t>(function->calls.size());
      open.pop_back();
    }
  };
  std::unordered_map<const char*, const char*> block_owner;  // lexical block -> inlined call around it (or function)
  WalkDies(function->die, [&](const Die& die, const Die& parent) {
    auto owner = block_owner.find(parent.key());
    const char* around = owner == block_owner.end() ? parent.key() : owner->second;
    const int tag = TagOf(die);
    if (tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block) {
      block_owner[die.key()] = around;
      return true;
    }
    if (tag != DW_TAG_inlined_subroutine) return false;
    close_until(around);
    const auto first = static_cast<uint32_t>(function->call_ranges.size());
    ForRanges(die, [&](uint64_t low, uint64_t high) {
      if (low < high) function->call_ranges.emplace_back(low, high);
    });
    const auto end = static_cast<uint32_t>(function->call_ranges.size());
    if (first == end) return false;
    open.emplace_back(die.key(), static_cast<uint32_t>(function->calls.size()));
    function->calls.push_back({die, first, end, 0, NumberOf(die, DW_AT_call_file),
                               static_cast<uint32_t>(NumberOf(die, DW_AT_call_line))});
    return true;
  });
  close_until(nullptr);
}

std::vector<Die> DwarfUnit::ChainAt(uint64_t vaddr, std::vector<const InlinedCall*>* calls) {
  Function* function = FunctionAt(vaddr);
  if (function == nullptr) return {};
  if (!function->has_calls) ReadCalls(function);
  std::vector<Die> chain{function->die};
  const std::vector<InlinedCall>& all = function->calls;
  uint32_t end = static_cast<uint32_t>(all.size());
  for (uint32_t i = 0; i < end;) {
    if (!Contains(function->call_ranges, all[i].first_range, all[i].end_range, vaddr)) {
      i = all[i].end;
      continue;
    }
    chain.push_back(all[i].die);
    calls->push_back(&all[i]);
    end = all[i].end;
    ++i;
  }
  return chain;
}

std::string DwarfUnit::CallFile(uint64_t index, const LineTable& lines) {
  if (split_.unit == nullptr) return lines.FileName(index);
  if (split_lines_ == nullptr) {  // file numbers of a split unit count in the .dwo file's own table
    const DwarfSections& sections = split_.data->sections();
    const Die split = split_.data->UnitDie(*split_.unit);
    std::string_view folder = TextOf(split, DW_AT_comp_dir);
    if (folder.empty()) folder = TextOf(die(), DW_AT_comp_dir);
    split_lines_ = std::make_unique<LineTable>(
        LineSections{sections.line, sections.line_str, sections.str, sections.str_offsets},
        NumberOf(split, DW_AT_stmt_list), std::string(folder), [](uint64_t) { return false; });
  }
  return split_lines_->FileName(index);
}

}  // namespace heaptally::symbols
