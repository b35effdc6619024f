#include "evaluation/output_folder.h"

#include <filesystem>
#include <system_error>

#include "gestik/io/read.h"

namespace gestik::evaluation {

namespace fs = std::filesystem;

std::optional<Error> prepare_folder(const std::string& path) {
  std::error_code fault;
  if (fs::exists(path, fault) && !fs::is_directory(path, fault))
    return Error{"it is no folder; results go into a folder", path};
  fs::create_directories(path, fault);
  if (fault) return Error{"can't make this folder: " + fault.message(), path};
  const fs::path probe = fs::path(path) / ".gestik";
  if (std::optional<Error> refusal = write_file(probe.string(), ""))
    return Error{"can't write into this folder: " + refusal->what, path};
  fs::remove(probe, fault);
  return std::nullopt;
}

std::optional<Error> write_files(const std::string& folder, const std::vector<NamedText>& files) {
  std::optional<Error> first;
  for (const auto& [name, text] : files) {
    std::optional<Error> fault = write_file((fs::path(folder) / name).string(), text);
    if (!first) first = std::move(fault);
  }
  return first;
}

}  // namespace gestik::evaluation
