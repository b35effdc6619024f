#include "fuzz/target.h"
#include "gestik/io/gltf.h"

using namespace gestik;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<Loaded> loaded = read_gltf(fuzz::text_of(data, size), "fuzz.glb");
  if (loaded) fuzz::require_sound(*loaded);
  return 0;
}
