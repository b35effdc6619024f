#include "evaluation/solvers.h"

#include <gtest/gtest.h>

namespace gestik::evaluation {
namespace {

Skeleton one_joint(JointType type) {
  return *build({{{.name = "joint", .type = type}}});
}

TEST(Solvers, AreFoundOnceEachAndVariantsFirst) {
  LineSearch fixed;
  fixed.fixed_step = 0.5;
  const NamedSolver variants[] = {{"slow", fixed}};
  const std::string names[] = {"slow", "ccd", "slow"};
  const Result<std::vector<NamedSolver>> found = find_solvers(names, variants);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ(std::get<LineSearch>((*found)[0].solver).fixed_step, 0.5);
  EXPECT_EQ(info_of((*found)[1].solver).name, "ccd");
}

TEST(Solvers, UnknownNamesAreRefusedWithASuggestion) {
  const NamedSolver variants[] = {{"slow", LineSearch{}}};
  const std::string names[] = {"ccd", "slwo"};
  const Result<std::vector<NamedSolver>> found = find_solvers(names, variants);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().what.find("did you mean 'slow'?"), std::string::npos);
}

TEST(Solvers, AreChosenByWhatTheyCanDo) {
  const std::vector<std::string> aim_only =
      solvers_that([](const SolverInfo& info) { return !info.reach; });
  EXPECT_NE(std::find(aim_only.begin(), aim_only.end(), "erik"), aim_only.end());
  EXPECT_EQ(std::find(aim_only.begin(), aim_only.end(), "ccd"), aim_only.end());
  for (const JointType type : {JointType::slider, JointType::ball}) {
    EXPECT_FALSE(moves_joints_of(Erik::info, one_joint(type)));
    EXPECT_TRUE(moves_joints_of(Ccd::info, one_joint(type)));
  }
  EXPECT_TRUE(moves_joints_of(Erik::info, one_joint(JointType::hinge)));
  EXPECT_TRUE(moves_joints_of(Erik::info, one_joint(JointType::fixed)));
}

}  // namespace
}  // namespace gestik::evaluation
