// For tests: a fresh directory that is removed with all that is in it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace heaptally::collect {

class TestDirectory {
 public:
  TestDirectory() {
    std::string name = ::testing::TempDir() + "/heaptally_test_XXXXXX";
    path_ = mkdtemp(name.data()) != nullptr ? name : "";
  }
  ~TestDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string Write(const std::string& name, const std::string& content, mode_t mode = 0644) const {
    const std::string file = path_ + "/" + name;
    std::ofstream(file, std::ios::binary) << content;
    chmod(file.c_str(), mode);
    return file;
  }

 private:
  std::string path_;
};

}  // namespace heaptally::collect
