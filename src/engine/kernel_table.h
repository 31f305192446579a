// The kernels that an engine has generated: one for each key, shared by its models and their layers, there as
// long as the engine.
//
// Their numbers follow the library's. A kernel is lowered when it is asked for, has its number from then on
// and can be planned with. Those asked for one after another are a batch, and one wasm module: close_batch()
// emits it, the host is asked to compile and instantiate it (pending()), and tells where its functions lie in
// the table of functions (installed()) or why it could not (refused()). From then on the other threads
// install it too, from its bytes (run/install.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assemble/kernel_store.h"
#include "base/result.h"
#include "library/kernels.h"
#include "low/low.h"
#include "run/crew.h"
#include "types/target.h"

namespace fuselane {

class KernelTable final : public KernelStore {
 public:
  // The crew outlives this. Without a target nothing is generated. With `names` modules tell profilers and
  // people how their functions are called.
  KernelTable(Crew& crew, std::optional<Target> target, bool names)
      : crew_(crew), target_(target), names_(names) {}

  const std::optional<Target>& target() const { return target_; }
  int64_t count() const { return static_cast<int64_t>(kernels_.size()); }
  int64_t bytes() const { return bytes_; }  // of modules

  // By the default schedule of the task; its key is the task's text, and says what it may not do.
  std::optional<GeneratedKernel> kernel(const loop::Task& task, const KernelLimits& limits) override;
  // The kernel for this key, made of what `make` gives where there is none yet, for at most this level.
  // Nothing where nothing is generated, and where the kernel is declined (by `make`, or in lowering), which
  // is remembered.
  using Make = std::function<Result<loop::Kernel>(const Target& target)>;
  std::optional<GeneratedKernel> get(std::string_view key, const Make& make,
                                     SimdLevel most = SimdLevel::Relaxed);
  // Whether kernels are new since the last close_batch(), which makes their module.
  bool has_batch() const { return first_of_batch_ < kernels_.size(); }
  void close_batch();

  // The oldest module that is neither installed nor refused, not to be changed; null where there is none. It
  // exports its kernels in their order.
  const Install* pending() const { return waiting_.empty() ? nullptr : waiting_.front().install.get(); }
  // Its kernels lie in the table of functions from `first` on.
  void installed(uint32_t first);
  // It could not be installed: runs that need its kernels fail.
  void refused(std::string_view reason);

  // Error: internal-error for a kernel that is not installed.
  Result<Callee> callee(uint32_t number) const;
  std::string_view key(uint32_t number) const;
  // As text; empty for a kernel that was not made of a task.
  std::string_view schedule(uint32_t number) const { return kernels_[number - kLibraryKernels].schedule; }

 private:
  struct Kernel {
    const std::string* key;
    std::string schedule;
    std::unique_ptr<const loop::Kernel> loops;
    Callee callee;
    const std::string* refusal = nullptr;
  };
  struct Waiting {
    std::unique_ptr<Install> install;
    size_t first_kernel;
  };

  GeneratedKernel add(std::string_view key, loop::Kernel kernel, low::Module lowered);
  GeneratedKernel at(uint32_t number) const {
    return {number, kernels_[number - kLibraryKernels].loops.get()};
  }

  Crew& crew_;
  std::optional<Target> target_;
  bool names_;
  std::vector<Kernel> kernels_;                                          // by number, less the library's
  std::map<std::string, std::optional<uint32_t>, std::less<>> numbers_;  // none for what was declined
  low::Module batch_;
  size_t first_of_batch_ = 0;
  std::vector<Waiting> waiting_;  // oldest first
  std::vector<std::unique_ptr<const std::string>> refusals_;
  int64_t bytes_ = 0;
};

}  // namespace fuselane
