#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gestik/body/behaviour.h"

namespace gestik {

/// A body behaviour as a file has it (docs/FORMAT.md); the skeleton is that of the character it is
/// for. What it says is read, not judged: build() of body/whole_body.h does that. Refuses unknown
/// fields and joints by name, and keys of one arm that do not name the same joints.
Result<BehaviourDraft> read_behaviour_json(std::string_view text, std::string_view file,
                                           const Skeleton&);

/// The text that read_behaviour_json turns into the same draft, bit for bit (as long as its
/// quaternions are of unit length). Refuses joints that are not there, postures of the wrong size,
/// numbers that are not finite and names that are not UTF-8.
Result<std::string> write_behaviour_json(const BehaviourDraft&, const Skeleton&);

Result<BehaviourDraft> read_behaviour_file(const std::string& path, const Skeleton&);

/// The behaviours built into the library, all for the character `humanoid`, and their names in
/// order.
Result<BehaviourDraft> bundled_behaviour(std::string_view name, const Skeleton&);
std::vector<std::string_view> bundled_behaviour_names();

}  // namespace gestik
