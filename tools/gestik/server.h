#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// A small web server for one page on this machine. It listens on 127.0.0.1 and nowhere else, gives
/// out the assets it was given, and hands what is asked besides to one function. It looks at no
/// file.
///
/// Others on the network can't reach it, but pages of other sites in the user's browser could try:
/// whoever does not call it by its own address (Host), or comes from another site (Origin,
/// Sec-Fetch-Site), is turned away. Requests are limited in size and time, connections in number.
namespace gestik::tool {

/// A file of the page: whole, and compressed where that was done.
struct Asset {
  std::string_view name;  ///< "index.html", which "/" gives too
  std::string_view plain, gzip, brotli;
};

struct Asked {
  bool posts = false;  ///< else it gets
  std::string path;    ///< "/convert"
  std::string name;    ///< of "?name=...", decoded
  std::string body;
};

struct Reply {
  int status = 200;
  std::string_view type = "text/plain; charset=utf-8";
  std::string body;
};

struct ServerLimits {
  std::size_t header = 16 << 10, body = 32 << 20;  ///< bytes
  double seconds = 20;  ///< for a whole request, and for the pause between two
  int connections = 64;
};

class Server {
 public:
  /// `answer` gets what is no asset, one at a time; nothing: there is no such place.
  using Answer = std::function<std::optional<Reply>(const Asked&)>;

  Server(std::span<const Asset>, Answer, const ServerLimits& = {});
  ~Server();

  /// Takes a port, 0 for any that is free. What is wrong, in words, or nothing.
  std::optional<std::string> listen(std::uint16_t port);
  std::uint16_t port() const;

  /// Serves until stop() is called, from any thread, or the program is interrupted.
  void run();
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gestik::tool
