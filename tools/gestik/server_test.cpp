#include "tools/gestik/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "gestik/io/gestik_json.h"
#include "tools/gestik/studio_answers.h"

namespace gestik::tool {
namespace {

const std::array<Asset, 3> assets{{{"index.html", "<p>the page", "", ""},
                                   {"studio.js", "plain", "gzipped", "brotlied"},
                                   {"gestik.wasm", std::string_view("\0asm", 4), "", ""}}};

/// A client that knows nothing of HTTP but what a test says.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(port);
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{10, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&there), sizeof there) == 0;
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }

  void say(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;  // it hung up: what it said before is what counts
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  /// Until the server hangs up.
  std::string hear() {
    std::string heard;
    std::array<char, 4096> chunk;
    for (ssize_t got; (got = ::recv(socket_, chunk.data(), chunk.size(), 0)) > 0;)
      heard.append(chunk.data(), static_cast<std::size_t>(got));
    return heard;
  }

 private:
  int socket_;
  bool connected_ = false;
};

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    EXPECT_EQ(server_.listen(0), std::nullopt);
    thread_ = std::thread([this] { server_.run(); });
  }
  ~ServerTest() override {
    server_.stop();
    thread_.join();
    std::filesystem::remove_all(folder_);
  }

  std::string host() const { return "127.0.0.1:" + std::to_string(server_.port()); }

  /// A whole request of the page's own, and the whole answer.
  std::string ask(const std::string& line, const std::string& headers = "",
                  const std::string& body = "") {
    return raw(line + " HTTP/1.1\r\nHost: " + host() + "\r\nConnection: close\r\n" + headers +
               (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") +
               "\r\n" + body);
  }

  std::string raw(const std::string& bytes) {
    Client client(server_.port());
    EXPECT_TRUE(client.connected());
    client.say(bytes);
    return client.hear();
  }

  static int status_of(const std::string& answer) {
    return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
  }
  static std::string body_of(const std::string& answer) {
    const std::size_t at = answer.find("\r\n\r\n");
    return at == answer.npos ? "" : answer.substr(at + 4);
  }

  void expect_alive() { EXPECT_EQ(body_of(ask("GET /")), "<p>the page"); }

  const std::filesystem::path folder_ = [] {
    std::string name = (std::filesystem::temp_directory_path() / "gestik_server_XXXXXX").string();
    return std::filesystem::path(mkdtemp(name.data()));
  }();
  Studio studio_{.character = "lamp"};
  Server server_{assets,
                 [this](const Asked& asked) { return answer_for(studio_, asked); },
                 {.header = 4096, .body = 1 << 20, .seconds = 0.5, .connections = 8}};
  std::thread thread_;
};

std::string bundled_lamp() {
  return *write_gestik_json(bundled_character("lamp")->character);
}

TEST_F(ServerTest, GivesOutThePageWithItsTypes) {
  const std::string page = ask("GET /");
  EXPECT_EQ(status_of(page), 200);
  EXPECT_NE(page.find("Content-Type: text/html; charset=utf-8"), page.npos);
  EXPECT_NE(page.find("Content-Security-Policy: default-src 'none'; script-src 'self'"), page.npos);
  EXPECT_NE(page.find("X-Content-Type-Options: nosniff"), page.npos);
  EXPECT_EQ(body_of(page), "<p>the page");
  EXPECT_EQ(body_of(ask("GET /index.html?x=1")), "<p>the page");
  EXPECT_NE(ask("GET /gestik.wasm").find("Content-Type: application/wasm"), std::string::npos);
  EXPECT_EQ(body_of(ask("GET /gestik.wasm")), std::string("\0asm", 4));
  EXPECT_NE(ask("GET /studio.js").find("text/javascript"), std::string::npos);
}

TEST_F(ServerTest, CompressesForWhoUnderstandsIt) {
  EXPECT_EQ(body_of(ask("GET /studio.js")), "plain");
  EXPECT_EQ(body_of(ask("GET /studio.js", "Accept-Encoding: deflate, gzip\r\n")), "gzipped");
  EXPECT_EQ(body_of(ask("GET /studio.js", "Accept-Encoding: gzip;q=1, br;q=0.9\r\n")), "brotlied");
  EXPECT_EQ(body_of(ask("GET /studio.js", "Accept-Encoding: gzip;q=0\r\n")), "plain");
  EXPECT_EQ(body_of(ask("GET /", "Accept-Encoding: gzip\r\n")), "<p>the page");
}

