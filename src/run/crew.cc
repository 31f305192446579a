#include "run/crew.h"

#include <algorithm>
#include <utility>

#include "run/wait.h"

namespace fuselane {
namespace {

// How often a thread looks before it sleeps: some 20 us. Waking a sleeper costs the waker about as much, and
// the sleeper more; 2,000 polls were measured at 13 us a step, 20,000 at 0.4 us.
constexpr uint32_t kPolls = 20000;

// A slow thread holds up the others by one chunk at most.
constexpr uint32_t kChunksPerThread = 8;

// The halves of Share::unclaimed.
constexpr uint32_t kChunkMask = 0xffff;
constexpr uint32_t kInstallShift = 16;

}  // namespace

uint32_t Crew::call(uint32_t thread, uint32_t begin, uint32_t end) {
  if (trap_on_.load(std::memory_order_relaxed) == thread) {
    trap_on(kMostThreads);
    __builtin_trap();
  }
  return callee_.function(args_, begin, end);
}

uint32_t Crew::chunk_of(uint32_t extent, uint32_t grain) const {
  if (threads_ == 1) return std::max(extent, 1u);
  uint32_t even = (extent + threads_ * kChunksPerThread - 1) / (threads_ * kChunksPerThread);
  return std::max({grain, even, 1u});
}

uint32_t Crew::run(Callee callee, const void* args, uint32_t extent, uint32_t grain) {
  callee_ = callee;
  args_ = args;
  chunk_ = chunk_of(extent, grain);
  if (extent <= chunk_) return call(0, 0, extent);
  extent_ = extent;
  chunks_ = (extent + chunk_ - 1) / chunk_;
  code_.store(kDone, std::memory_order_relaxed);
  unfinished_.store(chunks_, std::memory_order_relaxed);
  open();
  while (take(0)) continue;
  wait_for_others();
  return code_.load(std::memory_order_relaxed);
}

// From here on helpers claim chunks. The call's number is sequentially consistent, as is the other side in
// wait_for_work: either the sleeper is seen here, or it sees the new call and does not sleep.
void Crew::open() {
  for (uint32_t share = 0, end = 0; share < threads_; ++share) {
    uint32_t begin = std::exchange(end, share_end(share));
    uint32_t chunks = end - begin;
    shares_[share].unclaimed.store(chunks | callee_.installs << kInstallShift, std::memory_order_release);
  }
  call_.fetch_add(1);
  if (sleepers_.load() > 0) wake_all(call_);
}

bool Crew::take(uint32_t thread) {
  for (uint32_t i = 0; i < threads_; ++i) {
    if (take_of((thread + i) % threads_, thread)) return true;
  }
  return false;
}

// Claims a chunk of the share and runs it; false when there is none, or none that this thread can run. A
// thread that has slept through several calls claims from the one that is open now: it reads what the call is
// after the claim, and a chunk that is held keeps its call open.
bool Crew::take_of(uint32_t share, uint32_t thread) {
  Share& own = shares_[thread];
  std::atomic<uint32_t>& unclaimed = shares_[share].unclaimed;
  uint32_t word = unclaimed.load(std::memory_order_relaxed);
  do {
    if ((word & kChunkMask) == 0 || word >> kInstallShift > own.installs) return false;
  } while (
      !unclaimed.compare_exchange_weak(word, word - 1, std::memory_order_acquire, std::memory_order_relaxed));
  own.holds = true;
  uint32_t begin = (share_end(share) - (word & kChunkMask)) * chunk_;
  uint32_t code = call(thread, begin, begin + std::min(chunk_, extent_ - begin));
  own.holds = false;
  if (code != kDone) code_.store(code, std::memory_order_relaxed);
  finish(1);
  return true;
}

void Crew::add(std::unique_ptr<Install> install) {
  const Install* added = install.get();
  installs_.push_back(std::move(install));
  auto& link = installs_.size() == 1 ? first_install_ : installs_[installs_.size() - 2]->next;
  link.store(added, std::memory_order_release);
  shares_[0].installs = installs();
}

// Installs what the leader has and this thread has not. One that has failed, or trapped, does not try again.
bool Crew::catch_up(uint32_t thread) {
  Share& own = shares_[thread];
  while (own.able) {
    const Install* next = (own.last ? own.last->next : first_install_).load(std::memory_order_acquire);
    if (!next) return true;
    own.able = false;
    own.able = install_here_(*next);
    if (!own.able) break;
    own.last = next;
    ++own.installs;
  }
  return false;
}

void Crew::finish(uint32_t chunks) {
  if (unfinished_.fetch_sub(chunks) == chunks && leader_sleeps_.load()) wake_all(unfinished_);
}

void Crew::wait_for_others() {
  for (uint32_t i = 0; i < kPolls; ++i) {
    if (unfinished_.load(std::memory_order_acquire) == 0) return;
  }
  leader_sleeps_.store(true);
  while (uint32_t left = unfinished_.load()) wait_while(unfinished_, left);
  leader_sleeps_.store(false);
}

void Crew::settle() {
  if (!std::exchange(shares_[0].holds, false)) return;
  // Nobody needs what is not claimed yet.
  uint32_t chunks = 1;
  for (uint32_t share = 0; share < threads_; ++share)
    chunks += shares_[share].unclaimed.exchange(0, std::memory_order_relaxed) & kChunkMask;
  finish(chunks);
  wait_for_others();
}

void Crew::help(uint32_t thread) {
  helpers_.fetch_add(1, std::memory_order_relaxed);
  while (!dismissed_.load(std::memory_order_relaxed)) {
    // A call that opens from here on makes the number another, and the thread does not wait.
    uint32_t seen = call_.load();
    if (!catch_up(thread)) break;
    if (!take(thread)) wait_for_work(seen);
  }
  helpers_.fetch_sub(1, std::memory_order_relaxed);
}

void Crew::help_trapped(uint32_t thread) {
  helpers_.fetch_sub(1, std::memory_order_relaxed);
  if (!std::exchange(shares_[thread].holds, false)) return;
  code_.store(kTrapped, std::memory_order_relaxed);
  finish(1);
}

// Returns when `call_` may be other than `seen`.
void Crew::wait_for_work(uint32_t seen) {
  for (uint32_t i = 0; i < kPolls && walking_.load(std::memory_order_relaxed); ++i) {
    if (call_.load(std::memory_order_relaxed) != seen) return;
  }
  sleepers_.fetch_add(1);
  if (!dismissed_.load()) wait_while(call_, seen);
  sleepers_.fetch_sub(1);
}

void Crew::dismiss() {
  dismissed_.store(true);
  call_.fetch_add(1);
  wake_all(call_);
}

}  // namespace fuselane
