#include <array>
#include <csignal>
#include <new>
#include <string_view>
#include <vector>

#include "gestik/base/suggest.h"
#include "tools/gestik/arguments.h"
#include "tools/gestik/output.h"
#include "tools/gestik/verbs.h"

namespace gestik::tool {
namespace {

constexpr const char* examples = R"(Try:
  gestik inspect lamp
  gestik solve lamp --posture curious --aim 0.4,0.3,0.5
  gestik pose lamp --posture shy --json
  gestik studio lamp

Metres and radians, unless --degrees. Quaternions are w,x,y,z.
Exit codes: 0 reached or safe, 3 solved but not reached, or not safe, 2 bad input, 1 the answer can't be written,
130 stopped.)";

/// The long names of a command's options, as typed.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> verb_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* verb : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

/// "gestik eval erik"
std::string command_words(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent ? command_words(*parent) + " " + command.get_name() : command.get_name();
}

/// Complains about the first word that the command, or the verb given to it, has no use for.
void refuse_leftovers(const CLI::App& command) {
  const std::vector<std::string> left = command.remaining();
  if (left.empty()) {
    for (const CLI::App* verb : command.get_subcommands()) refuse_leftovers(*verb);
    return;
  }
  const std::string word = left.front().substr(0, left.front().find('='));
  const bool is_option = word.starts_with('-');
  const bool takes_verbs = !verb_names(command).empty();
  if (!is_option && !takes_verbs) throw BadInput("'" + word + "' is one argument too many");

  const std::vector<std::string> known = is_option ? option_names(command) : verb_names(command);
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  std::string advice = did_you_mean(word, candidates);
  if (advice.empty()) advice = "; see " + command_words(command) + " --help";
  throw BadInput(std::string("unknown ") + (is_option ? "option" : "verb") + " '" + word + "'" +
                 advice);
}

/// What the parser says of an option without a value, or with too many, in our words.
std::string reworded(const CLI::ArgumentMismatch& fault) {
  const std::string what = fault.what();
  const std::string option = what.substr(0, what.find(':'));
  if (what.ends_with("missing")) return option + " needs a value";
  if (what.find("At Most 1 ") != std::string::npos) return option + " may be given only once";
  return what;
}

/// Words are left over on purpose: the parser's own complaint knows no suggestions.
void parse(CLI::App& tool, int argc, char** argv) {
  try {
    tool.parse(argc, argv);
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& fault) {
    for (const CLI::App* verb : tool.get_subcommands()) refuse_leftovers(*verb);
    if (const auto* mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&fault))
      throw BadInput(reworded(*mismatch));
    throw;
  }
  refuse_leftovers(tool);
}

ExitCode run(int argc, char** argv) {
  CLI::App tool("gestik: expressive inverse kinematics for characters and robots", "gestik");
  tool.set_version_flag("--version", "gestik " GESTIK_VERSION);
  tool.require_subcommand(0, 1);
  tool.allow_extras();
  tool.get_formatter()->column_width(34);
  tool.footer(examples);

  const std::array verbs{add_solve(tool),   add_pose(tool),  add_inspect(tool), add_convert(tool),
                         add_check(tool),   add_warp(tool),  add_learn(tool),   add_synth(tool),
                         add_track(tool),   add_reach(tool), add_eval(tool),    add_bench(tool),
                         add_solvers(tool), add_studio(tool)};
  for (const Verb& verb : verbs) {
    verb.command->allow_extras();
    for (CLI::App* part : verb.command->get_subcommands([](CLI::App*) { return true; }))
      part->allow_extras();
  }

  try {
    parse(tool, argc, argv);
  } catch (const CLI::CallForVersion& version) {
    write_text(std::string(version.what()) + "\n");
    return exit_reached;
  } catch (const CLI::Success&) {
    write_text(tool.help());
    return exit_reached;
  }
  for (const Verb& verb : verbs)
    if (verb.command->parsed()) return verb.run();
  write_text(tool.help());
  return exit_reached;
}

}  // namespace
}  // namespace gestik::tool

int main(int argc, char** argv) {
  using namespace gestik::tool;
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves early is an error of write(), not our end
  try {
    return run(argc, argv);
  } catch (const CantWrite& fault) {
    if (!fault.why.empty()) complain(fault.why);
    return exit_cant_write;
  } catch (const std::bad_alloc&) {
    complain("not enough memory");
  } catch (const std::exception& fault) {
    complain(fault.what());
  }
  return exit_bad_input;
}
