#pragma once

#include "gestik/model/character.h"
#include "gestik/motion/tracker.h"

/// How the tracker follows gazes: its end goes from one random orientation to another, again and
/// again, while a random posture is to be kept. Beside it, independent solves of the same frames.
namespace gestik::evaluation::track {

struct Sweeps {
  int count = 200;
  Real seconds = 9;
  Real rate = 60;
  Real look_ahead = 0;  ///< seconds of the target's future that the tracker knows
  Tracker tracker = {};
};

struct Row {
  long frames = 0;
  int reposes = 0;
  long reposing = 0;      ///< frames on the way to another candidate
  long met = 0;           ///< frames whose goal is met
  Real largest_step = 0;  ///< of a joint from one frame to the next, radians
  Real posture = 0;       ///< mean of 1 - cos(deviation) of the joints between the ends
  Real us = 0;            ///< mean time of a frame

  // Independent solves by poise.
  Real cold_posture = 0, cold_us = 0;
  int jumps = 0;  ///< sweeps with a step above 10 degrees
};

/// The character's skeleton must be a chain of hinges; the end its first.
Row follow(const Sweeps&, const Character&);

}  // namespace gestik::evaluation::track
