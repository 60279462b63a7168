#include "symbols/dwarf_unit.h"

#include <dwarf.h>

namespace heaptally::symbols {
namespace {

uint64_t NumberAttribute(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr(die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0) return 0;
  return value;
}

bool Contains(const std::vector<std::pair<uint64_t, uint64_t>>& ranges, uint32_t from, uint32_t to, uint64_t vaddr) {
  for (uint32_t i = from; i < to; ++i) {
    if (ranges[i].first <= vaddr && vaddr < ranges[i].second) return true;
  }
  return false;
}

}  // namespace

void DwarfUnit::FindSplitUnit() {
  uint8_t type = 0;
  Dwarf_Die split{};
  if (dwarf_cu_info(unit_.cu, nullptr, &type, nullptr, nullptr, nullptr, nullptr, nullptr) != 0 ||
      type != DW_UT_skeleton) {
    return;
  }
  if (dwarf_cu_info(unit_.cu, nullptr, nullptr, nullptr, &split, nullptr, nullptr, nullptr) == 0 &&
      split.addr != nullptr) {
    functions_unit_ = split;
    split_ = true;
    return;
  }
  DwarfStrings strings;
  const char* name = strings.Of(&unit_, DW_AT_dwo_name);
  if (name == nullptr) name = strings.Of(&unit_, DW_AT_GNU_dwo_name);
  problem_ = std::string("split debug file not found: ") + (name == nullptr ? "(no name)" : name);
}

void DwarfUnit::ReadFunctions(bool everywhere) {
  if (!read_top_) FindSplitUnit();
  read_top_ = true;
  read_all_ = everywhere;
  functions_.clear();
  map_ = RangeMap();
  WalkDies(functions_unit_, [&](Dwarf_Die die, Dwarf_Die) {
    const int tag = dwarf_tag(&die);
    if (tag != DW_TAG_subprogram) return everywhere || tag == DW_TAG_namespace || tag == DW_TAG_module;
    Function function{die, {}, false, {}, {}};
    ForRanges(&die, [&](uint64_t low, uint64_t high) {
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
  std::vector<std::pair<const void*, uint32_t>> open;  // calls around the current DIE: address, index
  auto close_until = [&](const void* parent) {
    while (!open.empty() && open.back().first != parent) {
      function->calls[open.back().second].end = static_cast<uint32_t>(function->calls.size());
      open.pop_back();
    }
  };
  std::unordered_map<const void*, const void*> block_owner;  // lexical block -> inlined call around it (or function)
  WalkDies(function->die, [&](Dwarf_Die die, Dwarf_Die parent) {
    auto owner = block_owner.find(parent.addr);
    const void* around = owner == block_owner.end() ? parent.addr : owner->second;
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block) {
      block_owner[die.addr] = around;
      return true;
    }
    if (tag != DW_TAG_inlined_subroutine) return false;
    close_until(around);
    const auto first = static_cast<uint32_t>(function->call_ranges.size());
    ForRanges(&die, [&](uint64_t low, uint64_t high) {
      if (low < high) function->call_ranges.emplace_back(low, high);
    });
    const auto end = static_cast<uint32_t>(function->call_ranges.size());
    if (first == end) return false;
    open.emplace_back(die.addr, static_cast<uint32_t>(function->calls.size()));
    function->calls.push_back({die, first, end, 0, NumberAttribute(&die, DW_AT_call_file),
                               static_cast<uint32_t>(NumberAttribute(&die, DW_AT_call_line))});
    return true;
  });
  close_until(nullptr);
}

std::vector<Dwarf_Die> DwarfUnit::ChainAt(uint64_t vaddr, std::vector<const InlinedCall*>* calls) {
  Function* function = FunctionAt(vaddr);
  if (function == nullptr) return {};
  if (!function->has_calls) ReadCalls(function);
  std::vector<Dwarf_Die> chain{function->die};
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
  if (!split_) return lines.FileName(index);
  // File numbers of a split unit count in the .dwo file's own table, which libdw reads.
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if (dwarf_getsrcfiles(&functions_unit_, &files, &count) != 0 || index >= count) return "";
  const char* name = dwarf_filesrc(files, index, nullptr, nullptr);
  return name == nullptr ? "" : name;
}

}  // namespace heaptally::symbols
