#include "fuzz/target.h"
#include "gestik/io/gestik_json.h"

using namespace gestik;

namespace {

/// One joint of every type; the corpus has its columns.
Character crane() {
  const SkeletonDraft draft{{{.name = "mast", .type = JointType::fixed},
                             {.name = "turn", .parent = "mast", .type = JointType::hinge},
                             {.name = "rail", .parent = "turn", .type = JointType::slider},
                             {.name = "hook", .parent = "rail", .type = JointType::ball}}};
  return {.name = "crane", .skeleton = *build(draft)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Character character = crane();
  const Skeleton& skeleton = character.skeleton;
  const auto clips = read_gestik_clips(fuzz::text_of(data, size), "fuzz.json", skeleton);
  if (!clips) return 0;
  for (const Clip& clip : *clips)
    if (auto fault = check(clip, skeleton)) fuzz::fail(to_string(*fault));
  const Result<std::string> written = write_gestik_json(character, *clips);
  if (!written) fuzz::fail("what was read can't be written: " + to_string(written.error()));
  const auto again = read_gestik_clips(*written, "written.json", skeleton);
  if (!again) fuzz::fail("what was written is refused: " + to_string(again.error()));
  const Result<std::string> rewritten = write_gestik_json(character, *again);
  if (!rewritten || *rewritten != *written)
    fuzz::fail("reading and writing again changes the file");
  return 0;
}
