// The threads that share the kernel calls of a walk.
//
// One thread leads: it walks the plan and opens one round after another, of calls that do not need each
// other. The others help: each claims chunks of whatever round is open, those of its own share first, so that
// from call to call a thread finds in its cache what it wrote. The leader takes chunks too and goes on when
// all are finished, so that it waits only for chunks that somebody holds, never for a thread that has not
// come (docs/decisions/0005-crew.md). Which thread runs a chunk changes nothing in the results: kernels write
// what their range stands for.
//
// A thread that traps is caught by its host, outside of wasm. Then the round that was open fails with
// kTrapped, and the crew works on.
//
// Generated kernels are installed in every thread (run/install.h). A thread that lacks some, because they are
// new or because it started late, installs them before it claims, while the others work; what a round asks
// for is part of the word that is claimed from. A thread that cannot install leaves the crew.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "run/install.h"

namespace fuselane {

// What Crew::run returns, besides the codes of kernels, when a thread trapped.
inline constexpr uint32_t kTrapped = 0xffffffffu;

// Of a kernel, for [0, extent), in chunks of at least `grain` iterations.
struct Call {
  Callee callee;
  const void* args;
  uint32_t extent;
  uint32_t grain;
};

// What calls end with: kDone, or what one of them failed with.
struct Outcome {
  uint32_t code = kDone;
  uint32_t call = 0;  // which one that was
  bool operator==(const Outcome&) const = default;
};

class Crew {
 public:
  static constexpr uint32_t kMostThreads = 64;
  // In a round.
  static constexpr size_t kMostCalls = 16;
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
  // A round of at most kMostCalls calls that do not need each other; after it all threads wait for each
  // other. Where all are one chunk, it runs here alone.
  Outcome run(std::span<const Call> calls);
  uint32_t run(const Call& call) { return run({&call, 1}).code; }
  // Iterations in each chunk of such a call.
  uint32_t chunk_of(uint32_t extent, uint32_t grain) const;
  // From here on the other threads install this module too. Fewer than kMostInstalls are there.
  void add(std::unique_ptr<Install> install);
  uint32_t installs() const { return static_cast<uint32_t>(installs_.size()); }
  // The leader trapped: waits until nobody works on the round that was open, if one was. Returns the call of
  // the round that the leader was in.
  uint32_t settle();
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
    // Of the chunks of each open call a stretch, that of thread 0 first: how many of all are unclaimed in the
    // low half, how many installs the round asks for in the high half.
    std::atomic<uint32_t> unclaimed = 0;
    // What follows is used by the thread alone.
    uint32_t installs = 0;
    const Install* last = nullptr;  // of its installs
    bool holds = false;             // a chunk,
    uint32_t call = 0;              // of this call
    bool able = true;               // to install
  };

  struct OpenCall {
    Call call;
    uint32_t chunk;   // iterations in a chunk
    uint32_t chunks;  // of the call
  };
  struct Stretch {
    uint32_t begin, end;  // chunks of a call
  };

  Stretch stretch(uint32_t call, uint32_t share) const;
  bool take(uint32_t thread);
  bool take_of(uint32_t share, uint32_t thread);
  bool catch_up(uint32_t thread);
  void finish(uint32_t chunks);
  void wait_for_others();
  void run_chunk(uint32_t thread, uint32_t call, uint32_t chunk);
  void open();
  void wait_for_work(uint32_t seen);

  uint32_t threads_;
  InstallHere install_here_;
  std::vector<std::unique_ptr<Install>> installs_;       // the leader's list of them
  std::atomic<const Install*> first_install_ = nullptr;  // where the others' begins
  // The round that is open. Written when no chunk of it is left, read by who holds one.
  OpenCall calls_[kMostCalls];
  uint32_t call_count_ = 0;

  Share shares_[kMostThreads];
  // What threads poll is in cache lines of its own.
  alignas(64) std::atomic<uint32_t> round_ = 0;  // changes with every round that opens
  std::atomic<uint32_t> sleepers_ = 0;           // helpers that wait for work
  alignas(64) std::atomic<uint32_t> unfinished_ = 0;
  std::atomic<bool> leader_sleeps_ = false;
  std::atomic<Outcome> outcome_ = {};  // of the open round: what a chunk of it failed with
  alignas(64) std::atomic<bool> walking_ = false;
  std::atomic<bool> dismissed_ = false;
  std::atomic<uint32_t> helpers_ = 0;  // in help()
  std::atomic<uint32_t> trap_on_ = kMostThreads;
};

}  // namespace fuselane
