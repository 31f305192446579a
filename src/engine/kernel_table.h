// The kernels that an engine has generated: one for each key, shared by its models and their layers, there as
// long as the engine.
//
// Their numbers follow the library's. A number can be had and planned with at once. Kernels added one after
// another are a batch, and one wasm module: close_batch() takes it, the host is asked to compile and
// instantiate it (pending()), and tells where its functions lie in the table of functions (installed()) or
// why it could not (refused()). From then on the other threads install it too, from its bytes
// (run/install.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "run/crew.h"

namespace fuselane {

class KernelTable {
 public:
  // The crew outlives this.
  explicit KernelTable(Crew& crew) : crew_(crew) {}

  int64_t count() const { return static_cast<int64_t>(kernels_.size()); }
  int64_t bytes() const { return bytes_; }  // of modules

  std::optional<uint32_t> find(std::string_view key) const;
  // The number of a kernel that is not there yet, for one more of the batch. Nothing when the engine has as
  // many as it can.
  std::optional<uint32_t> add(std::string key);
  bool batch_is_open() const { return batch_ < kernels_.size(); }
  // `module` exports the batch's kernels, in the order they were added in, as "0", "1", ...
  void close_batch(std::vector<uint8_t> module);

  // The oldest module that is neither installed nor refused, not to be changed; null where there is none.
  const Install* pending() const { return waiting_.empty() ? nullptr : waiting_.front().install.get(); }
  // Its kernels lie in the table of functions from `first` on.
  void installed(uint32_t first);
  // It could not be installed: runs that need its kernels fail.
  void refused(std::string_view reason);

  // Error: internal-error for a kernel that is not installed.
  Result<Callee> callee(uint32_t number) const;
  std::string_view key(uint32_t number) const;

 private:
  struct Kernel {
    const std::string* key;
    Callee callee;
    const std::string* refusal = nullptr;
  };
  struct Waiting {
    std::unique_ptr<Install> install;
    size_t first_kernel;
  };

  Crew& crew_;
  std::vector<Kernel> kernels_;  // by number, less the library's
  std::unordered_map<std::string, uint32_t> numbers_;
  size_t batch_ = 0;              // the first kernel of the batch that is open
  std::vector<Waiting> waiting_;  // oldest first
  std::vector<std::unique_ptr<const std::string>> refusals_;
  int64_t bytes_ = 0;
};

}  // namespace fuselane
