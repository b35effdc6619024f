#include "gestik/io/behaviour_json.h"

#include <gtest/gtest.h>

#include "gestik/io/read.h"
#include "gestik/math/random_for_test.h"

namespace gestik {
namespace {

const Skeleton& humanoid() {
  static const Loaded loaded = *bundled_character("humanoid");
  return loaded.character.skeleton;
}

std::string example_of_the_document() {
  const std::string page = *read_file(GESTIK_SOURCE_DIR "/docs/FORMAT.md");
  const std::string_view open = "```json\n", close = "```";
  const auto from = page.find(open, page.find("## Behaviours")) + open.size();
  return page.substr(from, page.find(close, from) - from);
}

BehaviourDraft must_read(const std::string& text) {
  Result<BehaviourDraft> draft = read_behaviour_json(text, "test.json", humanoid());
  if (!draft) throw std::runtime_error(to_string(draft.error()));
  return *std::move(draft);
}

std::string must_write(const BehaviourDraft& draft) {
  Result<std::string> text = write_behaviour_json(draft, humanoid());
  if (!text) throw std::runtime_error(to_string(text.error()));
  return *std::move(text);
}

std::string complaint(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  const auto draft =
      read_behaviour_json(text.replace(at, from.size(), to), "test.json", humanoid());
  return draft ? "" : to_string(draft.error());
}

TEST(BehaviourJson, reads_the_example_of_the_document) {
  const BehaviourDraft draft = must_read(example_of_the_document());
  EXPECT_EQ(draft.name, "bow");
  EXPECT_EQ(draft.fullness, 0.9);
  EXPECT_EQ(draft.feet, (std::vector<std::string>{"left_foot", "right_foot"}));
  ASSERT_EQ(draft.arms.size(), 1u);
  const ArmDraft& arm = draft.arms[0];
  EXPECT_EQ(arm.hand, "right_hand");
  EXPECT_EQ(arm.weight, 2);
  EXPECT_EQ(arm.joints, std::vector<std::string>{"spine"});
  ASSERT_EQ(arm.keys.size(), 2u);
  EXPECT_EQ(arm.keys[1].swing, Vec2(1.1, 0));
  EXPECT_NEAR(arm.keys[0].q[0], 1 / std::sqrt(1.0025), 1e-15) << "normalised";
  EXPECT_EQ(arm.keys[1].root.p, Vec3(0, -0.06, 0));
  EXPECT_EQ(arm.keys[0].swivel->hi, pi);
  EXPECT_EQ(arm.keys[1].swivel->lo, -1);
}

TEST(BehaviourJson, writes_what_it_read) {
  std::vector<std::string> texts{example_of_the_document()};
  for (const std::string_view name : bundled_behaviour_names())
    texts.push_back(must_write(*bundled_behaviour(name, humanoid())));
  for (const std::string& text : texts) {
    const BehaviourDraft draft = must_read(text);
    const std::string written = must_write(draft);
    const BehaviourDraft again = must_read(written);
    EXPECT_EQ(must_write(again), written);
    ASSERT_EQ(again.arms.size(), draft.arms.size());
    for (std::size_t a = 0; a < draft.arms.size(); ++a) {
      ASSERT_EQ(again.arms[a].keys.size(), draft.arms[a].keys.size());
      EXPECT_EQ(again.arms[a].joints, draft.arms[a].joints);
      for (std::size_t k = 0; k < draft.arms[a].keys.size(); ++k) {
        const KeyPosture &x = again.arms[a].keys[k], &y = draft.arms[a].keys[k];
        EXPECT_TRUE(same_bits(x.q, y.q));
        EXPECT_TRUE(same_bits(x.root, y.root));
        EXPECT_EQ(x.swing, y.swing);
        EXPECT_EQ(x.swivel->preferred, y.swivel->preferred);
      }
    }
  }
}

TEST(BehaviourJson, refuses_bad_files_with_the_line) {
  const std::string text = example_of_the_document();
  EXPECT_EQ(complaint(text, R"("fullness")", R"("fulness")"),
            "test.json:4: unknown field 'fulness'; did you mean 'fullness'?");
  EXPECT_NE(complaint(text, R"("gestik": 1)", R"("gestik": 2)").find("version"), std::string::npos);
  EXPECT_NE(complaint(text, R"({"spine": [1, 0.2, 0, 0]})", "{}")
                .find("test.json:12: the first key names the joint 'spine', this one does not"),
            std::string::npos);
  EXPECT_NE(complaint(text, R"({"spine": [1, 0.2, 0, 0]})",
                      R"({"spine": [1, 0.2, 0, 0], "chest": [1, 0, 0, 0]})")
                .find("test.json:12: the first key does not name the joint 'chest'"),
            std::string::npos);
  EXPECT_NE(complaint(text, R"({"spine": [1, 0.05, 0, 0]})", R"({"spin": [1, 0.05, 0, 0]})")
                .find("did you mean 'spine'"),
            std::string::npos);
  EXPECT_NE(complaint(text, R"({"spine": [1, 0.05, 0, 0]})", R"({"pelvis": 1})").find("is fixed"),
            std::string::npos);
  EXPECT_NE(complaint(text, "[1, 0.05, 0, 0]", "[1, 0.05, 0]"), "");
  EXPECT_NE(complaint(text, "[1, 0.05, 0, 0]", "[0, 0, 0, 0]"), "");
  EXPECT_NE(complaint(text, "[-0.2, 0.7]", "[-0.2]"), "");
  EXPECT_NE(complaint(text, R"("preferred": 0.1)", R"("lo": 0.1)").find("preferred"),
            std::string::npos);
}

TEST(BehaviourJson, writes_nothing_that_is_not_json) {
  BehaviourDraft draft = must_read(example_of_the_document());
  const auto refuses = [&](auto spoil) {
    BehaviourDraft spoilt = draft;
    spoil(spoilt);
    return !write_behaviour_json(spoilt, humanoid()).ok();
  };
  EXPECT_TRUE(refuses([](BehaviourDraft& d) { d.fullness = infinity; }));
  EXPECT_TRUE(refuses([](BehaviourDraft& d) { d.arms[0].keys[0].q.pop_back(); }));
  EXPECT_TRUE(refuses([](BehaviourDraft& d) { d.arms[0].keys[0].q.push_back(1); }));
  EXPECT_TRUE(refuses([](BehaviourDraft& d) { d.arms[0].joints[0] = "tail"; }));
  EXPECT_TRUE(refuses([](BehaviourDraft& d) { d.name = "\xff"; }));
}

TEST(BehaviourJson, bundled_ones_are_found_by_name) {
  const std::vector<std::string_view> names = bundled_behaviour_names();
  for (const char* name : {"normal", "tired", "expansive"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  EXPECT_NE(to_string(bundled_behaviour("tierd", humanoid()).error()).find("did you mean 'tired'"),
            std::string::npos);
}

}  // namespace
}  // namespace gestik
