#include "gestik/io/obj.h"

#include <gtest/gtest.h>

#include "gestik/collide/bodies_for_test.h"

namespace gestik {
namespace {

const std::string tetrahedron = R"(# a corner of a cube
mtllib stone.mtl
o corner
v 0 0 0
v 1 0 0 1.0
v 0 1 0 0.5 0.5 0.5
v 0 0 +1e0
vt 0 0
vn 0 0 1
usemtl stone
s off
f 1 3 2
f 1/1 2/1/1 4//1
f -4 -1 \
  -2
f 2 3 4
)";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

std::string complaint(const std::string& text) {
  const Result<LoadedMesh> loaded = read_obj(text, "a.obj");
  return loaded ? "" : to_string(loaded.error());
}

TEST(Obj, reads_vertices_and_faces) {
  const Result<LoadedMesh> loaded = read_obj(tetrahedron, "a.obj");
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  EXPECT_TRUE(loaded->warnings.empty());
  const Mesh& mesh = loaded->mesh;
  ASSERT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.vertices[3], Vec3(0, 0, 1));
  const std::vector<std::array<int, 3>> wanted{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  EXPECT_EQ(mesh.triangles, wanted);
  EXPECT_TRUE(is_closed(mesh));
  EXPECT_NEAR(signed_volume(mesh), 1.0 / 6, 1e-15);
}

TEST(Obj, reads_windows_lines_and_cuts_polygons_into_fans) {
  const Result<LoadedMesh> loaded =
      read_obj("\xEF\xBB\xBFv 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0\r\nf 1 2 3 4\r\n", "a.obj");
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  const std::vector<std::array<int, 3>> wanted{{0, 1, 2}, {0, 2, 3}};
  EXPECT_EQ(loaded->mesh.triangles, wanted);
}

TEST(Obj, says_what_it_passes_over) {
  const Result<LoadedMesh> loaded = read_obj(tetrahedron + "l 1 2\nl 2 3\ncurv 1\n", "a.obj");
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->warnings.size(), 2u);
  EXPECT_EQ(loaded->warnings[0],
            "a.obj:17: lines with 'l' are passed over: only vertices and faces are read");
}

TEST(Obj, refuses_bad_files_with_the_line) {
  const auto changed = [](std::string_view from, std::string_view to) {
    return complaint(replaced(tetrahedron, from, to));
  };
  EXPECT_EQ(changed("v 1 0 0 1.0", "v 1 nan 0"), "a.obj:5: 'nan' is not a number of at most 1e9");
  EXPECT_EQ(changed("v 1 0 0 1.0", "v 1 inf 0"), "a.obj:5: 'inf' is not a number of at most 1e9");
  EXPECT_EQ(changed("v 1 0 0 1.0", "v 1 2e9 0"), "a.obj:5: '2e9' is not a number of at most 1e9");
  EXPECT_EQ(changed("v 1 0 0 1.0", "v 1 x 0"), "a.obj:5: 'x' is not a number of at most 1e9");
  EXPECT_EQ(changed("v 1 0 0 1.0", "v 1 0"), "a.obj:5: a vertex needs three numbers, x y z");
  EXPECT_EQ(changed("f 2 3 4", "f 2 3"), "a.obj:16: a face needs at least three corners");
  EXPECT_EQ(changed("f 2 3 4", "f 2 3 5"), "a.obj:16: there is no vertex 5; the file has 4");
  EXPECT_EQ(changed("f 2 3 4", "f 2 3 2147483647"),
            "a.obj:16: there is no vertex 2147483647; the file has 4");
  for (const char* bad : {"0", "x", "1.5", "/1", "99999999999", "-99999999999"})
    EXPECT_EQ(changed("f 2 3 4", std::string("f 2 3 ") + bad),
              "a.obj:16: '" + std::string(bad) +
                  "' is no corner; corners are numbers of vertices from 1 on");
  EXPECT_EQ(changed("f 2 3 4", "f 2 3 -5"),
            "a.obj:16: vertex -5 counts back beyond the first of the 4 so far");
  EXPECT_EQ(changed("f 2 3 4", "f 2 3 3"),
            "a.obj:16: a triangle of this face: two of its corners are the same vertex");
  EXPECT_EQ(changed("v 0 1 0 0.5 0.5 0.5", "v 2 0 0"),
            "a.obj:12: a triangle of this face: its area is zero; remove it");
  EXPECT_EQ(complaint(""), "a.obj: there is no face in it; a mesh needs lines such as `f 1 2 3`");
  EXPECT_EQ(complaint("v 0 0 0\n"),
            "a.obj: there is no face in it; a mesh needs lines such as `f 1 2 3`");
  EXPECT_NE(complaint(std::string("v 0 0\0 0\n", 9)), "");
}

TEST(Obj, says_that_a_mesh_is_inside_out) {
  std::string text = tetrahedron;
  for (const auto& [from, to] :
       {std::pair{"f 1 3 2", "f 1 2 3"}, std::pair{"f 1/1 2/1/1 4//1", "f 1 4 2"},
        std::pair{"f -4 -1 \\\n  -2", "f 1 3 4"}, std::pair{"f 2 3 4", "f 2 4 3"}})
    text = replaced(text, from, to);
  EXPECT_EQ(complaint(text),
            "a.obj: the mesh is inside out: turn the order of every triangle's corners round");
}

TEST(Obj, files_are_known_by_their_ending) {
  EXPECT_EQ(to_string(read_mesh_file("body.stl").error()),
            "body.stl: unknown kind of file; a mesh's file ends in .obj");
  EXPECT_EQ(to_string(read_mesh_file("not_there.OBJ").error()),
            "not_there.OBJ: there is no such file; check the path");
}

}  // namespace
}  // namespace gestik
