#include "store/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace heaptally::store {
namespace {

constexpr int kPatience_ms = 5000;  // while somebody else reads or writes

sqlite3* OpenHandle(const std::string& path, int flags, std::string* error) {
  sqlite3* handle = nullptr;
  if (sqlite3_open_v2(path.c_str(), &handle, flags, nullptr) == SQLITE_OK) return handle;
  *error = handle != nullptr ? sqlite3_errmsg(handle) : "out of memory";
  sqlite3_close(handle);
  return nullptr;
}

// True iff a writer died while it wrote: its journal is there and nobody holds it.
bool NeedsUndo(sqlite3* handle) {
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kPatience_ms);
  const int result = sqlite3_exec(handle, "SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr);
  sqlite3_extended_result_codes(handle, 0);
  return result == SQLITE_READONLY_ROLLBACK;
}

bool CopyFile(const std::string& from, const std::string& to) {
  std::error_code error;
  return std::filesystem::copy_file(from, to, error);
}

// A journal may name another one, which SQLite would then delete: ours never do.
bool NamesAnotherJournal(const std::string& path) {
  constexpr unsigned char kMark[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
  char end[sizeof kMark] = {};
  std::ifstream file(path, std::ios::binary);
  file.seekg(-static_cast<std::streamoff>(sizeof end), std::ios::end);
  file.read(end, sizeof end);
  return !file || std::memcmp(end, kMark, sizeof end) == 0;
}

// The journal is played back in a copy, since the file may not be ours to write to. The copy has no name any more when
// this returns.
sqlite3* OpenUndone(const std::string& path, std::string* error) {
  std::error_code ignored;
  std::string directory = std::filesystem::temp_directory_path(ignored).string() + "/heaptally-XXXXXX";
  *error = "its writer was killed, and it can't be copied to " + directory;
  if (mkdtemp(directory.data()) == nullptr) return nullptr;
  const std::string copy = directory + "/capture";
  sqlite3* handle = nullptr;
  if (CopyFile(path, copy) && CopyFile(path + "-journal", copy + "-journal") &&
      !NamesAnotherJournal(copy + "-journal")) {
    handle = OpenHandle(copy, SQLITE_OPEN_READWRITE, error);
    sqlite3_exec(handle, "SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr);
  }
  std::filesystem::remove_all(directory, ignored);
  return handle;
}

}  // namespace

std::optional<Database> Database::Create(const std::string& path, std::string* error) {
  sqlite3* handle = OpenHandle(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
  if (handle == nullptr) return std::nullopt;
  Database database(handle);
  if (database.Run("PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
                   "PRAGMA locking_mode = EXCLUSIVE; BEGIN;")) {
    return database;
  }
  *error = database.LastError();
  return std::nullopt;
}

std::optional<Database> Database::OpenForAdding(const std::string& path, std::string* error) {
  sqlite3* handle = OpenHandle(path, SQLITE_OPEN_READWRITE, error);
  if (handle == nullptr) return std::nullopt;
  Database database(handle);
  // Without spilling, the file is written to at the end of a transaction only: for a millisecond.
  if (database.Run("PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA cache_spill = OFF;")) {
    sqlite3_busy_timeout(handle, kPatience_ms);
    return database;
  }
  *error = database.LastError();
  return std::nullopt;
}

std::optional<Database> Database::OpenForReading(const std::string& path, std::string* error) {
  sqlite3* handle = OpenHandle(path, SQLITE_OPEN_READONLY, error);
  if (handle != nullptr && NeedsUndo(handle)) {
    sqlite3_close(handle);
    handle = OpenUndone(path, error);
  }
  if (handle == nullptr) return std::nullopt;
  sqlite3_busy_timeout(handle, kPatience_ms);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  Database database(handle);
  database.Run("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;");
  return database;
}

Database::~Database() { sqlite3_close(handle_); }

bool Database::Run(const char* sql) { return sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) == SQLITE_OK; }

bool Database::InTransaction() const { return handle_ != nullptr && sqlite3_get_autocommit(handle_) == 0; }

bool Database::Close() { return sqlite3_close(std::exchange(handle_, nullptr)) == SQLITE_OK; }

std::string Database::LastError() const { return handle_ != nullptr ? sqlite3_errmsg(handle_) : "closed"; }

Statement::Statement(Database* database, const char* sql) {
  if (sqlite3_prepare_v2(database->handle(), sql, -1, &handle_, nullptr) != SQLITE_OK) handle_ = nullptr;
}

Statement::~Statement() { sqlite3_finalize(handle_); }

Statement& Statement::Integer(uint64_t number) {
  return Signed(static_cast<int64_t>(std::min<uint64_t>(number, INT64_MAX)));
}

Statement& Statement::Signed(int64_t number) {
  sqlite3_bind_int64(handle_, next_++, number);
  return *this;
}

Statement& Statement::Real(double number) {
  sqlite3_bind_double(handle_, next_++, number);
  return *this;
}

Statement& Statement::Text(std::string_view text) {
  sqlite3_bind_text64(handle_, next_++, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Statement& Statement::Blob(std::string_view bytes) {
  sqlite3_bind_blob64(handle_, next_++, bytes.empty() ? "" : bytes.data(), bytes.size(), SQLITE_STATIC);
  return *this;
}

Statement& Statement::Null() {
  sqlite3_bind_null(handle_, next_++);
  return *this;
}

Statement::Result Statement::Step() {
  const int result = handle_ == nullptr ? SQLITE_ERROR : sqlite3_step(handle_);
  return result == SQLITE_ROW ? Result::kRow : result == SQLITE_DONE ? Result::kDone : Result::kError;
}

void Statement::Reset() {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
  next_ = 1;
}

int64_t Statement::IntegerAt(int column) { return sqlite3_column_int64(handle_, column); }

std::string_view Statement::BytesAt(int column) {
  const void* bytes = sqlite3_column_blob(handle_, column);
  const auto size = static_cast<size_t>(sqlite3_column_bytes(handle_, column));
  return bytes == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(bytes), size);
}

}  // namespace heaptally::store
