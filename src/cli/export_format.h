// The formats of `heaptally export`: their names, the endings by which `-o FILE` chooses one, what they can hold.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exporters/stack_table.h"

namespace heaptally::cli {

struct ExportFormat {
  const char* name;
  std::vector<const char*> endings;
  bool binary = false;
  bool has_mappings = false;  // says where modules were
  bool needs_bytes = false;   // is of nothing else: cannot hold a profile of calls
  bool is_of_one = false;     // measure; the others hold all that are known
  std::string (*write)(const std::vector<profile::Profile>& profiles, const exporters::StackChoice& choice,
                       const exporters::Wording& wording, const std::string& title);
};

const std::vector<ExportFormat>& ExportFormats();

// By `name` or, where that is empty, by the ending of `output`; folded stacks where that says nothing. Complains of a
// name that there is not, and of an ending that several formats have.
const ExportFormat* ChooseFormat(const std::string& name, const std::string& output);

}  // namespace heaptally::cli
