#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

// Runs all benchmarks interleaved, several times, and closes with what matters on a noisy machine:
// the ratio of each peer's time to ours ("forward/kdl" to "forward/gestik"), from the medians.

namespace {

class RatioReporter : public benchmark::ConsoleReporter {
 public:
  RatioReporter() : ConsoleReporter(isatty(STDOUT_FILENO) ? OO_Color : OO_None) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      if (run.aggregate_name == "median")
        medians_[run.run_name.function_name] = run.GetAdjustedCPUTime();
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
  }

 private:
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
