#include "tools/gestik/server.h"

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <csignal>
#include <exception>

namespace gestik::tool {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Code = boost::system::error_code;

using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;
using AssetResponse = http::response<http::span_body<const char>>;

std::string_view view(beast::string_view text) {
  return {text.data(), text.size()};
}

beast::string_view beast_view(std::string_view text) {
  return {text.data(), text.size()};
}

std::string_view type_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> types{{
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".json", "application/json"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".wasm", "application/wasm"},
  }};
  for (const auto& [ending, type] : types)
    if (name.ends_with(ending)) return type;
  return "application/octet-stream";
}

/// "%20" and its kind; what is no such code stays as it is.
std::string decoded(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool coded =
        text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    if (!coded) {
      out.push_back(text[i] == '+' ? ' ' : text[i]);
      continue;
    }
    out.push_back(static_cast<char>(16 * digit(text[i + 1]) + digit(text[i + 2])));
    i += 2;
  }
  return out;
}

/// The value of "name" in "name=walk.bvh&unit=1".
std::string name_in(std::string_view query) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    if (pair.starts_with("name=")) return decoded(pair.substr(5));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
  }
  return {};
}

/// Whether a list of codings, "gzip, br;q=0.5", takes this one.
bool takes(std::string_view list, std::string_view coding) {
  while (!list.empty()) {
    std::string_view one = list.substr(0, list.find(','));
    list.remove_prefix(std::min(one.size() + 1, list.size()));
    const bool refused = one.find("q=0") != one.npos && one.find("q=0.") == one.npos;
    one = one.substr(0, one.find(';'));
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (one == coding) return !refused;
  }
  return false;
}

/// What every answer carries. The page needs scripts and WebAssembly of its own and nothing from
/// anywhere else; isolated from other pages, the browser gives it a finer clock.
template <class Message>
void set_headers(Message& message, std::string_view type, const Request& request) {
  message.version(request.version());
  message.keep_alive(request.keep_alive());
  message.set(http::field::content_type, beast_view(type));
  message.set(http::field::cache_control, "no-cache");
  message.set("Content-Security-Policy",
              "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
              "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; "
              "form-action 'none'; frame-ancestors 'none'");
  message.set("X-Content-Type-Options", "nosniff");
  message.set("Referrer-Policy", "no-referrer");
  message.set("Cross-Origin-Opener-Policy", "same-origin");
  message.set("Cross-Origin-Embedder-Policy", "require-corp");
  message.set("Cross-Origin-Resource-Policy", "same-origin");
}

}  // namespace

struct Server::State {
  class Session;

  std::span<const Asset> assets;
  Answer answer;
  ServerLimits limits;
  asio::io_context context{1};
  tcp::acceptor acceptor{context};
  asio::signal_set signals{context};
  std::array<std::string, 2> hosts = {};  ///< what the server is called
  int connections = 0;

  void accept();
  std::chrono::steady_clock::duration patience() const {
    return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(limits.seconds));
  }
  bool is_own_host(std::string_view host) const {
    return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
  }
  bool is_own_origin(std::string_view origin) const {
    return origin.starts_with("http://") && is_own_host(origin.substr(7));
  }
  const Asset* find_asset(std::string_view path) const {
    const std::string_view name = path == "/" ? "index.html" : path.substr(1);
    const auto found = std::find_if(assets.begin(), assets.end(),
                                    [&](const Asset& asset) { return asset.name == name; });
    return found == assets.end() ? nullptr : &*found;
  }
};

