#include "gestik/io/read.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "gestik/base/suggest.h"
#include "gestik/io/bundled.h"
#include "gestik/io/bvh.h"
#include "gestik/io/gestik_json.h"
#include "gestik/io/gltf.h"
#include "gestik/io/urdf.h"

namespace gestik {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = std::size_t{256} << 20;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string reason(int number) {
  return std::generic_category().message(number);
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

std::string ending_of(std::string_view file) {
  return lower_case(fs::path(file).extension().string());
}

bool is_character_ending(std::string_view ending) {
  constexpr std::array<std::string_view, 5> known{".json", ".urdf", ".bvh", ".glb", ".gltf"};
  return std::find(known.begin(), known.end(), ending) != known.end();
}

Error unknown_kind(std::string_view file) {
  return {"unknown kind of file; a character's file ends in .json, .urdf, .bvh, .glb or .gltf",
          std::string(file)};
}

std::optional<Error> fill(File file, const std::string& path, std::string_view contents) {
  const bool written =
      std::fwrite(contents.data(), 1, contents.size(), file.get()) == contents.size() &&
      std::fflush(file.get()) == 0;
  if (!written) return Error{"can't write it: " + reason(errno), path};
  if (std::fclose(file.release()) != 0) return Error{"can't write it: " + reason(errno), path};
  return std::nullopt;
}

/// A new file beside `path`, under a name that no other writer has taken.
File open_neighbour(const std::string& path, std::string& neighbour) {
  constexpr int tries = 100;
  for (int i = 0; i < tries; ++i) {
    neighbour = path + ".part" + std::to_string(i);
    File file(std::fopen(neighbour.c_str(), "wbx"));
    if (file || errno != EEXIST) return file;
  }
  return nullptr;
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return Error{"it is a folder; name a file in it", path};
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file && errno == ENOENT) return Error{"there is no such file; check the path", path};
  if (!file) return Error{"can't open it: " + reason(errno), path};

  std::string contents;
  std::array<char, 1 << 16> chunk;
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    if (contents.size() + got > largest_file)
      return Error{"it is larger than 256 MB, the most that is read", path};
    contents.append(chunk.data(), got);
  }
  if (std::ferror(file.get())) return Error{"can't read it: " + reason(errno), path};
  return contents;
}

std::optional<Error> write_file(const std::string& path, std::string_view contents) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return Error{"it is a folder; name a file in it", path};
  if (fs::exists(status) && !fs::is_regular_file(status)) {  // a pipe or device can't be replaced
    File device(std::fopen(path.c_str(), "wb"));
    if (!device) return Error{"can't open it: " + reason(errno), path};
    return fill(std::move(device), path, contents);
  }

  // Through a link, the file it leads to is replaced, not the link.
  const std::string target = fs::exists(status) ? fs::canonical(path, error).string() : path;
  if (error && fs::exists(status)) return Error{"can't write it: " + error.message(), path};
  std::string neighbour;
  File file = open_neighbour(target, neighbour);
  if (!file) return Error{"can't write beside it: " + reason(errno), path};
  std::optional<Error> fault = fill(std::move(file), path, contents);
  if (!fault) {
    if (fs::exists(status)) fs::permissions(neighbour, status.permissions(), error);
    fs::rename(neighbour, target, error);
    if (error) fault = Error{"can't replace it: " + error.message(), path};
  }
  if (fault) fs::remove(neighbour, error);
  return fault;
}

Result<Loaded> read_character_file(const std::string& path, const ReadOptions& options) {
  const std::string ending = ending_of(path);
  if (!is_character_ending(ending)) return unknown_kind(path);
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return bytes.error();
  return read_character(*bytes, path, options);
}

Result<Loaded> read_character(std::string_view bytes, std::string_view file,
                              const ReadOptions& options) {
  const std::string ending = ending_of(file);
  if (ending == ".urdf") return read_urdf(bytes, file);
  if (ending == ".bvh") return read_bvh(bytes, file, options.bvh);
  if (ending == ".glb" || ending == ".gltf") return read_gltf(bytes, file);
  if (ending == ".json") return read_gestik_json(bytes, file);
  return unknown_kind(file);
}

std::vector<std::string_view> bundled_character_names() {
  std::vector<std::string_view> names;
  for (const BundledFile& file : bundled_files()) names.push_back(file.name);
  return names;
}

Result<Loaded> bundled_character(std::string_view name) {
  for (const BundledFile& file : bundled_files())
    if (file.name == name) return read_gestik_json(file.text, std::string(name) + ".json");

  const std::vector<std::string_view> names = bundled_character_names();
  std::string list;
  for (std::string_view one : names) list += (list.empty() ? "" : ", ") + std::string(one);
  return Error{"no bundled character is called '" + std::string(name) + "'" +
                   did_you_mean(name, names) + " (there are: " + list + ")",
               ""};
}

}  // namespace gestik
