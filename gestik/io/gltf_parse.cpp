#include "gestik/io/gltf_parse.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "gestik/io/json_tree.h"
#include "gestik/io/text.h"
#include "gestik/math/rotation.h"

namespace gestik {
namespace {

/// Many tracks may share one accessor, so a short file can ask for very many numbers: this many.
constexpr std::size_t most_numbers = std::size_t{1} << 24;

// --- the container ---

struct Chunks {
  std::string_view json;
  std::string_view binary;
};

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i)
    word |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return word;
}

/// A .glb is a header of twelve bytes and chunks: a size, a kind, so many bytes.
Result<Chunks> chunks_of(std::string_view bytes, std::string_view file) {
  const auto refuse = [&](std::string what) { return Error{std::move(what), std::string(file)}; };
  if (!bytes.starts_with("glTF")) return Chunks{without_byte_order_mark(bytes), {}};
  constexpr std::size_t header = 12, chunk_header = 8;
  constexpr std::uint32_t json = 0x4E4F534A, binary = 0x004E4942;
  if (bytes.size() < header + chunk_header) return refuse("the file is cut short in its header");
  if (const std::uint32_t version = word_at(bytes, 4); version != 2)
    return refuse("it is glTF of version " + std::to_string(version) +
                  "; save it as version 2, the one that is read");
  const std::size_t stated = word_at(bytes, 8);
  if (stated > bytes.size())
    return refuse("the file is cut short: it should have " + std::to_string(stated) +
                  " bytes, but has " + std::to_string(bytes.size()));

  Chunks chunks;
  bytes = bytes.substr(0, stated);
  for (std::size_t at = header; at + chunk_header <= bytes.size();) {
    const std::size_t size = word_at(bytes, at);
    const std::uint32_t kind = word_at(bytes, at + 4);
    at += chunk_header;
    if (size > bytes.size() - at) return refuse("a part of the file is longer than the file");
    if (kind == json && chunks.json.empty()) chunks.json = bytes.substr(at, size);
    if (kind == binary && chunks.binary.empty()) chunks.binary = bytes.substr(at, size);
    at += size;
  }
  if (chunks.json.empty()) return refuse("the file has no JSON part");
  return chunks;
}

std::optional<std::string> decode_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (digit < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xff));
  }
  return bytes;
}

// --- the document ---

struct Buffer {
  std::string decoded;     ///< of a data URI
  std::string_view bytes;  ///< into the file or into `decoded`
  std::string missing;     ///< why there are no bytes, if so
};

struct BufferView {
  int buffer = 0;
  std::size_t offset = 0, size = 0, stride = 0;
  bool compressed = false;
};

enum class Component : std::uint8_t { int8, uint8, int16, uint16, uint32, float32 };

struct Accessor {
  int line = 0;
  int view = -1;
  std::size_t offset = 0, count = 0, width = 0;
  Component component = Component::float32;
  bool normalized = false, sparse = false;
};

std::size_t bytes_of(Component component) {
  switch (component) {
    case Component::int8:
    case Component::uint8:
      return 1;
    case Component::int16:
    case Component::uint16:
      return 2;
    case Component::uint32:
    case Component::float32:
      return 4;
  }
  return 0;
}

/// A number of the file's; integers stand for -1..1 or 0..1.
Real number_at(const char* at, Component component) {
  const auto load = [&]<class T>(T value) {
    std::memcpy(&value, at, sizeof(T));
    return value;
  };
  static_assert(std::endian::native == std::endian::little, "glTF is little endian");
  switch (component) {
    case Component::int8:
      return std::max(load(std::int8_t{}) / 127.0, -1.0);
    case Component::uint8:
      return load(std::uint8_t{}) / 255.0;
    case Component::int16:
      return std::max(load(std::int16_t{}) / 32767.0, -1.0);
    case Component::uint16:
      return load(std::uint16_t{}) / 65535.0;
    case Component::uint32:
      return load(std::uint32_t{});
    case Component::float32:
      return load(0.0F);
  }
  return 0;
}

class GltfParser {
 public:
  GltfParser(const Chunks& chunks, std::string_view file)
      : chunks_(chunks), file_(file), read_(file) {}

