#include "symbols/symbolizer.h"

#include <array>
#include <deque>
#include <map>

#include "symbols/module.h"
#include "symbols/perf_map.h"

namespace heaptally::symbols {

class Symbolizer::Impl {
 public:
  explicit Impl(SymbolizerOptions options) : options_(std::move(options)) {}

  uint32_t Add(const ModuleFile& file) {
    auto [it, is_new] =
        ids_.try_emplace({file.path, file.build_id_hex, file.root_prefix, file.open_path, file.why_not}, 0);
    if (is_new) {
      it->second = static_cast<uint32_t>(modules_.size());
      modules_.emplace_back(file, options_);
    }
    return it->second;
  }

  uint32_t AddPerfMap(const std::string& path) {
    perf_maps_.push_back(PerfMap::Read(path));
    return kPerfMapBit | static_cast<uint32_t>(perf_maps_.size() - 1);
  }

  const std::vector<Frame>& At(uint32_t id, uint64_t address) {
    if (id & kPerfMapBit) return perf_maps_[id & ~kPerfMapBit].At(address);
    return modules_[id].At(address);
  }

  std::string Problem(uint32_t id) {
    return id & kPerfMapBit ? perf_maps_[id & ~kPerfMapBit].problem() : modules_[id].Problem();
  }

 private:
  static constexpr uint32_t kPerfMapBit = 1u << 31;

  SymbolizerOptions options_;
  std::deque<Module> modules_;
  std::deque<PerfMap> perf_maps_;
  std::map<std::array<std::string, 5>, uint32_t> ids_;
};

Symbolizer::Symbolizer(SymbolizerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Symbolizer::~Symbolizer() = default;

uint32_t Symbolizer::AddModule(const ModuleFile& file) { return impl_->Add(file); }

uint32_t Symbolizer::AddPerfMap(const std::string& path) { return impl_->AddPerfMap(path); }

const std::vector<Frame>& Symbolizer::Lookup(uint32_t module, uint64_t vaddr, bool is_call) {
  return impl_->At(module, is_call && vaddr > 0 ? vaddr - 1 : vaddr);
}

std::string Symbolizer::ModuleProblem(uint32_t module) { return impl_->Problem(module); }

}  // namespace heaptally::symbols
