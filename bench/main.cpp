#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

// Runs all benchmarks interleaved, several times, and closes with what matters on a noisy machine:
// the ratio of each peer's time to ours ("forward/kdl" to "forward/gestik"), from the medians, and
// how times grow where a benchmark has sizes.

namespace {

class RatioReporter : public benchmark::ConsoleReporter {
 public:
  RatioReporter() : ConsoleReporter(isatty(STDOUT_FILENO) ? OO_Color : OO_None) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      if (run.aggregate_name == "median") note(run);
    ConsoleReporter::ReportRuns(runs);
  }

  void Finalize() override {
    for (const auto& [name, time] : medians_) {
      const std::size_t slash = name.find('/');
      const std::string what = name.substr(0, slash), peer = name.substr(slash + 1);
      const auto ours = medians_.find(what + "/gestik");
      if (peer == "gestik" || ours == medians_.end()) continue;
      std::printf("%s: %.1f times the speed of %s\n", what.c_str(), time / ours->second,
                  peer.c_str());
    }
    for (const auto& [name, sizes] : growth_) print_growth(name, sizes);
  }

 private:
  void note(const Run& run) {
    const std::string& size = run.run_name.args;
    if (size.empty())
      medians_[run.run_name.function_name] = run.GetAdjustedCPUTime();
    else
      growth_[run.run_name.function_name][std::stod(size)] = run.GetAdjustedCPUTime();
  }

  /// The exponent of size that fits the times best: the slope of their logarithms.
  static void print_growth(const std::string& name, const std::map<double, double>& time_of_size) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const auto& [size, time] : time_of_size) {
      const double u = std::log(size), v = std::log(time);
      n += 1, x += u, y += v, xx += u * u, xy += u * v;
    }
    if (n < 2) return;
    std::printf("%s: time grows as size^%.2f from %.0f to %.0f\n", name.c_str(),
                (n * xy - x * y) / (n * xx - x * x), time_of_size.begin()->first,
                time_of_size.rbegin()->first);
  }

  std::map<std::string, std::map<double, double>> growth_;
  std::map<std::string, double> medians_;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  std::string interleave = "--benchmark_enable_random_interleaving=true";
  std::string repetitions = "--benchmark_repetitions=9";
  std::string brief = "--benchmark_report_aggregates_only=true";
  std::string seconds = "--benchmark_min_time=0.05";
  // Ahead of the user's own, so that those win.
  for (std::string* option : {&interleave, &repetitions, &brief, &seconds})
    arguments.insert(arguments.begin() + 1, option->data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  return 0;
}
