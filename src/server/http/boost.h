// SPDX-License-Identifier: Apache-2.0
// Boost's networking for the .cc files of this folder: declarations only. Its bodies are compiled
// once, in boost.cc.
#pragma once

#define BOOST_ASIO_SEPARATE_COMPILATION
#define BOOST_ASIO_NO_DEPRECATED
#define BOOST_BEAST_SEPARATE_COMPILATION

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
