// SPDX-License-Identifier: Apache-2.0
#include "server/http/boost.h"

#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
