#include "symbols/line_table.h"

#include <dwarf.h>

#include <algorithm>
#include <array>

#include "symbols/byte_reader.h"

namespace heaptally::symbols {
namespace {

std::string_view StringAt(std::string_view section, uint64_t offset) {
  if (offset >= section.size()) return {};
  const size_t end = section.find('\0', offset);
  return end == std::string_view::npos ? std::string_view{} : section.substr(offset, end - offset);
}

// One value of a DWARF 5 name table: a string or a number, by its form.
struct FormValue {
  std::string_view text;
  uint64_t number = 0;
};

// False for a form that cannot stand in a line header, whose length is therefore unknown.
bool ReadForm(ByteReader& in, uint64_t form, const LineSections& sections, bool wide, FormValue* out) {
  const size_t offset_bytes = wide ? 8 : 4;
  switch (form) {
    case DW_FORM_string:
      out->text = in.CString();
      return in.ok();
    case DW_FORM_line_strp:
      out->text = StringAt(sections.line_str, in.Fixed(offset_bytes));
      return in.ok();
    case DW_FORM_strp:
      out->text = StringAt(sections.str, in.Fixed(offset_bytes));
      return in.ok();
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_strp_alt:
      in.Fixed(offset_bytes);  // text of a supplementary file: the name stays empty
      return in.ok();
    case DW_FORM_udata:
    case DW_FORM_strx:
      out->number = in.Uleb();
      return in.ok();
    case DW_FORM_data1:
    case DW_FORM_strx1:
      out->number = in.Fixed(1);
      return in.ok();
    case DW_FORM_data2:
    case DW_FORM_strx2:
      out->number = in.Fixed(2);
      return in.ok();
    case DW_FORM_data4:
    case DW_FORM_strx4:
      out->number = in.Fixed(4);
      return in.ok();
    case DW_FORM_data8:
      out->number = in.Fixed(8);
      return in.ok();
    case DW_FORM_data16:
      in.Block(16);
      return in.ok();
    case DW_FORM_block:
      in.Block(in.Uleb());
      return in.ok();
    default:
      return false;
  }
}

}  // namespace

struct LineTable::Header {
  uint8_t min_instruction_bytes = 1, ops_per_instruction = 1, line_range = 1, opcode_base = 1;
  int8_t line_base = 0;
  std::array<uint8_t, 256> operands{};
  std::string_view program;
};

// The registers of the state machine, and the rows since the last DW_LNE_end_sequence.
struct LineTable::Sequence {
  uint64_t address = 0;
  uint64_t op_index = 0;
  uint32_t file = 1;
  uint32_t line = 1;
  uint32_t first_row = 0;
};

LineTable::LineTable(const LineSections& sections, uint64_t offset, std::string comp_dir,
                     const std::function<bool(uint64_t)>& is_code)
    : comp_dir_(std::move(comp_dir)) {
  if (offset >= sections.line.size()) return;
  Header header;
  if (!ReadHeader(sections.line.substr(offset), sections, &header)) return;
  Run(header, is_code);
  map_.Build();
}

bool LineTable::ReadHeader(std::string_view unit, const LineSections& sections, Header* header) {
  ByteReader in(unit);
  uint64_t length = in.Fixed(4);
  const bool wide = length == 0xffffffffu;
  if (wide) length = in.Fixed(8);
  if (!in.ok() || length > in.left()) return false;
  const std::string_view body = unit.substr(in.position(), length);
  in = ByteReader(body);
  version_ = static_cast<uint16_t>(in.Fixed(2));
  if (version_ < 2 || version_ > 5) return false;
  if (version_ >= 5) in.Fixed(2);  // address size, segment selector size
  const uint64_t header_length = in.Fixed(wide ? 8 : 4);
  if (!in.ok() || header_length > in.left()) return false;
  header->program = body.substr(in.position() + header_length);
  in = ByteReader(body.substr(in.position(), header_length));
  header->min_instruction_bytes = in.U8();
  if (version_ >= 4) header->ops_per_instruction = in.U8();
  in.U8();  // default_is_stmt
  header->line_base = static_cast<int8_t>(in.U8());
  header->line_range = in.U8();
  header->opcode_base = in.U8();
  for (unsigned op = 1; op < header->opcode_base; ++op) header->operands[op] = in.U8();
  if (!in.ok() || header->line_range == 0 || header->opcode_base == 0) return false;
  return version_ >= 5 ? ReadNames(in, sections, wide) : ReadOldNames(in);
}

bool LineTable::ReadOldNames(ByteReader& in) {
  directories_.push_back({});  // 0 is the compilation directory
  for (;;) {
    const std::string_view directory = in.CString();
    if (directory.empty()) break;
    directories_.push_back(directory);
  }
  files_.push_back({});  // files count from 1
  while (in.ok()) {
    const std::string_view name = in.CString();
    if (name.empty()) break;
    const uint64_t directory = in.Uleb();
    in.Uleb();  // time
    in.Uleb();  // size
    files_.push_back({name, directory});
  }
  return in.ok();
}

bool LineTable::ReadNames(ByteReader& in, const LineSections& sections, bool wide) {
  for (const bool is_file : {false, true}) {
    std::vector<std::pair<uint64_t, uint64_t>> format(in.U8());
    for (auto& [content, form] : format) {
      content = in.Uleb();
      form = in.Uleb();
    }
    const uint64_t count = in.Uleb();
    if (!in.ok() || (format.empty() ? count != 0 : count > in.left())) return false;
    for (uint64_t i = 0; i < count; ++i) {
      File entry{};
      for (const auto& [content, form] : format) {
        FormValue value;
        if (!ReadForm(in, form, sections, wide, &value)) return false;
        if (content == DW_LNCT_path) entry.name = value.text;
        if (content == DW_LNCT_directory_index) entry.directory = value.number;
      }
      if (is_file) {
        files_.push_back(entry);
      } else {
        directories_.push_back(entry.name);
      }
    }
  }
  return true;
}

void LineTable::Run(const Header& header, const std::function<bool(uint64_t)>& is_code) {
  ByteReader in(header.program);
  Sequence s;
  const unsigned ops = std::max<unsigned>(header.ops_per_instruction, 1);
  auto advance = [&](uint64_t operation_advance) {
    const uint64_t index = s.op_index + operation_advance;
    s.address += header.min_instruction_bytes * (index / ops);
    s.op_index = index % ops;
  };
  auto emit = [&] { rows_.push_back({s.address, s.file, s.line}); };
  while (!in.AtEnd()) {
    const uint8_t op = in.U8();
    if (op >= header.opcode_base) {
      const unsigned adjusted = op - header.opcode_base;
      advance(adjusted / header.line_range);
      s.line += static_cast<uint32_t>(header.line_base + static_cast<int>(adjusted % header.line_range));
      emit();
      continue;
    }
    switch (op) {
      case 0:
        Extended(in, header, &s, is_code);
        break;
      case DW_LNS_copy:
        emit();
        break;
      case DW_LNS_advance_pc:
        advance(in.Uleb());
        break;
      case DW_LNS_advance_line:
        s.line += static_cast<uint32_t>(in.Sleb());
        break;
      case DW_LNS_set_file:
        s.file = static_cast<uint32_t>(in.Uleb());
        break;
      case DW_LNS_const_add_pc:
        advance((255u - header.opcode_base) / header.line_range);
        break;
      case DW_LNS_fixed_advance_pc:
        s.address += in.Fixed(2);
        s.op_index = 0;
        break;
      default:  // flags that we do not need, and operations that we do not know
        for (unsigned i = 0; i < header.operands[op]; ++i) in.Uleb();
    }
  }
  rows_.resize(s.first_row);  // a sequence without an end has no last address
}

void LineTable::Extended(ByteReader& in, const Header&, Sequence* s, const std::function<bool(uint64_t)>& is_code) {
  const uint64_t length = in.Uleb();
  ByteReader body(in.Block(length));
  if (!in.ok() || length == 0) return;
  switch (body.U8()) {
    case DW_LNE_end_sequence:
      EndSequence(s, is_code);
      break;
    case DW_LNE_set_address:
      s->address = body.Fixed(std::min<size_t>(body.left(), 8));
      s->op_index = 0;
      break;
    case DW_LNE_define_file: {
      const std::string_view name = body.CString();
      files_.push_back({name, body.Uleb()});
      break;
    }
    default:
      break;
  }
}

void LineTable::EndSequence(Sequence* s, const std::function<bool(uint64_t)>& is_code) {
  const uint32_t first = s->first_row;
  const uint64_t end = s->address;
  *s = Sequence{};
  s->first_row = first;
  if (rows_.size() > first) {
    auto begin = rows_.begin() + first;
    auto earlier = [](const Row& a, const Row& b) { return a.address < b.address; };
    if (!std::is_sorted(begin, rows_.end(), earlier)) std::stable_sort(begin, rows_.end(), earlier);
    if (begin->address < end && is_code(begin->address)) {
      map_.Add(begin->address, end, static_cast<uint32_t>(sequences_.size()));
      sequences_.emplace_back(first, static_cast<uint32_t>(rows_.size()));
      s->first_row = static_cast<uint32_t>(rows_.size());
      return;
    }
  }
  rows_.resize(first);
}

LineTable::Position LineTable::Find(uint64_t vaddr) const {
  const uint32_t sequence = map_.Find(vaddr);
  if (sequence == RangeMap::kNone) return {};
  const auto [first, end] = sequences_[sequence];
  auto it = std::upper_bound(rows_.begin() + first, rows_.begin() + end, vaddr,
                             [](uint64_t a, const Row& row) { return a < row.address; });
  if (it == rows_.begin() + first) return {};
  --it;
  return {it->file, it->line};
}

std::string LineTable::FileName(uint64_t index) const {
  if (index >= files_.size() || files_[index].name.empty()) return "";
  const File& file = files_[index];
  std::string path(file.name);
  if (path[0] == '/') return path;
  std::string directory;
  if (file.directory < directories_.size()) directory = directories_[file.directory];
  if (directory.empty() || directory[0] != '/') {
    directory = directory.empty() ? comp_dir_ : comp_dir_.empty() ? directory : comp_dir_ + "/" + directory;
  }
  return directory.empty() ? path : directory + "/" + path;
}

}  // namespace heaptally::symbols
