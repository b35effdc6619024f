#include "fuzz/target.h"
#include "gestik/io/urdf.h"

using namespace gestik;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<Loaded> loaded = read_urdf(fuzz::text_of(data, size), "fuzz.urdf");
  if (loaded) fuzz::require_sound(*loaded);
  return 0;
}