/// One connection, request after request. It lives as long as something is under way.
class Server::State::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(State& server, tcp::socket socket) : server_(server), stream_(std::move(socket)) {
    ++server_.connections;
  }
  ~Session() { --server_.connections; }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void read() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(server_.limits.header));
    parser_->body_limit(server_.limits.body);
    stream_.expires_never();
    late_ = false;
    timer_.expires_after(server_.patience());
    timer_.async_wait([self = shared_from_this()](const Code& code) {
      if (code) return;
      self->late_ = true;
      self->stream_.cancel();
    });
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](const Code& code, std::size_t) {
                       self->timer_.cancel();
                       self->take(code);
                     });
  }

 private:
  void take(const Code& code) {
    using enum http::status;
    if (!code) {
      request_ = parser_->release();
      return respond();
    }
    if (code == http::error::body_limit) return refuse(payload_too_large, "the file is too large");
    if (code == http::error::header_limit)
      return refuse(request_header_fields_too_large, "the header is too large");
    if (late_ && parser_->got_some())
      return refuse(request_timeout, "the request did not come to its end in time");
    if (late_ || code == http::error::end_of_stream ||
        code.category() == asio::error::get_system_category())
      return;  // nobody waits for an answer: the connection ends with this
    refuse(bad_request,
           code == http::error::partial_message ? "the request is cut short" : "this is not HTTP");
  }

  void respond() {
    const std::string_view target = view(request_.target());
    const std::string_view path = target.substr(0, target.find('?'));
    if (const std::string_view why = foreign(); !why.empty())
      return send(http::status::forbidden, std::string(why));
    if (!path.starts_with('/')) return send(http::status::bad_request, "no such place");
    const bool gets = request_.method() == http::verb::get || request_.method() == http::verb::head;
    if (!gets && request_.method() != http::verb::post)
      return send(http::status::method_not_allowed, "GET, HEAD and POST are all there is");
    if (const Asset* const asset = server_.find_asset(path)) {
      if (!gets) return send(http::status::method_not_allowed, "this can only be got");
      return send(*asset);
    }
    const std::size_t query = target.find('?');
    const Asked asked{.posts = !gets,
                      .path = std::string(path),
                      .name = query == target.npos ? "" : name_in(target.substr(query + 1)),
                      .body = std::move(request_.body())};
    send(answered(asked));
  }

  Reply answered(const Asked& asked) const {
    try {
      if (std::optional<Reply> reply = server_.answer(asked)) return *std::move(reply);
      return {.status = 404, .body = "there is no such place here"};
    } catch (const std::exception& caught) {  // out of memory, most likely
      return {.status = 500, .body = caught.what()};
    }
  }

  /// Why the request is not the page's own; empty: it is.
  std::string_view foreign() const {
    if (request_.count(http::field::host) != 1 ||
        !server_.is_own_host(view(request_[http::field::host])))
      return "the studio answers to its own address only";
    for (const auto& field : request_) {
      if (field.name() == http::field::origin && !server_.is_own_origin(view(field.value())))
        return "the studio answers to its own page only";
      if (beast::iequals(field.name_string(), "Sec-Fetch-Site") && field.value() != "same-origin" &&
          field.value() != "none" && !is_navigation())
        return "the studio answers to its own page only";
    }
    return {};
  }

  /// Following a link to the page is harmless: it shows the page and nothing of what it holds.
  bool is_navigation() const {
    return request_.method() == http::verb::get && request_["Sec-Fetch-Mode"] == "navigate";
  }

  void send(http::status status, std::string words) {
    send({.status = static_cast<int>(status), .body = std::move(words) + "\n"});
  }

  void send(Reply reply) {
    auto response = std::make_shared<Response>();
    response->result(static_cast<unsigned>(reply.status));
    response->body() = std::move(reply.body);
    set_headers(*response, reply.type, request_);
    write(std::move(response));
  }

  void send(const Asset& asset) {
    const std::string_view accepted = view(request_[http::field::accept_encoding]);
    auto response = std::make_shared<AssetResponse>();
    std::string_view body = asset.plain;
    if (!asset.brotli.empty() && takes(accepted, "br")) {
      body = asset.brotli;
      response->set(http::field::content_encoding, "br");
    } else if (!asset.gzip.empty() && takes(accepted, "gzip")) {
      body = asset.gzip;
      response->set(http::field::content_encoding, "gzip");
    }
    response->set(http::field::vary, "Accept-Encoding");
    response->body() = {body.data(), body.size()};
    set_headers(*response, type_of(asset.name), request_);
    write(std::move(response));
  }

  /// To something that could not be read to its end: the connection is of no more use.
  void refuse(http::status status, std::string words) {
    request_ = {};
    request_.version(11);
    request_.keep_alive(false);
    send(status, std::move(words));
  }

  template <class Message>
  void write(std::shared_ptr<Message> response) {
    response->prepare_payload();
    stream_.expires_after(server_.patience());
    const auto done = [self = shared_from_this(), response](const Code& code, std::size_t) {
      if (code || response->need_eof() || !self->request_.keep_alive()) return self->close();
      self->read();
    };
    if (request_.method() == http::verb::head) {
      // The header of what a GET would bring, without the body.
      auto serializer =
          std::make_shared<http::response_serializer<typename Message::body_type>>(*response);
      return http::async_write_header(
          stream_, *serializer,
          [done, serializer](const Code& code, std::size_t size) { done(code, size); });
    }
    http::async_write(stream_, *response, done);
  }

  /// What is still on its way is let in and dropped: to hang up on it could cost the other side our
  /// answer.
  void close() {
    Code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(server_.patience());
    drain();
  }

  void drain() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(std::size_t{1} << 14),
                            [self = shared_from_this()](const Code& code, std::size_t) {
                              if (!code) self->drain();
                            });
  }

  State& server_;
  beast::tcp_stream stream_;
  asio::steady_timer timer_{server_.context};
  bool late_ = false;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  Request request_;
};

void Server::State::accept() {
  acceptor.async_accept([this](const Code& code, tcp::socket socket) {
    if (code == asio::error::operation_aborted) return;
    // One too many is dropped: a browser tries again.
    if (!code && connections < limits.connections)
      std::make_shared<Session>(*this, std::move(socket))->read();
    accept();
  });
}

Server::Server(std::span<const Asset> assets, Answer answer, const ServerLimits& limits)
    : state_(std::make_unique<State>()) {
  state_->assets = assets;
  state_->answer = std::move(answer);
  state_->limits = limits;
}

Server::~Server() = default;

std::optional<std::string> Server::listen(std::uint16_t port) {
  Code code;
  tcp::acceptor& acceptor = state_->acceptor;
  const tcp::endpoint here(asio::ip::address_v4::loopback(), port);
  if (acceptor.is_open()) acceptor.close(code);
  acceptor.open(here.protocol(), code);
  if (!code) acceptor.set_option(tcp::acceptor::reuse_address(true), code);
  if (!code) acceptor.bind(here, code);
  if (!code) acceptor.listen(asio::socket_base::max_listen_connections, code);
  if (code) return code.message();
  // Browsers leave out the port that is http's own.
  constexpr std::uint16_t usual = 80;
  const std::string suffix = this->port() == usual ? "" : ":" + std::to_string(this->port());
  state_->hosts = {"127.0.0.1" + suffix, "localhost" + suffix};
  return std::nullopt;
}

std::uint16_t Server::port() const {
  Code ignored;
  return state_->acceptor.local_endpoint(ignored).port();
}

void Server::run() {
  state_->signals.add(SIGINT);
  state_->signals.add(SIGTERM);
  state_->signals.async_wait([this](const Code& code, int) {
    if (!code) state_->context.stop();
  });
  state_->accept();
  state_->context.run();
}

void Server::stop() {
  state_->context.stop();
}

}  // namespace gestik::tool
