#include "unwind/call_frame_program.h"

#include "base/branch.h"
#include "unwind/expression.h"

namespace heaptally::unwind {
namespace {

// DWARF 5, section 7.24, and the GNU extensions. Three of them carry an operand in their low six bits.
enum : uint8_t {
  kAdvanceLoc = 0x40,
  kOffset = 0x80,
  kRestore = 0xc0,
  kNop = 0x00,
  kAdvanceLoc1 = 0x02,
  kAdvanceLoc2 = 0x03,
  kAdvanceLoc4 = 0x04,
  kOffsetExtended = 0x05,
  kRestoreExtended = 0x06,
  kUndefined = 0x07,
  kSameValue = 0x08,
  kRegister = 0x09,
  kRememberState = 0x0a,
  kRestoreState = 0x0b,
  kDefCfa = 0x0c,
  kDefCfaRegister = 0x0d,
  kDefCfaOffset = 0x0e,
  kDefCfaExpression = 0x0f,
  kExpressionOp = 0x10,
  kOffsetExtendedSf = 0x11,
  kDefCfaSf = 0x12,
  kDefCfaOffsetSf = 0x13,
  kValOffset = 0x14,
  kValOffsetSf = 0x15,
  kValExpression = 0x16,
  kGnuArgsSize = 0x2e,
  kGnuNegativeOffsetExtended = 0x2f,
};

constexpr int64_t kMaxOffset = 1 << 30;

bool InRange(int64_t value) { return value <= kMaxOffset && value >= -kMaxOffset; }

// Factored offsets: hostile factors must not overflow.
bool Scale(int64_t count, int64_t factor, int64_t* bytes) {
  return !__builtin_mul_overflow(count, factor, bytes) && InRange(*bytes);
}

}  // namespace

// These stand at the deepest point of a rule lookup: inline, for the stack's sake.
//
// kColumns: a register that does not matter here.
HT_ALWAYS_INLINE CallFrameProgram::Column CallFrameProgram::ColumnOf(uint64_t dwarf_register) {
  if (dwarf_register == kDwarfBp) return kBp;
  if (dwarf_register == kDwarfReturnAddress) return kReturnAddress;
  return dwarf_register == kDwarfSp ? kSp : kColumns;
}

HT_ALWAYS_INLINE void CallFrameProgram::SetColumn(uint64_t dwarf_register, ColumnKind kind, int64_t value) {
  const Column column = ColumnOf(dwarf_register);
  if (column == kColumns) return;
  row_.kinds[column] = kind;
  row_.values[column] = static_cast<int32_t>(value);
}

HT_ALWAYS_INLINE void CallFrameProgram::RestoreColumn(uint64_t dwarf_register) {
  const Column column = ColumnOf(dwarf_register);
  if (column == kColumns) return;
  row_.kinds[column] = has_initial_ ? initial_.kinds[column] : ColumnKind::kUntouched;
  row_.values[column] = has_initial_ ? initial_.values[column] : 0;
}

bool CallFrameProgram::RunUntil(Bytes instructions, uint64_t pc_offset) {
  ByteReader reader(instructions.start, instructions.end);
  while (!reader.AtEnd()) {
    const uint8_t op = reader.Read<uint8_t>();
    const uint8_t operand = op & 0x3f;
    uint64_t advance = 0;
    switch (op & 0xc0) {
      case kAdvanceLoc:
        advance = operand;
        break;
      case kOffset: {
        int64_t bytes = 0;
        if (!Scale(static_cast<int64_t>(reader.ReadUleb()), cie_.data_alignment, &bytes)) return false;
        SetColumn(operand, ColumnKind::kAtCfa, bytes);
        break;
      }
      case kRestore:
        RestoreColumn(operand);
        break;
      default:
        if (op == kAdvanceLoc1) {
          advance = reader.Read<uint8_t>();
        } else if (op == kAdvanceLoc2) {
          advance = reader.Read<uint16_t>();
        } else if (op == kAdvanceLoc4) {
          advance = reader.Read<uint32_t>();
        } else if (!RunExtended(op, &reader)) {
          return false;
        }
    }
    // At most 2^32 * 2^16 a step and one step a byte: no overflow before the entry ends.
    location_ += advance * cie_.code_alignment;
    if (location_ > pc_offset) break;
  }
  return reader.ok();
}

bool CallFrameProgram::RunExtended(uint8_t op, ByteReader* reader) {
  switch (op) {
    case kNop:
      return true;
    case kGnuArgsSize:
      reader->ReadUleb();
      return true;
    case kRememberState:
      return Remember();
    case kRestoreState:
      return RestoreRemembered();
    case kDefCfa:
    case kDefCfaSf:
    case kDefCfaRegister:
    case kDefCfaOffset:
    case kDefCfaOffsetSf:
    case kDefCfaExpression:
      return RunCfa(op, reader);
    default:
      return RunColumn(op, reader);
  }
}

bool CallFrameProgram::RunCfa(uint8_t op, ByteReader* reader) {
  int64_t offset = row_.cfa_value;
  uint64_t dwarf_register = row_.cfa_register;
  if (op == kDefCfaExpression) {
    const int64_t place = SkipBlock(reader);
    if (place < 0) return false;
    row_.cfa_kind = CfaKind::kExpression;
    row_.cfa_value = static_cast<int32_t>(place);
    return true;
  }
  if (op == kDefCfa || op == kDefCfaSf || op == kDefCfaRegister) dwarf_register = reader->ReadUleb();
  if (op == kDefCfa || op == kDefCfaOffset) offset = static_cast<int64_t>(reader->ReadUleb());
  if (op == kDefCfaSf || op == kDefCfaOffsetSf) {
    if (!Scale(reader->ReadSleb(), cie_.data_alignment, &offset)) return false;
  }
  return SetCfa(dwarf_register, offset);
}

bool CallFrameProgram::RunColumn(uint8_t op, ByteReader* reader) {
  const uint64_t dwarf_register = reader->ReadUleb();
  int64_t bytes = 0;
  switch (op) {
    case kOffsetExtended:
      if (!Scale(static_cast<int64_t>(reader->ReadUleb()), cie_.data_alignment, &bytes)) return false;
      SetColumn(dwarf_register, ColumnKind::kAtCfa, bytes);
      return true;
    case kOffsetExtendedSf:
      if (!Scale(reader->ReadSleb(), cie_.data_alignment, &bytes)) return false;
      SetColumn(dwarf_register, ColumnKind::kAtCfa, bytes);
      return true;
    case kGnuNegativeOffsetExtended:
      if (!Scale(static_cast<int64_t>(reader->ReadUleb()), -int64_t{cie_.data_alignment}, &bytes)) return false;
      SetColumn(dwarf_register, ColumnKind::kAtCfa, bytes);
      return true;
    case kRestoreExtended:
      RestoreColumn(dwarf_register);
      return true;
    case kUndefined:
      SetColumn(dwarf_register, ColumnKind::kUndefined, 0);
      return true;
    case kSameValue:
      SetColumn(dwarf_register, ColumnKind::kUntouched, 0);
      return true;
    case kRegister:
    case kValOffset:
      reader->ReadUleb();
      SetColumn(dwarf_register, ColumnKind::kOther, 0);
      return true;
    case kValOffsetSf:
      reader->ReadSleb();
      SetColumn(dwarf_register, ColumnKind::kOther, 0);
      return true;
    case kExpressionOp:
    case kValExpression: {
      const int64_t place = SkipBlock(reader);
      if (place < 0) return false;
      SetColumn(dwarf_register, op == kExpressionOp ? ColumnKind::kExpression : ColumnKind::kOther, place);
      return true;
    }
    default:
      return false;
  }
}

bool CallFrameProgram::Remember() {
  if (remembered_count_ == kMaxRemembered) return false;
  remembered_[remembered_count_++] = row_;
  return true;
}

bool CallFrameProgram::RestoreRemembered() {
  if (remembered_count_ == 0) return false;
  row_ = remembered_[--remembered_count_];
  return true;
}

bool CallFrameProgram::SetCfa(uint64_t dwarf_register, int64_t offset) {
  if (!InRange(offset)) return false;
  row_.cfa_kind = CfaKind::kRegister;
  row_.cfa_register = dwarf_register < 255 ? static_cast<uint8_t>(dwarf_register) : 255;
  row_.cfa_value = static_cast<int32_t>(offset);
  return true;
}

// Steps over a length and that many bytes; returns where the length stands, or -1.
int64_t CallFrameProgram::SkipBlock(ByteReader* reader) {
  const int64_t place = reader->at() - section_start_;
  reader->Skip(reader->ReadUleb());
  return reader->ok() && InRange(place) ? place : -1;
}

// REQUIRES: `value` comes from SkipBlock, so that the length and the bytes are known to be readable.
Bytes CallFrameProgram::Expression(int32_t value) const {
  const uint8_t* place = section_start_ + value;
  ByteReader length_reader(place, place + 10);  // a LEB128 that ends earlier is not read further
  const uint64_t length = length_reader.ReadUleb();
  return {length_reader.at(), length_reader.at() + length};
}

bool CallFrameProgram::SetCfaOf(Rule* rule) const {
  if (row_.cfa_kind == CfaKind::kRegister) {
    if (row_.cfa_register != kDwarfSp && row_.cfa_register != kDwarfBp) return false;
    rule->kind = row_.cfa_register == kDwarfSp ? RuleKind::kSpOffset : RuleKind::kBpOffset;
    rule->offset = row_.cfa_value;
    return true;
  }
  if (row_.cfa_kind != CfaKind::kExpression) return false;
  BaseExpression expression;
  if (ParseBaseExpression(Expression(row_.cfa_value), &expression)) {
    const bool from_sp = expression.base == kDwarfSp;
    rule->kind = expression.dereferenced ? (from_sp ? RuleKind::kSpDeref : RuleKind::kBpDeref)
                                         : (from_sp ? RuleKind::kSpOffset : RuleKind::kBpOffset);
    rule->offset = expression.offset;
    rule->addend = expression.addend;
    return true;
  }
  rule->kind = RuleKind::kPlt;
  return ParsePltExpression(Expression(row_.cfa_value), &rule->offset);
}

void CallFrameProgram::SetBpOf(Rule* rule) const {
  rule->bp_kind = BpKind::kLost;
  if (row_.kinds[kBp] == ColumnKind::kUntouched) {
    rule->bp_kind = BpKind::kSame;
  } else if (row_.kinds[kBp] == ColumnKind::kAtCfa) {
    rule->bp_kind = BpKind::kAtCfa;
    rule->bp_offset = row_.values[kBp];
  } else if (row_.kinds[kBp] == ColumnKind::kExpression) {
    BaseExpression expression;
    if (!ParseBaseExpression(Expression(row_.values[kBp]), &expression)) return;
    if (expression.base != kDwarfBp || expression.dereferenced) return;
    rule->bp_kind = BpKind::kAtBp;
    rule->bp_offset = expression.offset;
  }
}

// True iff the expression is sp + sp_offset, or the cell there.
bool CallFrameProgram::IsExpression(int32_t value, bool dereferenced, int32_t sp_offset) const {
  BaseExpression expression;
  return ParseBaseExpression(Expression(value), &expression) && expression.base == kDwarfSp &&
         expression.dereferenced == dereferenced && expression.offset == sp_offset && expression.addend == 0;
}

// A frame that the kernel built: the three registers must be described as the kernel's layout has them.
Rule CallFrameProgram::SignalRule() const {
  const bool by_expressions = row_.cfa_kind == CfaKind::kExpression && row_.kinds[kBp] == ColumnKind::kExpression &&
                              row_.kinds[kReturnAddress] == ColumnKind::kExpression;
  if (!by_expressions || !IsExpression(row_.cfa_value, true, kSignalSpOffset) ||
      !IsExpression(row_.values[kBp], false, kSignalBpOffset) ||
      !IsExpression(row_.values[kReturnAddress], false, kSignalPcOffset)) {
    return Rule{};
  }
  return {RuleKind::kSignal, BpKind::kSame, 0, 0, 0};
}

Rule CallFrameProgram::ToRule() const {
  if (row_.kinds[kReturnAddress] == ColumnKind::kUndefined) {
    return {RuleKind::kStop, BpKind::kSame, kStopOutermost, 0, 0};
  }
  if (cie_.is_signal_frame) return SignalRule();
  Rule rule;
  const bool usual = row_.kinds[kReturnAddress] == ColumnKind::kAtCfa && row_.values[kReturnAddress] == -8 &&
                     row_.kinds[kSp] == ColumnKind::kUntouched;
  if (!usual || !SetCfaOf(&rule)) return Rule{};
  SetBpOf(&rule);
  return rule;
}

}  // namespace heaptally::unwind
