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

uint32_t Crew::chunk_of(uint32_t extent, uint32_t grain) const {
  if (threads_ == 1) return std::max(extent, 1u);
  uint32_t even = (extent + threads_ * kChunksPerThread - 1) / (threads_ * kChunksPerThread);
  return std::max({grain, even, 1u});
}

Outcome Crew::run(std::span<const Call> calls) {
  uint32_t chunks = 0;
  bool is_shared = false;
  call_count_ = 0;
  for (const Call& call : calls) {
    OpenCall& open = calls_[call_count_++];
    open = {call, chunk_of(call.extent, call.grain), 0};
    open.chunks = call.extent == 0 ? 0 : (call.extent - 1) / open.chunk + 1;
    is_shared = is_shared || open.chunks > 1;
    chunks += open.chunks;
  }
  outcome_.store({}, std::memory_order_relaxed);
  unfinished_.store(chunks, std::memory_order_relaxed);
  if (is_shared) {
    open();
    while (take(0)) continue;
    wait_for_others();
  } else {
    for (uint32_t call = 0; call < call_count_; ++call) {
      if (calls_[call].chunks == 0) continue;
      unfinished_.store(1, std::memory_order_relaxed);
      run_chunk(0, call, 0);
    }
  }
  return outcome_.load(std::memory_order_relaxed);
}

// Chunks of the call in a thread's share. The only one of a call is not always the same thread's.
Crew::Stretch Crew::stretch(uint32_t call, uint32_t share) const {
  const uint32_t chunks = calls_[call].chunks;
  if (chunks < threads_) share = (share + call) % threads_;
  return {share * chunks / threads_, (share + 1) * chunks / threads_};
}

// From here on helpers claim chunks. The round's number is sequentially consistent, as is the other side in
// wait_for_work: either the sleeper is seen here, or it sees the new round and does not sleep.
void Crew::open() {
  uint32_t installs = 0;
  for (uint32_t call = 0; call < call_count_; ++call)
    installs = std::max(installs, calls_[call].call.callee.installs);
  for (uint32_t share = 0; share < threads_; ++share) {
    uint32_t chunks = 0;
    for (uint32_t call = 0; call < call_count_; ++call) {
      const Stretch part = stretch(call, share);
      chunks += part.end - part.begin;
    }
    shares_[share].unclaimed.store(chunks | installs << kInstallShift, std::memory_order_release);
  }
  round_.fetch_add(1);
  if (sleepers_.load() > 0) wake_all(round_);
}

bool Crew::take(uint32_t thread) {
  for (uint32_t i = 0; i < threads_; ++i) {
    if (take_of((thread + i) % threads_, thread)) return true;
  }
  return false;
}

// Claims a chunk of the share and runs it; false when there is none, or none that this thread can run. A
// thread that has slept through several rounds claims from the one that is open now: it reads what the calls
// are after the claim, and a chunk that is held keeps its round open.
bool Crew::take_of(uint32_t share, uint32_t thread) {
  std::atomic<uint32_t>& unclaimed = shares_[share].unclaimed;
  uint32_t word = unclaimed.load(std::memory_order_relaxed);
  do {
    if ((word & kChunkMask) == 0 || word >> kInstallShift > shares_[thread].installs) return false;
  } while (
      !unclaimed.compare_exchange_weak(word, word - 1, std::memory_order_acquire, std::memory_order_relaxed));
  // The share's chunks in their order end with those that are left.
  uint32_t left = word & kChunkMask;
  uint32_t call = call_count_ - 1;
  Stretch part = stretch(call, share);
  while (left > part.end - part.begin) {
    left -= part.end - part.begin;
    part = stretch(--call, share);
  }
  run_chunk(thread, call, part.end - left);
  return true;
}

void Crew::run_chunk(uint32_t thread, uint32_t call, uint32_t chunk) {
  Share& own = shares_[thread];
  own.holds = true;
  own.call = call;
  if (trap_on_.load(std::memory_order_relaxed) == thread) {
    trap_on(kMostThreads);
    __builtin_trap();
  }
  const OpenCall& open = calls_[call];
  const uint32_t begin = chunk * open.chunk;
  const uint32_t end = begin + std::min(open.chunk, open.call.extent - begin);
  const uint32_t code = open.call.callee.function(open.call.args, begin, end);
  own.holds = false;
  if (code != kDone) outcome_.store({code, call}, std::memory_order_relaxed);
  finish(1);
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

uint32_t Crew::settle() {
  if (!std::exchange(shares_[0].holds, false)) return 0;
  // Nobody needs what is not claimed yet.
  uint32_t chunks = 1;
  for (uint32_t share = 0; share < threads_; ++share)
    chunks += shares_[share].unclaimed.exchange(0, std::memory_order_relaxed) & kChunkMask;
  finish(chunks);
  wait_for_others();
  return shares_[0].call;
}

void Crew::help(uint32_t thread) {
  helpers_.fetch_add(1, std::memory_order_relaxed);
  while (!dismissed_.load(std::memory_order_relaxed)) {
    // A round that opens from here on makes the number another, and the thread does not wait.
    uint32_t seen = round_.load();
    if (!catch_up(thread)) break;
    if (!take(thread)) wait_for_work(seen);
  }
  helpers_.fetch_sub(1, std::memory_order_relaxed);
}

void Crew::help_trapped(uint32_t thread) {
  helpers_.fetch_sub(1, std::memory_order_relaxed);
  if (!std::exchange(shares_[thread].holds, false)) return;
  outcome_.store({kTrapped, shares_[thread].call}, std::memory_order_relaxed);
  finish(1);
}

// Returns when `round_` may be other than `seen`.
void Crew::wait_for_work(uint32_t seen) {
  for (uint32_t i = 0; i < kPolls && walking_.load(std::memory_order_relaxed); ++i) {
    if (round_.load(std::memory_order_relaxed) != seen) return;
  }
  sleepers_.fetch_add(1);
  if (!dismissed_.load()) wait_while(round_, seen);
  sleepers_.fetch_sub(1);
}

void Crew::dismiss() {
  dismissed_.store(true);
  round_.fetch_add(1);
  wake_all(round_);
}

}  // namespace fuselane
