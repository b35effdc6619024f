#include <fmt/format.h>

#include <memory>

#include "tools/gestik/arguments.h"
#include "tools/gestik/output.h"
#include "tools/gestik/verbs.h"

#ifdef GESTIK_STUDIO
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>

#include "gestik/io/gestik_json.h"
#include "tools/gestik/studio_answers.h"
#include "tools/gestik/studio_page.h"
#endif

namespace gestik::tool {
namespace {

struct StudioArguments {
  CharacterArgument character{.name = "lamp", .unit = {}, .hinges = {}};
  OptionText port, save;
  bool no_open = false;
};

#ifdef GESTIK_STUDIO

/// What a bundled name or a file becomes for the page.
Studio studio_for(const StudioArguments& arguments) {
  const Loaded loaded = load(arguments.character);
  Studio studio{.character = {}};
  const std::vector<std::string_view> bundled = bundled_character_names();
  if (std::find(bundled.begin(), bundled.end(), arguments.character.name) != bundled.end()) {
    studio.character = arguments.character.name;
  } else {
    Result<std::string> text = write_gestik_json(loaded.character, loaded.clips);
    if (!text) throw BadInput(to_string(text.error()));
    studio.file = *std::move(text);
  }
  if (arguments.save) {
    if (!ends_with_ignoring_case(*arguments.save, ".json"))
      throw BadInput("--save: characters are saved as gestik JSON; name a .json file");
    studio.save_to = *arguments.save;
  }
  print_notes(loaded.warnings, arguments.character.quiet);
  return studio;
}

/// The port that was asked for, or the usual one, or any that is free.
void listen(Server& server, const OptionText& wanted) {
  constexpr std::uint16_t usual = 4747;
  if (wanted) {
    const int port = parse_count(*wanted, "--port", 0, 65535);
    if (const auto fault = server.listen(static_cast<std::uint16_t>(port)))
      throw BadInput(fmt::format("--port {}: {}; leave it out for one that is free", port, *fault));
    return;
  }
  if (!server.listen(usual)) return;
  if (const auto fault = server.listen(0)) throw BadInput(fmt::format("no port: {}", *fault));
}

/// Where there is a screen and something that opens pages on it; else the address stands there to
/// be clicked.
void open_page(std::string address) {
  if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return;
  std::string program = "xdg-open";
  char* const words[] = {program.data(), address.data(), nullptr};
  pid_t child = 0;
  posix_spawnp(&child, program.c_str(), nullptr, nullptr, words, environ);
}

ExitCode studio_verb(const StudioArguments& arguments) {
  Studio studio = studio_for(arguments);
  Server server(studio_page(), [&](const Asked& asked) { return answer_for(studio, asked); });
  listen(server, arguments.port);
  const std::string address = fmt::format("http://127.0.0.1:{}/", server.port());
  write_text(fmt::format("The studio is at {} (Ctrl-C ends it)\n", address));
  if (!arguments.no_open) open_page(address);
  server.run();
  return exit_reached;
}

#else

ExitCode studio_verb(const StudioArguments&) {
  throw BadInput(
      "this gestik was built without the studio's page; scripts/demo builds it with the page "
      "(it needs Node and clang 19, which scripts/setup studio installs)");
}

#endif

}  // namespace

Verb add_studio(CLI::App& tool) {
  const auto arguments = std::make_shared<StudioArguments>();
  CLI::App* command =
      tool.add_subcommand("studio", "see a character in the browser, drag it, author postures");
  command
      ->add_option("CHARACTER", arguments->character.name,
                   "a bundled name or a .json, .urdf, .bvh, .glb or .gltf file (default: lamp)")
      ->type_name(" ");
  add_read_options(*command, arguments->character);
  add_text(
      *command, "--port", arguments->port,
      {"N", "Serving", "the port to take, 0 for any (default: 4747, or any if that is taken)"});
  add_text(*command, "--save", arguments->save,
           {"FILE", "Serving",
            "where the page may save the character, as gestik JSON (default: nowhere; it can "
            "always be downloaded)"});
  command->add_flag("--no-open", arguments->no_open, "do not open a browser")->group("Serving");
  command->footer(
      "The page is served on this machine only (127.0.0.1). Files that are dropped on it stay on\n"
      "this machine.\n\n"
      "Example: gestik studio lamp.json --save lamp.json");
  return {command, [arguments] { return studio_verb(*arguments); }};
}

}  // namespace gestik::tool
