#include "fuzz/target.h"
#include "gestik/io/gestik_json.h"

using namespace gestik;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<Loaded> loaded = read_gestik_json(fuzz::text_of(data, size), "fuzz.json");
  if (!loaded) return 0;
  fuzz::require_sound(*loaded);
  const Result<std::string> written = write_gestik_json(loaded->character, loaded->clips);
  if (!written) fuzz::fail("what was read can't be written: " + to_string(written.error()));
  const Result<Loaded> again = read_gestik_json(*written, "written.json");
  if (!again) fuzz::fail("what was written is refused: " + to_string(again.error()));
  const Result<std::string> rewritten = write_gestik_json(again->character, again->clips);
  if (!rewritten || *rewritten != *written)
    fuzz::fail("reading and writing again changes the file");
  return 0;
}
