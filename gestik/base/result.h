#pragma once

#include <string>
#include <utility>
#include <variant>

#include "gestik/base/assert.h"

namespace gestik {

/// What went wrong at the border (a file, a draft, a name), in words a user can act on.
struct Error {
  std::string what;   ///< "unknown field 'postuers'; did you mean 'postures'?"
  std::string where;  ///< "lamp.json:12", "joint 'elbow'", or empty
};

inline std::string to_string(const Error& error) {
  return error.where.empty() ? error.what : error.where + ": " + error.what;
}

/// A value or the Error that stands in its place. Used only where the outside world enters (io,
/// build): inside, functions either can't fail or return an enum.
///
///     Result<Skeleton> built = build(draft);
///     if (!built) return complain(built.error());
///     use(*built);
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : held_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const noexcept { return held_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  T& operator*() & { return get(); }
  const T& operator*() const& { return const_cast<Result*>(this)->get(); }
  T&& operator*() && { return std::move(get()); }
  T* operator->() { return &get(); }
  const T* operator->() const { return &**this; }

  const Error& error() const {
    GESTIK_ASSERT(!ok());
    return *std::get_if<1>(&held_);
  }

 private:
  T& get() {
    GESTIK_ASSERT(ok());
    return *std::get_if<0>(&held_);
  }

  std::variant<T, Error> held_;
};

}  // namespace gestik
