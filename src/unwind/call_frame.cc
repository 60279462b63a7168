#include "unwind/call_frame.h"

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

bool ReadCie(const Bytes& section, const uint8_t* record, Cie* cie) {
  ByteReader reader = RecordBody(section, record);
  if (reader.Read<uint32_t>() != 0) return false;  // only a CIE has 0 here
  const uint8_t version = reader.Read<uint8_t>();
  if (version != 1 && version != 3) return false;
  const uint8_t* augmentation = reader.at();
  while (reader.Read<uint8_t>() != 0) {
  }
  cie->code_alignment = reader.ReadUleb();
  cie->data_alignment = reader.ReadSleb();
  const uint64_t return_column = version == 1 ? reader.Read<uint8_t>() : reader.ReadUleb();
  if (!reader.ok() || return_column != kDwarfReturnAddress) return false;
  if (cie->code_alignment > uint64_t{kMaxAlignmentFactor}) return false;
  if (cie->data_alignment > kMaxAlignmentFactor || cie->data_alignment < -kMaxAlignmentFactor) return false;
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

}  // namespace

FdeResult RuleFromFde(const Bytes& section, const uint8_t* fde, uint64_t pc, Rule* rule) {
  ByteReader reader = RecordBody(section, fde);
  const uint8_t* place = reader.at();
  const uint32_t to_cie = reader.Read<uint32_t>();  // backwards, from its own place
  if (!reader.ok() || to_cie == 0 || to_cie > static_cast<uint64_t>(place - section.start)) {
    return FdeResult::kMalformed;
  }
  Cie cie;
  if (!ReadCie(section, place - to_cie, &cie)) return FdeResult::kMalformed;
  const uint64_t start = reader.ReadEncoded(cie.pointer_encoding, 0);
  const uint64_t length = reader.ReadFormat(cie.pointer_encoding & 0x0f);
  if (cie.has_augmentation_data) reader.Skip(reader.ReadUleb());
  if (!reader.ok()) return FdeResult::kMalformed;
  if (pc - start >= length) return FdeResult::kOtherPc;
  CallFrameProgram program(section.start, cie);
  if (!program.Run(reader, pc - start)) return FdeResult::kMalformed;
  *rule = program.ToRule();
  return FdeResult::kRule;
}

}  // namespace heaptally::unwind