  Result<GltfFile> parse(const JsonValue& root) {
    check_version(read_.object(root));
    for (const JsonValue value : read_.array(root["nodes"])) add_node(value);
    link_nodes();
    for (const JsonValue value : read_.array(root["skins"])) add_skin(value);
    if (read_.ok() && gltf_.joints.empty())
      read_.refuse(root,
                   "the file has no skin, and so no skeleton; export the armature with its mesh");
    for (const JsonValue value : read_.array(root["buffers"])) add_buffer(value);
    for (const JsonValue value : read_.array(root["bufferViews"])) add_view(value);
    for (const JsonValue value : read_.array(root["accessors"])) add_accessor(value);
    for (const JsonValue value : read_.array(root["animations"])) add_animation(value);
    if (!read_.ok()) return read_.error();
    return std::move(gltf_);
  }

 private:
  void check_version(const JsonValue& root) {
    const JsonValue asset = read_.object(read_.required(root, "asset"));
    const JsonValue version = read_.required(asset, "version");
    const std::string stated = read_.text(version);
    if (read_.ok() && !stated.starts_with("2."))
      read_.refuse(version, "it is glTF of version " + quoted(stated) +
                                "; save it as version 2.0, the one that is read");
  }

  /// A whole number from 0 to most; `fallback` where there is none.
  std::size_t count(const JsonValue& value, std::size_t fallback = 0,
                    std::size_t most = std::numeric_limits<std::uint32_t>::max()) {
    if (!value) return fallback;
    const Real number = read_.number(value);
    if (number >= 0 && number <= static_cast<Real>(most) && number == std::floor(number))
      return static_cast<std::size_t>(number);
    read_.refuse(value, "'" + std::string(value.key()) + "' must be a whole number from 0 to " +
                            std::to_string(most));
    return fallback;
  }

  /// An index into a list; refused beyond its end. -1 where there is none.
  template <class List>
  int index(const JsonValue& value, const List& list, std::string_view what) {
    if (!value) return -1;
    const Real number = read_.number(value);
    if (number >= 0 && number < static_cast<Real>(list.size()) && number == std::floor(number))
      return static_cast<int>(number);
    read_.refuse(value, "there is no such " + std::string(what) + ": the file has " +
                            std::to_string(list.size()));
    return -1;
  }

  /// Numbers of a field, or what stands for them where there is none.
  template <int size>
  Eigen::Matrix<Real, size, 1> vector(const JsonValue& value,
                                      const Eigen::Matrix<Real, size, 1>& fallback) {
    if (!value) return fallback;
    const std::vector<Real> numbers = read_.numbers(value, size);
    return Eigen::Map<const Eigen::Matrix<Real, size, 1>>(numbers.data());
  }

  void add_node(const JsonValue& value) {
    if (!read_.ok()) return;
    const JsonValue fields = read_.object(value);
    GltfNode node;
    node.name = read_.text(fields["name"]);
    node.line = value.line();
    if (const JsonValue matrix = fields["matrix"]) {
      set_matrix(node, vector<16>(matrix, Eigen::Matrix<Real, 16, 1>::Zero()));
    } else {
      node.translation = vector<3>(fields["translation"], Vec3::Zero());
      const Eigen::Vector4d turn = vector<4>(fields["rotation"], Eigen::Vector4d(0, 0, 0, 1));
      node.rotation = normalized_or_identity(Quat(turn[3], turn[0], turn[1], turn[2]));
      node.scale = vector<3>(fields["scale"], Vec3::Ones());
    }
    gltf_.nodes.push_back(std::move(node));
    children_.push_back(read_.array(fields["children"]));
  }

  /// Column by column. Its rotation is that of the first two axes; a mirror goes into the scale.
  static void set_matrix(GltfNode& node, const Eigen::Matrix<Real, 16, 1>& numbers) {
    const Eigen::Map<const Eigen::Matrix4d> matrix(numbers.data());
    const Vec3 x = matrix.col(0).head<3>(), y = matrix.col(1).head<3>(),
               z = matrix.col(2).head<3>();
    node.translation = matrix.col(3).head<3>();
    const Vec3 right = normalized_or_zero(x);
    const Vec3 up = normalized_or_zero(y - right.dot(y) * right);
    const Vec3 front = right.cross(up);
    node.scale = {x.norm(), up.dot(y), front.dot(z)};
    if (front.isZero(0)) return;  // flat: it has no rotation to speak of
    Mat3 axes;
    axes << right, up, front;
    node.rotation = normalized_or_identity(Quat(axes));
  }

