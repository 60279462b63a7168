// gzip (RFC 1952), in one member and without a time stamp, so that equal input gives equal output.
#pragma once

#include <string>
#include <string_view>

namespace heaptally::exporters {

std::string Gzip(std::string_view bytes);

}  // namespace heaptally::exporters
