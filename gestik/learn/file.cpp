#include "gestik/learn/file.h"

#include <bit>
#include <cstring>

namespace gestik::learn {
namespace {

constexpr std::string_view magic = "gestik learnt\n";
constexpr std::uint32_t version = 1;

class Writer {
 public:
  template <class T>
  void put(T value) {
    using Bits =
        std::conditional_t<sizeof(T) == 8, std::uint64_t,
                           std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint8_t>>;
    const Bits bits = std::bit_cast<Bits>(value);
    for (std::size_t k = 0; k < sizeof(T); ++k)
      bytes_ += static_cast<char>(static_cast<std::uint8_t>(bits >> (8 * k)));
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  void put_place(const Vec3& place) {
    for (int k = 0; k < 3; ++k) put(place[k]);
  }
  void put_magic() { bytes_ += magic; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Once something is missing, everything after it reads as zero and `failed` stays.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  template <class T>
  T get() {
    using Bits =
        std::conditional_t<sizeof(T) == 8, std::uint64_t,
                           std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint8_t>>;
    if (!has(sizeof(T))) return T{};
    Bits bits = 0;
    for (std::size_t k = 0; k < sizeof(T); ++k)
      bits |= static_cast<Bits>(static_cast<Bits>(static_cast<std::uint8_t>(left_[k])) << (8 * k));
    left_.remove_prefix(sizeof(T));
    return std::bit_cast<T>(bits);
  }
  std::string get_text() {
    const auto size = get<std::uint32_t>();
    if (!has(size)) return {};
    const std::string text(left_.substr(0, size));
    left_.remove_prefix(size);
    return text;
  }
  Vec3 get_place() {
    const Real x = get<Real>(), y = get<Real>(), z = get<Real>();
    return {x, y, z};
  }
  /// Whether so many bytes are left; if not, reading has failed.
  bool has(std::uint64_t bytes) {
    if (bytes <= left_.size()) return true;
    failed_ = true;
    left_ = {};
    return false;
  }
  bool failed() const { return failed_; }
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
  bool failed_ = false;
};

Error fault(std::string what, std::string_view file) {
  return Error{std::move(what), std::string(file)};
}

JointDraft read_joint(Reader& reader, const std::string& parent) {
  JointDraft joint;
  joint.name = reader.get_text();
  joint.parent = parent;
  joint.type = static_cast<JointType>(reader.get<std::uint8_t>());
  const Vec3 place = reader.get_place();
  const Real w = reader.get<Real>();
  const Vec3 turn = reader.get_place();
  joint.parent_from_joint = {Quat(w, turn.x(), turn.y(), turn.z()), place};
  joint.axis = reader.get_place();
  joint.limits.lo = reader.get<Real>();
  joint.limits.hi = reader.get<Real>();
  joint.limits.swing_x = reader.get<Real>();
  joint.limits.swing_y = reader.get<Real>();
  return joint;
}

Result<Chain> read_chain(Reader& reader, std::string_view file) {
  const auto count = reader.get<std::uint32_t>();
  if (count == 0 || count > static_cast<std::uint32_t>(most_joints))
    return fault("the chain has " + std::to_string(count) + " joints, not 1 to " +
                     std::to_string(most_joints),
                 file);
  SkeletonDraft draft;
  for (std::uint32_t j = 0; j < count && !reader.failed(); ++j) {
    draft.joints.push_back(read_joint(reader, j == 0 ? "" : draft.joints.back().name));
    if (draft.joints.back().type > JointType::ball)
      return fault("joint '" + draft.joints.back().name + "' is of a type that is not known here",
                   file);
  }
  const Vec3 point = reader.get_place();
  if (reader.failed()) return fault("the file ends too early", file);
  Result<Skeleton> built = build(draft);
  if (!built) return fault(to_string(built.error()), file);
  if (built->v_size() == 0) return fault("nothing in the chain moves", file);
  if (!(point.cwiseAbs().maxCoeff() <= largest_number))
    return fault("the place of the chain's end is not a number", file);
  return Chain{*std::move(built), point};
}

Result<Take> read_take(Reader& reader, std::size_t width, std::string_view file) {
  Take take;
  take.style = reader.get_text();
  take.rate = reader.get<Real>();
  const auto frames = reader.get<std::uint32_t>();
  if (frames > most_frames || !reader.has(std::uint64_t{frames} * width * sizeof(float)) ||
      reader.failed())
    return fault("the file ends too early", file);
  take.q.reserve(frames * width);
  for (std::size_t i = 0; i < frames * width; ++i) take.q.push_back(Real(reader.get<float>()));
  return take;
}

}  // namespace

std::string write_model(const Model& model) {
  Writer out;
  out.put_magic();
  out.put(version);
  out.put(static_cast<std::uint32_t>(model.growth.split));
  out.put(static_cast<std::uint32_t>(model.growth.levels));
  out.put(model.growth.slack);
  const SkeletonDraft draft = draft_of(model.chain.skeleton);
  out.put(static_cast<std::uint32_t>(draft.joints.size()));
  for (const JointDraft& joint : draft.joints) {
    out.put_text(joint.name);
    out.put(static_cast<std::uint8_t>(joint.type));
    out.put_place(joint.parent_from_joint.p);
    out.put(joint.parent_from_joint.q.w());
    out.put_place(joint.parent_from_joint.q.vec());
    out.put_place(joint.axis);
    for (const Real limit :
         {joint.limits.lo, joint.limits.hi, joint.limits.swing_x, joint.limits.swing_y})
      out.put(limit);
  }
  out.put_place(model.chain.point);
  std::uint32_t takes = 0;
  for (const Style& style : model.styles) takes += static_cast<std::uint32_t>(style.runs.size());
  out.put(takes);
  const auto width = static_cast<std::size_t>(model.chain.skeleton.q_size());
  for (const Style& style : model.styles)
    for (const Style::Run& run : style.runs) {
      out.put_text(style.name);
      out.put(run.rate);
      out.put(run.count);
      for (std::size_t i = 0; i < run.count * width; ++i) out.put(style.q[run.first * width + i]);
    }
  return out.take();
}

Result<Model> read_model(std::string_view bytes, std::string_view file) {
  if (!bytes.starts_with(magic)) return fault("this is not a file that `gestik learn` wrote", file);
  Reader reader(bytes.substr(magic.size()));
  const auto found = reader.get<std::uint32_t>();
  if (found != version)
    return fault("it is of version " + std::to_string(found) + "; this program reads version " +
                     std::to_string(version),
                 file);
  Growth growth;
  growth.split = reader.get<std::int32_t>();
  growth.levels = reader.get<std::int32_t>();
  growth.slack = reader.get<Real>();
  Result<Chain> chain = read_chain(reader, file);
  if (!chain) return chain.error();
  const auto count = reader.get<std::uint32_t>();
  std::vector<Take> takes;
  for (std::uint32_t t = 0; t < count; ++t) {
    Result<Take> take = read_take(reader, static_cast<std::size_t>(chain->skeleton.q_size()), file);
    if (!take) return take.error();
    takes.push_back(*std::move(take));
  }
  if (reader.failed()) return fault("the file ends too early", file);
  if (!reader.at_end()) return fault("there is more in it than it should hold", file);
  Result<Model> model = learn(*std::move(chain), takes, growth);
  if (!model) return fault(to_string(model.error()), file);
  return model;
}

}  // namespace gestik::learn