  void link_nodes() {
    for (std::size_t parent = 0; parent < children_.size() && read_.ok(); ++parent) {
      for (const JsonValue value : children_[parent]) {
        const int child = index(value, gltf_.nodes, "node");
        if (child < 0) return;
        GltfNode& node = gltf_.nodes[static_cast<std::size_t>(child)];
        if (node.parent >= 0)
          return read_.refuse(value, "node " + std::to_string(child) + " has two parents");
        node.parent = static_cast<int>(parent);
        gltf_.nodes[parent].children.push_back(child);
      }
    }
    refuse_cycles();
  }

  /// Whoever can't be come to from a root hangs on itself.
  void refuse_cycles() {
    if (!read_.ok()) return;
    std::vector<int> found;
    for (std::size_t i = 0; i < gltf_.nodes.size(); ++i)
      if (gltf_.nodes[i].parent < 0) found.push_back(static_cast<int>(i));
    std::vector<bool> seen(gltf_.nodes.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      seen[static_cast<std::size_t>(found[i])] = true;
      const std::vector<int>& children = gltf_.nodes[static_cast<std::size_t>(found[i])].children;
      found.insert(found.end(), children.begin(), children.end());
    }
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (!seen[i])
        return read_.refuse(gltf_.nodes[i].line,
                            "node " + std::to_string(i) + " is its own ancestor");
  }

  void add_skin(const JsonValue& value) {
    is_joint_.resize(gltf_.nodes.size());
    for (const JsonValue joint : read_.array(read_.required(read_.object(value), "joints"))) {
      const int node = index(joint, gltf_.nodes, "node");
      if (node < 0) return;
      if (is_joint_[static_cast<std::size_t>(node)]) continue;
      is_joint_[static_cast<std::size_t>(node)] = true;
      gltf_.joints.push_back(node);
    }
  }

  // --- numbers ---

  void add_buffer(const JsonValue& value) {
    if (!read_.ok()) return;
    const JsonValue uri = read_.object(value)["uri"];
    const std::string_view text = uri.text();
    buffers_.emplace_back();
    Buffer& buffer = buffers_.back();
    if (!uri) {
      buffer.bytes = chunks_.binary;
      if (buffers_.size() > 1 || chunks_.binary.empty()) buffer.missing = "are not in it";
    } else if (!text.starts_with("data:")) {
      buffer.missing = "are in another file, " + quoted(text) + "; save it as .glb";
    } else {
      constexpr std::string_view mark = ";base64,";
      const std::size_t at = text.find(mark);
      std::optional<std::string> decoded;
      if (at != text.npos) decoded = decode_base64(text.substr(at + mark.size()));
      if (!decoded) return read_.refuse(uri, "the data of this buffer is no base64");
      buffer.decoded = *std::move(decoded);
    }
  }

  std::string_view bytes_of_buffer(const Buffer& buffer) const {
    return buffer.decoded.empty() ? buffer.bytes : std::string_view(buffer.decoded);
  }

  void add_view(const JsonValue& value) {
    if (!read_.ok()) return;
    const JsonValue fields = read_.object(value);
    BufferView view;
    view.buffer = index(read_.required(fields, "buffer"), buffers_, "buffer");
    view.offset = count(fields["byteOffset"]);
    view.size = count(read_.required(fields, "byteLength"));
    view.stride = count(fields["byteStride"], 0, 252);
    view.compressed = bool(fields["extensions"]["EXT_meshopt_compression"]);
    views_.push_back(view);
  }

