#include "unwind/expression.h"

namespace heaptally::unwind {
namespace {

// DWARF 5, section 7.7.1.
enum : uint8_t {
  kOpDeref = 0x06,
  kOpConst1u = 0x08,
  kOpConst1s = 0x09,
  kOpAnd = 0x1a,
  kOpPlus = 0x22,
  kOpPlusUconst = 0x23,
  kOpShl = 0x24,
  kOpGe = 0x2a,
  kOpLit0 = 0x30,
  kOpLit31 = 0x4f,
  kOpBreg0 = 0x70,
};

constexpr int64_t kMaxOffset = 1 << 30;

// The constant that is added after a dereference: one of three ways to write it.
int64_t ReadAddend(ByteReader* reader) {
  const uint8_t op = reader->Read<uint8_t>();
  if (op == kOpPlusUconst) return static_cast<int64_t>(reader->ReadUleb());
  int64_t addend = 0;
  if (op >= kOpLit0 && op <= kOpLit31) {
    addend = op - kOpLit0;
  } else if (op == kOpConst1u) {
    addend = reader->Read<uint8_t>();
  } else if (op == kOpConst1s) {
    addend = reader->Read<int8_t>();
  } else {
    reader->Fail();
  }
  if (reader->Read<uint8_t>() != kOpPlus) reader->Fail();
  return addend;
}

}  // namespace

bool ParseBaseExpression(Bytes bytes, BaseExpression* expression) {
  ByteReader reader(bytes.start, bytes.end);
  const uint8_t base = static_cast<uint8_t>(reader.Read<uint8_t>() - kOpBreg0);
  if (base != kDwarfBp && base != kDwarfSp) return false;
  const int64_t offset = reader.ReadSleb();
  expression->base = base;
  expression->dereferenced = reader.left() > 0 && *reader.at() == kOpDeref;
  if (expression->dereferenced) reader.Skip(1);
  const int64_t addend = reader.AtEnd() ? 0 : ReadAddend(&reader);
  if (!reader.ok() || !reader.AtEnd()) return false;
  if (offset > kMaxOffset || offset < -kMaxOffset || addend > kMaxOffset || addend < -kMaxOffset) return false;
  expression->offset = static_cast<int32_t>(expression->dereferenced ? offset : offset + addend);
  expression->addend = static_cast<int32_t>(expression->dereferenced ? addend : 0);
  return true;
}

bool ParsePltExpression(Bytes bytes, int32_t* threshold) {
  ByteReader reader(bytes.start, bytes.end);
  // breg7(rsp)+8; breg16(rip)+0; lit15; and; litN; ge; lit3; shl; plus
  constexpr uint8_t kBefore[] = {kOpBreg0 + kDwarfSp, 8, kOpBreg0 + kDwarfReturnAddress, 0, kOpLit0 + 15, kOpAnd};
  constexpr uint8_t kAfter[] = {kOpGe, kOpLit0 + 3, kOpShl, kOpPlus};
  for (const uint8_t expected : kBefore) {
    if (reader.Read<uint8_t>() != expected) return false;
  }
  const uint8_t literal = reader.Read<uint8_t>();
  if (literal < kOpLit0 || literal > kOpLit0 + 15) return false;
  for (const uint8_t expected : kAfter) {
    if (reader.Read<uint8_t>() != expected) return false;
  }
  *threshold = literal - kOpLit0;
  return reader.ok() && reader.AtEnd();
}

}  // namespace heaptally::unwind
