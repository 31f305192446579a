// The threads that share the kernel calls of a walk.
//
// One thread leads: it walks the plan and opens one call after another. The others help: each claims chunks
// of whatever call is open, those of its own share first, so that from call to call a thread finds in its
// cache what it wrote. The leader takes chunks too and goes on when all are finished, so that it waits only
// for chunks that somebody holds, never for a thread that has not come (docs/decisions/0005-crew.md). Which
// thread runs a chunk changes nothing in the results: kernels write what their range stands for.
//
// A thread that traps is caught by its host, outside of wasm. Then the call that was open fails with
// kTrapped, and the crew works on.
//
// Generated kernels are installed in every thread (run/install.h). A thread that lacks some, because they are
// new or because it started late, installs them before it claims, while the others work; what a call asks for
// is part of the word that is claimed from. A thread that cannot install leaves the crew.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "run/install.h"

namespace fuselane {

// What Crew::run returns, besides the codes of kernels, when a thread trapped.
inline constexpr uint32_t kTrapped = 0xffffffffu;

class Crew {
 public:
  static constexpr uint32_t kMostThreads = 64;
  static constexpr uint32_t kMostInstalls = 0xffff;

  // `threads` in [1, kMostThreads], the leader among them. Without `install_here` there are no generated
  // kernels.
  explicit Crew(uint32_t threads = 1, InstallHere install_here = nullptr)
      : threads_(threads), install_here_(install_here) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  uint32_t threads() const { return threads_; }
  // The leader and the helpers that have come.
  uint32_t threads_ready() const { return 1 + helpers_.load(std::memory_order_relaxed); }

  // The leader's side. While calls follow each other closely, between begin() and end(), helpers without work
  // poll before they sleep; otherwise they sleep at once.
  void begin() { walking_.store(true, std::memory_order_relaxed); }
  void end() { walking_.store(false, std::memory_order_relaxed); }
  // Calls the kernel for [0, extent), in chunks of at least `grain` iterations; small calls run here alone.
  uint32_t run(Callee callee, const void* args, uint32_t extent, uint32_t grain);
  // Iterations in each chunk of such a call. One that is not above this runs here alone; after any other, all
  // threads wait for each other.
  uint32_t chunk_of(uint32_t extent, uint32_t grain) const;
  // From here on the other threads install this module too. Fewer than kMostInstalls are there.
  void add(std::unique_ptr<Install> install);
  uint32_t installs() const { return static_cast<uint32_t>(installs_.size()); }
  // The leader trapped: waits until nobody works on the call that was open, if one was.
  void settle();
  // Lets helpers return from help().
  void dismiss();

  // A helper's side: what it does until it is dismissed, or cannot install. `thread` is in [1, threads).
  void help(uint32_t thread);
  // help() did not return but trapped. Call help() again afterwards.
  void help_trapped(uint32_t thread);

  // For tests: the next chunk that this thread takes traps.
  void trap_on(uint32_t thread) { trap_on_.store(thread, std::memory_order_relaxed); }

 private:
  // A thread's, in a cache line of its own.
  struct alignas(64) Share {
    // Of the open call's chunks a stretch, that of thread 0 first: how many are unclaimed in the low half,
    // how many installs the call asks for in the high half.
    std::atomic<uint32_t> unclaimed = 0;
    // What follows is used by the thread alone.
    uint32_t installs = 0;
    const Install* last = nullptr;  // of its installs
    bool holds = false;             // a chunk
    bool able = true;               // to install
  };

  uint32_t share_end(uint32_t share) const { return (share + 1) * chunks_ / threads_; }
  bool take(uint32_t thread);
  bool take_of(uint32_t share, uint32_t thread);
  bool catch_up(uint32_t thread);
  void finish(uint32_t chunks);
  void wait_for_others();
  uint32_t call(uint32_t thread, uint32_t begin, uint32_t end);
  void open();
  void wait_for_work(uint32_t seen);

  uint32_t threads_;
  InstallHere install_here_;
  std::vector<std::unique_ptr<Install>> installs_;       // the leader's list of them
  std::atomic<const Install*> first_install_ = nullptr;  // where the others' begins
  // The call that is open. Written when no chunk of it is left, read by who holds one.
  Callee callee_;
  const void* args_ = nullptr;
  uint32_t extent_ = 0;
  uint32_t chunk_ = 0;   // iterations in a chunk
  uint32_t chunks_ = 0;  // of the call

  Share shares_[kMostThreads];
  // What threads poll is in cache lines of its own.
  alignas(64) std::atomic<uint32_t> call_ = 0;  // changes with every call that opens
  std::atomic<uint32_t> sleepers_ = 0;          // helpers that wait for work
  alignas(64) std::atomic<uint32_t> unfinished_ = 0;
  std::atomic<bool> leader_sleeps_ = false;
  std::atomic<uint32_t> code_ = kDone;  // of the open call: what a chunk of it failed with
  alignas(64) std::atomic<bool> walking_ = false;
  std::atomic<bool> dismissed_ = false;
  std::atomic<uint32_t> helpers_ = 0;  // in help()
  std::atomic<uint32_t> trap_on_ = kMostThreads;
};

}  // namespace fuselane
