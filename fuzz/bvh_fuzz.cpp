#include "fuzz/target.h"
#include "gestik/io/bvh.h"

using namespace gestik;

namespace {

void write_and_read(const Loaded& loaded, const BvhOptions& options) {
  const Skeleton& skeleton = loaded.character.skeleton;
  const Clip clip = loaded.clips.empty() ? clip_for(skeleton, "still", 30) : loaded.clips[0];
  const Result<std::string> written = write_bvh(loaded.character, clip, options.unit);
  if (!written) return;  // a number at the very end of the range, scaled beyond it
  const Result<Loaded> again = read_bvh(*written, "written.bvh", options);
  if (!again) fuzz::fail("what was written is refused: " + to_string(again.error()));
  fuzz::require_sound(*again);
  if (again->character.skeleton.v_size() != skeleton.v_size())
    fuzz::fail("writing changes the degrees of freedom");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const BvhOptions& options : {BvhOptions{}, BvhOptions{.unit = 0.01, .hinges = {"*"}}}) {
    const Result<Loaded> loaded = read_bvh(fuzz::text_of(data, size), "fuzz.bvh", options);
    if (!loaded) return 0;
    fuzz::require_sound(*loaded);
    write_and_read(*loaded, options);
  }
  return 0;
}