TEST_F(ServerTest, HeadBringsTheHeaderAlone) {
  const std::string answer = ask("HEAD /studio.js");
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_NE(answer.find("Content-Length: 5"), answer.npos);
  EXPECT_EQ(body_of(answer), "");
}

TEST_F(ServerTest, GivesOutNothingElse) {
  for (const std::string path :
       {"/../server.h", "/../../../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/etc/passwd",
        "//etc/passwd", "/index.html/", "/index.html%00", "/studio.js.gz", "/.", "/convert/x",
        "/\\..\\x", "/etc/passwd"})
    EXPECT_EQ(status_of(ask("GET " + path)), 404) << path;
  EXPECT_EQ(status_of(ask("GET etc/passwd")), 400);
  EXPECT_EQ(status_of(ask("GET http://evil.example/")), 400);
  EXPECT_EQ(status_of(ask("DELETE /index.html")), 405);
  EXPECT_EQ(status_of(ask("POST /index.html", "", "x")), 405);
  EXPECT_EQ(status_of(ask("GET /save")), 405);
  expect_alive();
}

TEST_F(ServerTest, TurnsForeignersAway) {
  const std::string lamp = bundled_lamp();
  const auto with_host = [&](const std::string& header) {
    return status_of(raw("GET / HTTP/1.1\r\n" + header + "Connection: close\r\n\r\n"));
  };
  EXPECT_EQ(with_host("Host: evil.example\r\n"), 403);
  EXPECT_EQ(with_host("Host: 127.0.0.1:1\r\n"), 403);
  EXPECT_EQ(with_host("Host: 127.0.0.1\r\n"), 403);
  EXPECT_EQ(with_host(""), 403);
  EXPECT_EQ(with_host("Host: " + host() + "\r\nHost: evil.example\r\n"), 403);
  EXPECT_EQ(with_host("Host: localhost:" + std::to_string(server_.port()) + "\r\n"), 200);

  EXPECT_EQ(status_of(ask("POST /convert?name=a.json", "Origin: http://evil.example\r\n", lamp)),
            403);
  EXPECT_EQ(status_of(ask("POST /convert?name=a.json", "Origin: null\r\n", lamp)), 403);
  EXPECT_EQ(status_of(ask("POST /convert?name=a.json", "Origin: https://" + host() + "\r\n", lamp)),
            403);
  EXPECT_EQ(status_of(ask("POST /convert?name=a.json", "Origin: http://" + host() + "\r\n", lamp)),
            200);
  EXPECT_EQ(status_of(ask("GET /info", "Sec-Fetch-Site: cross-site\r\n")), 403);
  EXPECT_EQ(status_of(ask("GET /", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n")),
            200);
  expect_alive();
}

TEST_F(ServerTest, RefusesWhatIsTooLarge) {
  EXPECT_EQ(status_of(ask("POST /convert?name=a.json", "", std::string((1 << 20) + 1, 'x'))), 413);
  EXPECT_EQ(status_of(raw("POST /convert HTTP/1.1\r\nHost: " + host() +
                          "\r\nContent-Length: 99999999999999\r\n\r\n")),
            413);
  EXPECT_EQ(status_of(ask("GET /", "X: " + std::string(5000, 'x') + "\r\n")), 431);
  EXPECT_EQ(status_of(ask("GET /" + std::string(5000, 'x'))), 431);
  expect_alive();
}

TEST_F(ServerTest, LivesOnAfterRubbishAndHalfRequests) {
  EXPECT_EQ(status_of(raw("rubbish\r\n\r\n")), 400);
  EXPECT_EQ(status_of(raw(std::string("\x16\x03\x01\x02\0\x01\0\x01\xfc\r\n\r\n", 13))), 400);
  EXPECT_EQ(status_of(raw("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n")), 400);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(status_of(raw("GET / HTTP/1.1\r\nHos")), 408);
  EXPECT_EQ(status_of(raw("POST /convert HTTP/1.1\r\nContent-Length: 9\r\n\r\nab")), 408);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  { Client gone(server_.port()); }  // not a word
  expect_alive();
}

TEST_F(ServerTest, ManyWhoSayNothingDoNotBlockItForLong) {
  std::vector<std::unique_ptr<Client>> silent;
  for (int i = 0; i < 20; ++i) silent.push_back(std::make_unique<Client>(server_.port()));
  std::this_thread::sleep_for(std::chrono::milliseconds(800));
  expect_alive();
}

TEST_F(ServerTest, OneConnectionTakesManyRequests) {
  Client client(server_.port());
  const std::string get = "GET /studio.js HTTP/1.1\r\nHost: " + host() + "\r\n";
  client.say(get + "\r\n" + get + "\r\n" + get + "Connection: close\r\n\r\n");
  const std::string heard = client.hear();
  std::size_t count = 0;
  for (std::size_t at = 0; (at = heard.find("\r\n\r\nplain", at)) != heard.npos; ++at) ++count;
  EXPECT_EQ(count, 3U);
}

TEST_F(ServerTest, TellsWhatToShow) {
  const auto info = nlohmann::json::parse(body_of(ask("GET /info")));
  EXPECT_EQ(info, (nlohmann::json{{"character", "lamp"}}));
}

TEST_F(ServerTest, ConvertsEveryKindOfFile) {
  const std::string urdf =
      R"(<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>)";
  const std::string bvh =
      "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n"
      "{\nOFFSET 0 1 0\n}\n}\n";
  const std::string gltf =
      R"({"asset": {"version": "2.0"}, "nodes": [{"name": "n"}], "skins": [{"joints": [0]}]})";
  for (const auto& [name, text, joints] :
       {std::tuple{"robot.urdf", urdf, 2}, std::tuple{"walk%20on.BVH", bvh, 1},
        std::tuple{"..%2f..%2fa.gltf", gltf, 1}, std::tuple{"lamp.json", bundled_lamp(), 5}}) {
    const std::string answer = ask(std::string("POST /convert?name=") + name, "", text);
    EXPECT_EQ(status_of(answer), 200) << answer;
    const Result<Loaded> loaded = read_gestik_json(body_of(answer), "answer.json");
    ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
    EXPECT_EQ(loaded->character.skeleton.joint_count(), joints);
  }
}

TEST_F(ServerTest, SaysWhyAFileIsNoCharacter) {
  const std::string picture = ask("POST /convert?name=cat.png", "", "PNG");
  EXPECT_EQ(status_of(picture), 422);
  EXPECT_EQ(body_of(picture),
            "cat.png: unknown kind of file; a character's file ends in .json, .urdf, .bvh, .glb or "
            ".gltf");
  const std::string broken = ask("POST /convert?name=a.urdf", "", "<robot");
  EXPECT_EQ(status_of(broken), 422);
  EXPECT_NE(broken.find("a.urdf:1"), broken.npos) << broken;
  EXPECT_EQ(status_of(ask("POST /convert", "", "x")), 422);
  expect_alive();
}

TEST_F(ServerTest, SavesOnlyWhereItWasTold) {
  const std::string lamp = bundled_lamp();
  const std::string refused = ask("POST /save?name=/tmp/x.json", "", lamp);
  EXPECT_EQ(status_of(refused), 403);
  EXPECT_NE(refused.find("--save FILE"), refused.npos);

  const std::filesystem::path file = folder_ / "mine.json";
  studio_.save_to = file.string();
  EXPECT_EQ(status_of(ask("POST /save?name=other.json", "", "rubbish")), 422);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(status_of(ask("POST /save?name=other.json", "", lamp)), 200);
  std::ostringstream saved;
  saved << std::ifstream(file).rdbuf();
  EXPECT_EQ(saved.str(), lamp);
  const auto info = nlohmann::json::parse(body_of(ask("GET /info")));
  EXPECT_EQ(info["file"], lamp);
  EXPECT_EQ(info["save"], file.string());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST(ServerPort, SaysSoWhenItIsTaken) {
  Server first(assets, {}), second(assets, {});
  ASSERT_EQ(first.listen(0), std::nullopt);
  EXPECT_NE(second.listen(first.port()), std::nullopt);
  EXPECT_EQ(second.listen(0), std::nullopt);
  EXPECT_NE(first.port(), second.port());
}

}  // namespace
}  // namespace gestik::tool
