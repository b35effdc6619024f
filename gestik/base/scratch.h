#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "gestik/base/assert.h"

namespace gestik {

/// Bump memory for one thread: sized once, then handed out and taken back without touching the
/// heap. `scratch_bytes(solver, skeleton, goals)` says how much a solve needs; a scratch made for
/// the largest problem serves all of them.
class Scratch {
 public:
  /// Owns `bytes` of memory.
  explicit Scratch(std::size_t bytes)
      : owned_(std::make_unique_for_overwrite<std::byte[]>(bytes)),
        begin_(owned_.get()),
        size_(bytes) {}

  /// Borrows memory that outlives it (a static buffer, an arena).
  explicit Scratch(std::span<std::byte> memory) noexcept
      : begin_(memory.data()), size_(memory.size()) {}

  Scratch(Scratch&& other) noexcept { *this = std::move(other); }
  Scratch& operator=(Scratch&& other) noexcept {
    owned_ = std::move(other.owned_);
    begin_ = std::exchange(other.begin_, nullptr);
    size_ = std::exchange(other.size_, 0);
    used_ = std::exchange(other.used_, 0);
    return *this;
  }

  /// `count` default-initialised values. Asking for more than is left is a programming error.
  template <class T>
  std::span<T> take(std::size_t count) noexcept {
    static_assert(std::is_trivially_destructible_v<T>, "scratch memory is dropped, not destroyed");
    const std::size_t start = aligned(used_, alignof(T));
    GESTIK_ASSERT(start <= size_ && count <= (size_ - start) / sizeof(T));
    used_ = start + count * sizeof(T);
    T* first = reinterpret_cast<T*>(begin_ + start);
    std::uninitialized_default_construct_n(first, count);
    return {first, count};
  }

  std::size_t capacity() const noexcept { return size_; }
  std::size_t left() const noexcept { return size_ - used_; }

  /// Gives back everything taken during its life.
  class Frame {
   public:
    explicit Frame(Scratch& scratch) noexcept : scratch_(scratch), mark_(scratch.used_) {}
    ~Frame() { scratch_.used_ = mark_; }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

   private:
    Scratch& scratch_;
    std::size_t mark_;
  };

  /// The bytes `take<T>(count)` can use up at the worst, padding included: what scratch_bytes adds
  /// up.
  template <class T>
  static constexpr std::size_t bytes_for(std::size_t count) noexcept {
    return count * sizeof(T) + alignof(T) - 1;
  }

 private:
  std::size_t aligned(std::size_t offset, std::size_t alignment) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(begin_) + offset;
    return offset + (alignment - address % alignment) % alignment;
  }

  std::unique_ptr<std::byte[]> owned_;
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
};

}  // namespace gestik
