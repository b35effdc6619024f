#pragma once

/// The interface of the WebAssembly module, as gestik.ts calls it. One thread, no clock, no files.
/// Numbers go through buffers that the module owns: a function gives a pointer, the caller writes
/// or reads there before its next call. Text goes in as UTF-8 with its size and comes out through
/// gestik_text().
///
/// What can be refused returns 0 (or null) and leaves the reason, in words, as the text.

#include <stddef.h>
#include <stdint.h>

#ifdef __wasm__
#define GESTIK_EXPORT(name) __attribute__((export_name(#name)))
#else
#define GESTIK_EXPORT(name)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct GestikCharacter GestikCharacter;
typedef struct GestikTracker GestikTracker;
typedef struct GestikFilter GestikFilter;

/// Memory for a text to hand in; valid until the next call of it.
GESTIK_EXPORT(gestik_room) char* gestik_room(size_t bytes);

/// The last text that came out: JSON, a character's file or a refusal.
GESTIK_EXPORT(gestik_text) const char* gestik_text(void);
GESTIK_EXPORT(gestik_text_size) size_t gestik_text_size(void);

/// Text: {version, solvers, tracker, filter, presets, bundled}, as types.ts has them.
GESTIK_EXPORT(gestik_about) void gestik_about(void);

// --- characters ---

enum GestikFormat { gestik_json, gestik_bvh, gestik_gltf, gestik_bundled };

/// What is in the room is the file (for gestik_bundled: the name), with the file's name for
/// messages after it. `unit`: metres per unit of a BVH's lengths.
GESTIK_EXPORT(gestik_load)
GestikCharacter* gestik_load(size_t text_size, size_t name_size, int format, double unit);
GESTIK_EXPORT(gestik_free_character) void gestik_free_character(GestikCharacter*);

/// Text: the character without its clips' values.
GESTIK_EXPORT(gestik_describe) void gestik_describe(const GestikCharacter*);
GESTIK_EXPORT(gestik_clip) const double* gestik_clip(const GestikCharacter*, size_t clip);

GESTIK_EXPORT(gestik_clear_postures) void gestik_clear_postures(GestikCharacter*);
/// The name is in the room, the values at gestik_q().
GESTIK_EXPORT(gestik_add_posture) void gestik_add_posture(GestikCharacter*, size_t name_size);
/// Text: the character as gestik JSON.
GESTIK_EXPORT(gestik_save) int gestik_save(const GestikCharacter*);

// --- poses: what they read they read at gestik_q() ---

GESTIK_EXPORT(gestik_q) double* gestik_q(GestikCharacter*);
/// Seven numbers for each joint: w, x, y, z, then the place.
GESTIK_EXPORT(gestik_forward) const double* gestik_forward(GestikCharacter*);
/// In place.
GESTIK_EXPORT(gestik_clamp) void gestik_clamp(GestikCharacter*);
/// For each joint 0 (none), 1 (lo), 2 (hi) or 3 (swing).
GESTIK_EXPORT(gestik_at_limits) const double* gestik_at_limits(GestikCharacter*);
/// The tangent from the wish's seed to q: three numbers for a ball, one for a hinge or slider.
GESTIK_EXPORT(gestik_difference) const double* gestik_difference(GestikCharacter*);
/// A ball's swing x, swing y and twist, and back; in place, in the first numbers.
GESTIK_EXPORT(gestik_ball_angles) void gestik_ball_angles(GestikCharacter*, int joint);
GESTIK_EXPORT(gestik_ball_from_angles) void gestik_ball_from_angles(GestikCharacter*, int joint);

// --- what is wished for ---

/// A goal: for place `place` (ends, then links, then joints).
typedef struct {
  double kind;  ///< 0 reach, 1 orient, 2 aim
  double place;
  double target[4];  ///< x, y, z; of an orient w, x, y, z
  double flag;       ///< orient: symmetric; aim: the target is a direction
  double weight;
  double tolerance;  ///< NaN: the default
  double priority;
} GestikGoal;

/// Where to write a wish: the goals, then a posture (q_size numbers), the weights of the joints,
/// which joints are held (0 or 1 each) and a seed (q_size numbers), one after the other, each only
/// if the wish has it. It holds until the next one.
enum GestikPart { gestik_posture = 1, gestik_weights = 2, gestik_held = 4, gestik_seed = 8 };
GESTIK_EXPORT(gestik_wish) double* gestik_wish(GestikCharacter*, size_t goals, int parts);

/// The solver that suits the wish, as its place in the list of solvers.
GESTIK_EXPORT(gestik_suitable_solver) int gestik_suitable_solver(GestikCharacter*);

/// Where to write a solver's settings, in the order of its fields; they are the defaults now.
GESTIK_EXPORT(gestik_settings) double* gestik_settings(int solver);

/// Makes ready: style as types.ts has it; iterations below zero are the solver's own. Then solve,
/// which is what to time, and judge, for gestik_answer().
GESTIK_EXPORT(gestik_prepare)
int gestik_prepare(GestikCharacter*, int solver, double style, int iterations);
GESTIK_EXPORT(gestik_solve) void gestik_solve(GestikCharacter*, int repeats);
GESTIK_EXPORT(gestik_judge) void gestik_judge(GestikCharacter*);

/// What came of it.
typedef struct {
  double status;  ///< as Status has it: reached, stalled, out_of_budget, unsupported, bad_problem
  double iterations;
  double error;
  double orientation, posture, combined;  ///< as the ERIK paper measures; NaN: nothing to measure
  double reposing, reposes;               ///< of a tracker
} GestikReport;

/// Followed by q and the world poses of all joints. Text: why it was turned away, if it was.
GESTIK_EXPORT(gestik_answer) const double* gestik_answer(GestikCharacter*);

/// Text: what gestik_q() makes of the wish.
GESTIK_EXPORT(gestik_explain) int gestik_explain(GestikCharacter*, double style);

/// What gestik_q() makes of the wish, in numbers: orientation, posture and combined error, then
/// each goal's residual.
GESTIK_EXPORT(gestik_measure) const double* gestik_measure(GestikCharacter*);

// --- what remembers; each starts at rest at gestik_q() ---

GESTIK_EXPORT(gestik_make_tracker) GestikTracker* gestik_make_tracker(GestikCharacter*);
GESTIK_EXPORT(gestik_free_tracker) void gestik_free_tracker(GestikTracker*);
GESTIK_EXPORT(gestik_reset_tracker) void gestik_reset_tracker(GestikTracker*);
GESTIK_EXPORT(gestik_set_tracker)
int gestik_set_tracker(GestikTracker*, size_t name_size, double value);
/// One frame towards the wish; gestik_answer() tells.
GESTIK_EXPORT(gestik_track) void gestik_track(GestikTracker*, double style, double seconds);

GESTIK_EXPORT(gestik_make_filter) GestikFilter* gestik_make_filter(GestikCharacter*);
GESTIK_EXPORT(gestik_free_filter) void gestik_free_filter(GestikFilter*);
GESTIK_EXPORT(gestik_reset_filter) void gestik_reset_filter(GestikFilter*);
GESTIK_EXPORT(gestik_set_filter)
int gestik_set_filter(GestikFilter*, size_t name_size, double value);
/// One frame towards gestik_q(), in place.
GESTIK_EXPORT(gestik_filter) void gestik_filter(GestikFilter*, double seconds);

#ifdef __cplusplus
}
#endif
