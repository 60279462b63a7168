#include "store/database.h"

#include <sqlite3.h>

#include <algorithm>

namespace heaptally::store {
namespace {

sqlite3* OpenHandle(const std::string& path, int flags, std::string* error) {
  sqlite3* handle = nullptr;
  if (sqlite3_open_v2(path.c_str(), &handle, flags, nullptr) == SQLITE_OK) return handle;
  *error = handle != nullptr ? sqlite3_errmsg(handle) : "out of memory";
  sqlite3_close(handle);
  return nullptr;
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

std::optional<Database> Database::OpenForReading(const std::string& path, std::string* error) {
  sqlite3* handle = OpenHandle(path, SQLITE_OPEN_READONLY, error);
  if (handle == nullptr) return std::nullopt;
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
