#include "unwind/call_frame.h"

#include "base/branch.h"
#include "unwind/call_frame_program.h"
#include "unwind/expression.h"

namespace heaptally::unwind {
namespace {

constexpr uint32_t kExtendedLength = 0xffffffff;
constexpr int64_t kMaxAlignmentFactor = 1 << 16;

// Sets the reader to the body of the record at `record`: from the CIE pointer to the record's end.
ByteReader RecordBody(const Bytes& section, const uint8_t* record) {
  if (!section.Contains(record)) return {section.end, section.start};  // start < end: a failed reader
  ByteReader reader(record, section.end);
  uint64_t length = reader.Read<uint32_t>();
  if (length == kExtendedLength) length = reader.Read<uint64_t>();
  if (!reader.ok() || length == 0 || length > reader.left()) reader.Fail();
  if (!reader.ok()) return reader;
  return {reader.at(), reader.at() + length};
}

// The letters after 'z': what the augmentation data holds.
void ReadAugmentation(const uint8_t* letters, ByteReader* reader, Cie* cie) {
  for (; *letters != '\0' && reader->ok(); ++letters) {
    switch (*letters) {
      case 'R':
        cie->pointer_encoding = reader->Read<uint8_t>();
        break;
      case 'P': {
        const uint8_t encoding = reader->Read<uint8_t>();
        if (encoding != kEncodingOmit) reader->ReadFormat(encoding & 0x0f);
        break;
      }
      case 'L':
        reader->Read<uint8_t>();
        break;
      case 'S':
        cie->is_signal_frame = true;
        break;
      default:
        reader->Fail();
    }
  }
}

// Out of line: the stack that it needs is given back before the program runs.
HT_NOINLINE bool ReadCie(const Bytes& section, const uint8_t* record, Cie* cie) {
  ByteReader reader = RecordBody(section, record);
  if (reader.Read<uint32_t>() != 0) return false;  // only a CIE has 0 here
  const uint8_t version = reader.Read<uint8_t>();
  if (version != 1 && version != 3) return false;
  const uint8_t* augmentation = reader.at();
  while (reader.Read<uint8_t>() != 0) {
  }
  const uint64_t code_alignment = reader.ReadUleb();
  const int64_t data_alignment = reader.ReadSleb();
  const uint64_t return_column = version == 1 ? reader.Read<uint8_t>() : reader.ReadUleb();
  if (!reader.ok() || return_column != kDwarfReturnAddress) return false;
  if (code_alignment > uint64_t{kMaxAlignmentFactor}) return false;
  if (data_alignment > kMaxAlignmentFactor || data_alignment < -kMaxAlignmentFactor) return false;
  cie->code_alignment = static_cast<uint32_t>(code_alignment);
  cie->data_alignment = static_cast<int32_t>(data_alignment);
  cie->has_augmentation_data = augmentation[0] == 'z';
  if (cie->has_augmentation_data) {
    const uint64_t length = reader.ReadUleb();
    ByteReader data = reader;
    ReadAugmentation(augmentation + 1, &data, cie);
    reader.Skip(length);
    if (!data.ok() || data.at() > reader.at()) return false;
  } else if (augmentation[0] != '\0') {
    return false;  // gcc 2's "eh"
  }
  cie->program = {reader.at(), reader.end()};
  return reader.ok();
}

// What an FDE says before its program.
struct Fde {
  Cie cie;
  Bytes program;
  uint64_t start = 0;
  uint64_t length = 0;
};

HT_NOINLINE bool ReadFde(const Bytes& section, const uint8_t* record, Fde* fde) {
  ByteReader reader = RecordBody(section, record);
  const uint8_t* place = reader.at();
  const uint32_t to_cie = reader.Read<uint32_t>();  // backwards, from its own place
  if (!reader.ok() || to_cie == 0 || to_cie > static_cast<uint64_t>(place - section.start)) return false;
  if (!ReadCie(section, place - to_cie, &fde->cie)) return false;
  fde->start = reader.ReadEncoded(fde->cie.pointer_encoding, 0);
  fde->length = reader.ReadFormat(fde->cie.pointer_encoding & 0x0f);
  if (fde->cie.has_augmentation_data) reader.Skip(reader.ReadUleb());
  fde->program = {reader.at(), reader.end()};
  return reader.ok();
}

// Out of line for the same reason.
HT_NOINLINE bool RunProgram(const uint8_t* section_start, const Fde& fde, uint64_t pc, Rule* rule) {
  CallFrameProgram program(section_start, fde.cie);
  if (!program.Run(fde.program, pc - fde.start)) return false;
  *rule = program.ToRule();
  return true;
}

}  // namespace

bool FdeCovers(const Bytes& section, const uint8_t* fde, uint64_t pc) {
  Fde entry;
  return ReadFde(section, fde, &entry) && pc - entry.start < entry.length;
}

bool RuleFromFde(const Bytes& section, const uint8_t* fde, uint64_t pc, Rule* rule) {
  Fde entry;
  return ReadFde(section, fde, &entry) && pc - entry.start < entry.length && RunProgram(section.start, entry, pc, rule);
}

}  // namespace heaptally::unwind
