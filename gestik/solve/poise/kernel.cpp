#include "gestik/solve/poise/kernel.h"

namespace gestik::poise {

namespace portable {
extern const Kernel kernel;
}
const Kernel& portable_kernel() noexcept {
  return portable::kernel;
}

#if defined(GESTIK_POISE_AVX2)
namespace avx2 {
extern const Kernel kernel;
}
const Kernel& kernel() noexcept {
  return __builtin_cpu_supports("avx2") ? avx2::kernel : portable::kernel;
}
#else
const Kernel& kernel() noexcept {
  return portable::kernel;
}
#endif

}  // namespace gestik::poise
