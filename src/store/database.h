// SQLite, as far as a capture needs it: a connection and statements that clean up after themselves, and errors as
// sentences.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace heaptally::store {

inline constexpr int kApplicationId = 0x48544c59;  // "HTLY", in bytes 68..71 of the file
inline constexpr int kFormat = 3;                  // user_version, in bytes 60..63

class Database {
 public:
  // A new file that must not exist, for one writer and no crash in between (the caller syncs and renames it).
  static std::optional<Database> Create(const std::string& path, std::string* error);
  // A file of our own making, to add to: each transaction is there as a whole or not at all, whenever this process may
  // end (not: the machine). Others may read meanwhile.
  static std::optional<Database> OpenForAdding(const std::string& path, std::string* error);
  // An existing file, read-only; nothing in it (triggers, views, functions) is trusted. What a killed writer left
  // half-written is undone in a copy.
  static std::optional<Database> OpenForReading(const std::string& path, std::string* error);

  Database(Database&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  Database& operator=(Database&&) = delete;
  ~Database();

  // Runs statements without results. Returns true iff all succeeded.
  bool Run(const char* sql);
  // Closes the file; returns false if something could not be written.
  bool Close();
  // What went wrong last, in SQLite's words.
  std::string LastError() const;
  sqlite3* handle() { return handle_; }
  // True iff a transaction is open.
  bool InTransaction() const;

 private:
  explicit Database(sqlite3* handle) : handle_(handle) {}
  sqlite3* handle_;
};

class Statement {
 public:
  // ok() is false if the SQL does not fit the database.
  Statement(Database* database, const char* sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  bool ok() const { return handle_ != nullptr; }

  // Binds to the next parameter.
  Statement& Integer(uint64_t number);  // as a signed integer: at most 2^63 - 1
  Statement& Signed(int64_t number);
  Statement& Real(double number);
  Statement& Text(std::string_view text);
  Statement& Blob(std::string_view bytes);  // the bytes must live until Step
  Statement& Null();

  enum class Result { kRow, kDone, kError };
  Result Step();
  // Forgets the parameters, for the next use.
  void Reset();

  // Columns of the current row, from 0. Views live until the next Step.
  int64_t IntegerAt(int column);
  std::string_view BytesAt(int column);

 private:
  sqlite3_stmt* handle_ = nullptr;
  int next_ = 1;
};

}  // namespace heaptally::store
