#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "gestik/io/read.h"
#include "gestik/solve/explain.h"

/// What the module tells of itself and of its answers, as JSON: bindings/wasm/types.ts has the
/// types.
namespace gestik::wasm {

using Json = nlohmann::ordered_json;

/// Version, solvers and their settings, tracker, filters, bundled characters.
Json library_json();

/// Joints, ends, links, postures, clips. `motion` has each joint's own limits.
Json character_json(const Loaded&, std::span<const MotionLimits> motion);

/// What became of the goals, which joints are at their limits, and what changed against the
/// posture.
Json explanation_json(const Explanation&, const Problem&, ConstQ q);

}  // namespace gestik::wasm
