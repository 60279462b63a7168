#include "symbols/symbolizer.h"

#include <deque>
#include <map>
#include <tuple>

#include "symbols/module.h"

namespace heaptally::symbols {

class Symbolizer::Impl {
 public:
  explicit Impl(SymbolizerOptions options) : options_(std::move(options)) {}

  uint32_t Add(const ModuleFile& file) {
    auto [it, is_new] = ids_.try_emplace({file.path, file.build_id_hex, file.root_prefix}, 0);
    if (is_new) {
      it->second = static_cast<uint32_t>(modules_.size());
      modules_.emplace_back(file, options_);
    }
    return it->second;
  }

  Module& module(uint32_t id) { return modules_[id]; }

 private:
  SymbolizerOptions options_;
  std::deque<Module> modules_;
  std::map<std::tuple<std::string, std::string, std::string>, uint32_t> ids_;
};

Symbolizer::Symbolizer(SymbolizerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Symbolizer::~Symbolizer() = default;

uint32_t Symbolizer::AddModule(const ModuleFile& file) { return impl_->Add(file); }

const std::vector<Frame>& Symbolizer::Lookup(uint32_t module, uint64_t vaddr, bool is_call) {
  return impl_->module(module).At(is_call && vaddr > 0 ? vaddr - 1 : vaddr);
}

std::string Symbolizer::ModuleProblem(uint32_t module) { return impl_->module(module).Problem(); }

}  // namespace heaptally::symbols
