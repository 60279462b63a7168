#include "unwind/fde_search.h"

#include "unwind/call_frame.h"

namespace heaptally::unwind {
namespace {

constexpr uint8_t kHeaderVersion = 1;
constexpr uint8_t kSortedTableEncoding = 0x3b;  // relative to the header, signed, 4 bytes: what every linker writes
constexpr uint64_t kEntryBytes = 8;             // start of the code, address of the entry

int64_t ReadEntry(const uint8_t* at) {
  int32_t value;
  __builtin_memcpy(&value, at, sizeof(value));
  return value;
}

}  // namespace

bool ReadEhFrameHeader(const Bytes& segment, const uint8_t* address, EhFrameHeader* header) {
  if (!segment.Contains(address)) return false;
  ByteReader reader(address, segment.end);
  const uint64_t base = reinterpret_cast<uint64_t>(address);
  if (reader.Read<uint8_t>() != kHeaderVersion) return false;
  const uint8_t frame_encoding = reader.Read<uint8_t>();
  const uint8_t count_encoding = reader.Read<uint8_t>();
  const uint8_t table_encoding = reader.Read<uint8_t>();
  *header = {};
  header->address = address;
  if (frame_encoding == kEncodingOmit) return false;
  header->eh_frame = reinterpret_cast<const uint8_t*>(reader.ReadEncoded(frame_encoding, base));
  if (!reader.ok()) return false;
  if (count_encoding == kEncodingOmit || table_encoding != kSortedTableEncoding) return true;
  const uint64_t count = reader.ReadEncoded(count_encoding, base);
  if (!reader.ok()) return true;
  header->table = reader.at();
  header->entry_count = count < reader.left() / kEntryBytes ? count : reader.left() / kEntryBytes;
  return true;
}

const uint8_t* SearchTable(const EhFrameHeader& header, uint64_t pc) {
  const auto target = static_cast<int64_t>(pc - reinterpret_cast<uint64_t>(header.address));
  uint64_t low = 0;
  uint64_t high = header.entry_count;  // entries below low start at or below pc, entries from high on above it
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (ReadEntry(header.table + middle * kEntryBytes) <= target) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return nullptr;
  const int64_t offset = ReadEntry(header.table + (low - 1) * kEntryBytes + kEntryBytes / 2);
  return header.address + offset;
}

const uint8_t* ScanForFde(const Bytes& segment, const uint8_t* eh_frame, uint64_t pc) {
  if (!segment.Contains(eh_frame)) return nullptr;
  ByteReader reader(eh_frame, segment.end);
  for (uint32_t i = 0; i < kMaxScanned && reader.left() > sizeof(uint32_t); ++i) {
    const uint8_t* record = reader.at();
    uint64_t length = reader.Read<uint32_t>();
    if (length == 0) return nullptr;  // the terminator
    if (length == 0xffffffff) length = reader.Read<uint64_t>();
    reader.Skip(length);
    if (!reader.ok()) return nullptr;
    if (FdeCovers(segment, record, pc)) return record;
  }
  return nullptr;
}

}  // namespace heaptally::unwind
