#pragma once

#include <string>

#include "tools/gestik/server.h"

/// What the studio's page asks of the tool that serves it.
namespace gestik::tool {

/// What the page shows first, and where it may save.
struct Studio {
  std::string character;     ///< the name of a bundled character, or empty
  std::string file = {};     ///< else the gestik JSON of the file that was named
  std::string save_to = {};  ///< a path, or empty: nowhere
};

/// - GET /info: {"character" or "file", and "save" where there is a place}.
/// - POST /convert?name=walk.bvh: a file of any kind we read, as gestik JSON; 422 and the reader's
/// own
///   words if it is none.
/// - POST /save: gestik JSON, written to save_to whole or not at all; 403 where there is no such
/// place.
std::optional<Reply> answer_for(Studio&, const Asked&);

}  // namespace gestik::tool
