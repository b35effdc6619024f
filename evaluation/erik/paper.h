#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "gestik/math/types.h"

/// What the paper publishes: Tiago Ribeiro and Ana Paiva, "Expressive Inverse Kinematics Solving in
/// Real-time for Virtual and Robotic Interactive Characters", section 4.
namespace gestik::evaluation::erik::paper {

inline constexpr Real threshold = 0.04;            ///< an error up to this is acceptable
inline constexpr Real filter = 3 * threshold;      ///< of the orientation error, for Table 9
inline constexpr std::size_t orientations = 7609;  ///< per posture

struct Spread {
  Real min, max, mean, sd;
};

/// A row of Table 8. Its times are corrected to an Intel i7-7700HQ.
struct Effort {
  std::string_view skeleton, solver;
  int dofs;
  std::size_t postures;
  std::uint64_t samples;
  Spread iterations;
  Spread milliseconds;
};
inline constexpr std::array<Effort, 10> table_8{{
    {"A", "erik", 3, 33, 251'097, {1, 7, 4.14, 2.17}, {6, 126, 45, 28}},
    {"B", "erik", 4, 377, 2'868'593, {1, 10, 3.42, 2.19}, {8, 189, 45, 30}},
    {"C", "erik", 5, 3789, 28'830'501, {1, 12, 2.31, 2.08}, {6, 1165, 37, 36}},
    {"C", "dls100", 5, 3789, 20'561'499, {1, 100, 63, 43.6}, {1.60, 2112, 167, 121}},
    {"C", "dls200", 5, 3789, 20'561'499, {1, 200, 120, 92.8}, {1.57, 3822, 298, 240}},
    {"C", "dls400", 5, 3789, 20'561'499, {1, 400, 234, 191.6}, {1.55, 7520, 678, 570}},
    {"D", "erik", 5, 3789, 28'830'501, {1, 13, 2.02, 1.67}, {10, 458, 36, 30}},
    {"E", "erik", 5, 3789, 28'830'501, {1, 12, 1.93, 1.78}, {6, 225, 28, 27}},
    {"F", "erik", 6, 8305, 63'192'745, {1, 13, 1.61, 1.46}, {13, 368, 35, 35}},
    {"G", "erik", 8, 19657, 149'570'113, {1, 11, 1.35, 1.02}, {22, 759, 74, 63}},
}};

struct Normal {
  Real mean, sd;
};

/// A row of Table 9, of skeleton C. "posture" is already weighted: combined = orientation + posture
/// to the last digit.
struct Comparison {
  std::string_view solver;
  Normal combined, orientation, posture;
};
inline constexpr std::array<Comparison, 4> table_9{{
    {"erik", {0.026614, 0.021258}, {0.005819, 0.009977}, {0.020795, 0.021520}},
    {"dls100", {0.087067, 0.086930}, {0.052744, 0.085997}, {0.034323, 0.020593}},
    {"dls200", {0.086973, 0.086897}, {0.052652, 0.085980}, {0.034321, 0.020591}},
    {"dls400", {0.086831, 0.086581}, {0.052523, 0.085669}, {0.034308, 0.020579}},
}};

}  // namespace gestik::evaluation::erik::paper