  void add_accessor(const JsonValue& value) {
    if (!read_.ok()) return;
    const JsonValue fields = read_.object(value);
    Accessor accessor;
    accessor.line = value.line();
    accessor.view = index(fields["bufferView"], views_, "buffer view");
    accessor.offset = count(fields["byteOffset"]);
    accessor.count = count(read_.required(fields, "count"));
    accessor.normalized = read_.boolean(fields["normalized"]);
    accessor.sparse = bool(fields["sparse"]);
    accessor.component = component(read_.required(fields, "componentType"));
    const std::string type = read_.text(read_.required(fields, "type"));
    // Others hold meshes and matrices, which are not looked at.
    accessor.width = type == "SCALAR" ? 1 : type == "VEC3" ? 3 : type == "VEC4" ? 4 : 0;
    accessors_.push_back(accessor);
  }

  Component component(const JsonValue& value) {
    constexpr std::array<std::pair<int, Component>, 6> known{{{5120, Component::int8},
                                                              {5121, Component::uint8},
                                                              {5122, Component::int16},
                                                              {5123, Component::uint16},
                                                              {5125, Component::uint32},
                                                              {5126, Component::float32}}};
    const Real wanted = read_.number(value);
    for (const auto& [number, component] : known)
      if (wanted == number) return component;
    read_.refuse(value, "unknown 'componentType'; glTF has 5120 to 5126");
    return Component::float32;
  }

  /// Nothing, with a warning or a refusal, where the numbers can't be had.
  std::vector<Real> numbers_of(const JsonValue& at, int which, std::size_t width) {
    if (which < 0 || !read_.ok()) return {};
    const Accessor& accessor = accessors_[static_cast<std::size_t>(which)];
    const auto refuse = [&](std::string what) {
      read_.refuse(accessor.line, "accessor " + std::to_string(which) + " " + std::move(what));
      return std::vector<Real>();
    };
    if (accessor.width != width)
      return refuse("should hold " + std::to_string(width) + " numbers in each element");
    if (accessor.sparse || accessor.view < 0)
      return refuse("is sparse; an animation's numbers must stand side by side");
    if (accessor.component != Component::float32 && !(accessor.normalized && width > 1))
      return refuse("should hold floats, or normalized integers for a rotation");
    const BufferView& view = views_[static_cast<std::size_t>(accessor.view)];
    const Buffer& buffer = buffers_[static_cast<std::size_t>(view.buffer)];
    if (view.compressed || !buffer.missing.empty()) {
      unread_ = view.compressed ? "are compressed" : buffer.missing;
      return {};
    }

    // All sizes are below 2^32 and a stride below 256, so none of this overflows.
    const std::string_view bytes = bytes_of_buffer(buffer);
    const std::uint64_t element = width * bytes_of(accessor.component);
    const std::uint64_t stride = view.stride > 0 ? view.stride : element;
    const std::uint64_t needed =
        accessor.count == 0 ? 0 : accessor.offset + stride * (accessor.count - 1) + element;
    if (needed > view.size || std::uint64_t{view.offset} + view.size > bytes.size())
      return refuse("reads beyond the end of its buffer");
    if ((numbers_read_ += accessor.count * width) > most_numbers) {
      read_.refuse(at, "the animations hold more numbers than fit in memory; split the file");
      return {};
    }
    std::vector<Real> numbers;
    numbers.reserve(accessor.count * width);
    const char* const start = bytes.data() + view.offset + accessor.offset;
    for (std::size_t i = 0; i < accessor.count; ++i)
      for (std::size_t k = 0; k < width; ++k)
        numbers.push_back(
            number_at(start + i * stride + k * bytes_of(accessor.component), accessor.component));
    if (!std::all_of(numbers.begin(), numbers.end(), [](Real x) { return std::abs(x) < 1e30; }))
      return refuse("holds numbers that are not finite");
    return numbers;
  }

  // --- animations ---

  struct Sampler {
    JsonValue at;
    int times = -1, values = -1;
    GltfStep step = GltfStep::linear;
  };

  Sampler sampler(const JsonValue& value) {
    const JsonValue fields = read_.object(value);
    Sampler sampler{.at = value};
    sampler.times = index(read_.required(fields, "input"), accessors_, "accessor");
    sampler.values = index(read_.required(fields, "output"), accessors_, "accessor");
    const JsonValue step = fields["interpolation"];
    const std::string wanted = step ? read_.text(step) : "LINEAR";
    if (wanted == "STEP")
      sampler.step = GltfStep::step;
    else if (wanted == "CUBICSPLINE")
      sampler.step = GltfStep::cubic;
    else if (wanted != "LINEAR")
      read_.refuse(step, "unknown interpolation " + quoted(wanted));
    return sampler;
  }

