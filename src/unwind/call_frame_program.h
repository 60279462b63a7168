// The call frame instructions of one FDE, run up to one pc, for the three columns that matter here: the CFA, rbp and
// the return address (and whether somebody describes rsp in its own way).
//
// The object is small (about 150 bytes), since it lives on the stack of a profiled program.
#pragma once

#include <cstdint>

#include "unwind/byte_reader.h"
#include "unwind/rule.h"

namespace heaptally::unwind {

struct Cie {
  Bytes program;
  uint32_t code_alignment = 1;
  int32_t data_alignment = 1;
  uint8_t pointer_encoding = 0;
  bool is_signal_frame = false;
  bool has_augmentation_data = false;
};

class CallFrameProgram {
 public:
  // `section_start` is the base from which places of expressions are remembered (as 32-bit offsets, to keep rows
  // small).
  CallFrameProgram(const uint8_t* section_start, const Cie& cie) : section_start_(section_start), cie_(cie) {}

  // Runs the CIE's program, then `instructions` up to the row that covers `pc_offset` (bytes from the FDE's start).
  // Returns false on malformed or unknown instructions, or more than kMaxRemembered nested states.
  bool Run(Bytes instructions, uint64_t pc_offset) {
    if (!RunUntil(cie_.program, ~uint64_t{0})) return false;
    initial_ = row_;
    has_initial_ = true;
    location_ = 0;
    return RunUntil(instructions, pc_offset);
  }

  // The row as a rule; kStop/kStopNoRule if it needs more than rsp and rbp.
  Rule ToRule() const;

 private:
  enum class ColumnKind : uint8_t { kUntouched, kUndefined, kAtCfa, kExpression, kOther };
  enum class CfaKind : uint8_t { kNone, kRegister, kExpression };
  enum Column : uint8_t { kBp, kReturnAddress, kSp, kColumns };

  // Values: kAtCfa: bytes from the CFA; kRegister: bytes to add; kExpression: where it begins, in bytes from
  // section_start_. Kinds and values stand apart only to save padding.
  struct Row {
    int32_t cfa_value = 0;
    int32_t values[kColumns] = {};
    ColumnKind kinds[kColumns] = {};
    CfaKind cfa_kind = CfaKind::kNone;
    uint8_t cfa_register = 0;
  };

  // Compilers need one; every level costs 24 bytes of somebody else's stack.
  static constexpr uint32_t kMaxRemembered = 2;

  bool RunUntil(Bytes instructions, uint64_t pc_offset);
  bool RunExtended(uint8_t op, ByteReader* reader);
  bool RunCfa(uint8_t op, ByteReader* reader);
  bool RunColumn(uint8_t op, ByteReader* reader);
  bool Remember();
  bool RestoreRemembered();
  void SetColumn(uint64_t dwarf_register, ColumnKind kind, int64_t value);
  void RestoreColumn(uint64_t dwarf_register);
  bool SetCfa(uint64_t dwarf_register, int64_t offset);
  int64_t SkipBlock(ByteReader* reader);
  Bytes Expression(int32_t value) const;
  bool IsExpression(int32_t value, bool dereferenced, int32_t sp_offset) const;
  static Column ColumnOf(uint64_t dwarf_register);
  Rule SignalRule() const;
  bool SetCfaOf(Rule* rule) const;
  void SetBpOf(Rule* rule) const;

  const uint8_t* section_start_;
  const Cie& cie_;
  uint64_t location_ = 0;
  Row row_;
  Row initial_;
  Row remembered_[kMaxRemembered];
  uint32_t remembered_count_ = 0;
  bool has_initial_ = false;
};

}  // namespace heaptally::unwind
