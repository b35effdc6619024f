#include "tools/gestik/studio_answers.h"

#include "gestik/io/gestik_json.h"
#include "gestik/io/read.h"
#include "tools/gestik/output.h"

namespace gestik::tool {
namespace {

constexpr std::string_view json_type = "application/json";

Reply refused(int status, std::string words) {
  return {.status = status, .body = std::move(words)};
}

/// The name without folders: it only tells the kind, and is what messages call the file.
std::string last_part(const std::string& name) {
  const std::size_t slash = name.find_last_of("/\\");
  return slash == name.npos ? name : name.substr(slash + 1);
}

Reply info(const Studio& studio) {
  Json json = Json::object();
  if (!studio.character.empty()) json["character"] = studio.character;
  if (!studio.file.empty()) json["file"] = studio.file;
  if (!studio.save_to.empty()) json["save"] = studio.save_to;
  return {.type = json_type, .body = json.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

Reply convert(const Asked& asked) {
  const Result<Loaded> loaded = read_character(asked.body, last_part(asked.name));
  if (!loaded) return refused(422, to_string(loaded.error()));
  Result<std::string> text = write_gestik_json(loaded->character, loaded->clips);
  if (!text) return refused(422, to_string(text.error()));
  return {.type = json_type, .body = *std::move(text)};
}

Reply save(Studio& studio, const Asked& asked) {
  if (studio.save_to.empty())
    return refused(403, "the studio was not told where to save: start it with --save FILE");
  const Result<Loaded> loaded = read_gestik_json(asked.body, last_part(studio.save_to));
  if (!loaded) return refused(422, to_string(loaded.error()));
  Result<std::string> text = write_gestik_json(loaded->character, loaded->clips);
  if (!text) return refused(422, to_string(text.error()));
  if (const std::optional<Error> fault = write_file(studio.save_to, *text))
    return refused(500, to_string(*fault));
  studio.character.clear();  // whoever opens the page again finds what was saved
  studio.file = *std::move(text);
  return {.body = "saved to " + studio.save_to};
}

}  // namespace

std::optional<Reply> answer_for(Studio& studio, const Asked& asked) {
  if (asked.path == "/info")
    return asked.posts ? refused(405, "this can only be got") : info(studio);
  if (asked.path == "/convert")
    return asked.posts ? convert(asked) : refused(405, "post a file to convert");
  if (asked.path == "/save")
    return asked.posts ? save(studio, asked) : refused(405, "post a character to save");
  return std::nullopt;
}

}  // namespace gestik::tool