  void add_animation(const JsonValue& value) {
    if (!read_.ok()) return;
    const JsonValue fields = read_.object(value);
    GltfAnimation animation;
    animation.name = read_.text(fields["name"]);
    std::vector<Sampler> samplers;
    for (const JsonValue one : read_.array(read_.required(fields, "samplers")))
      samplers.push_back(sampler(one));
    unread_.clear();
    for (const JsonValue one : read_.array(read_.required(fields, "channels"))) {
      if (!read_.ok()) return;
      add_track(one, samplers, animation);
    }
    if (unread_.empty())
      gltf_.animations.push_back(std::move(animation));
    else
      gltf_.warnings.push_back("the numbers of animation " + quoted(animation.name) + " " +
                               unread_ + ": it is left out");
  }

  void add_track(const JsonValue& value, const std::vector<Sampler>& samplers,
                 GltfAnimation& animation) {
    const JsonValue fields = read_.object(value);
    const int which = index(read_.required(fields, "sampler"), samplers, "sampler");
    const JsonValue target = read_.object(read_.required(fields, "target"));
    const int node = index(target["node"], gltf_.nodes, "node");
    const std::optional<GltfPath> path = path_of(read_.required(target, "path"));
    if (which < 0 || node < 0 || !path) return;  // refused, or the target of an extension
    const Sampler& sampler = samplers[static_cast<std::size_t>(which)];
    GltfTrack track{.node = node, .path = *path, .step = sampler.step, .times = {}, .values = {}};
    if (*path != GltfPath::weights) {
      const std::size_t width = *path == GltfPath::rotation ? 4 : 3;
      track.times = numbers_of(value, sampler.times, 1);
      track.values = numbers_of(value, sampler.values, width);
      if (!read_.ok() || !unread_.empty()) return;
      check_track(sampler.at, track, width);
    }
    animation.tracks.push_back(std::move(track));
  }

  std::optional<GltfPath> path_of(const JsonValue& value) {
    const std::string_view wanted = value.text();
    if (wanted == "translation") return GltfPath::translation;
    if (wanted == "rotation") return GltfPath::rotation;
    if (wanted == "scale") return GltfPath::scale;
    if (wanted == "weights") return GltfPath::weights;
    if (wanted != "pointer")  // of an extension, KHR_animation_pointer
      read_.refuse(value, "unknown path " + quoted(wanted));
    return std::nullopt;
  }

  void check_track(const JsonValue& at, const GltfTrack& track, std::size_t width) {
    const std::size_t each = width * (track.step == GltfStep::cubic ? 3 : 1);
    if (track.times.empty()) return read_.refuse(at, "a sampler has no keys");
    if (track.values.size() != each * track.times.size())
      return read_.refuse(at, "a sampler has " + std::to_string(track.times.size()) +
                                  " times, but values for " +
                                  std::to_string(track.values.size() / each));
    if (std::adjacent_find(track.times.begin(), track.times.end(), std::greater_equal<>()) !=
        track.times.end())
      return read_.refuse(at, "the times of a sampler do not grow");
  }

  Chunks chunks_;
  std::string_view file_;
  JsonReader read_;
  GltfFile gltf_;
  std::vector<JsonValue> children_;
  std::vector<bool> is_joint_;
  std::vector<Buffer> buffers_;
  std::vector<BufferView> views_;
  std::vector<Accessor> accessors_;
  std::size_t numbers_read_ = 0;
  std::string unread_;  ///< why the numbers of an animation could not be had, if so
};

}  // namespace

Result<GltfFile> parse_gltf(std::string_view bytes, std::string_view file) {
  const Result<Chunks> chunks = chunks_of(bytes, file);
  if (!chunks) return chunks.error();
  // A part of a .glb may be filled up with blanks.
  const Result<JsonTree> tree = parse_json(trimmed(chunks->json), file);
  if (!tree) return tree.error();
  return GltfParser(*chunks, file).parse(tree->root());
}

}  // namespace gestik
