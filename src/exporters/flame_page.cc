#include "exporters/flame_page.h"

#include <string_view>

#include "exporters/folded.h"
#include "exporters/page_parts.h"  // made by CMakeLists.txt

namespace heaptally::exporters {
namespace {

std::string HtmlText(const std::string& text) {
  std::string out;
  for (const char c : SafeFrame(text)) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// Cuts `page` at `mark`: what stands before it is returned, the rest stays.
std::string_view TakeUpTo(std::string_view mark, std::string_view* page) {
  const size_t at = page->find(mark);
  const std::string_view before = page->substr(0, at);
  *page = at == std::string_view::npos ? std::string_view() : page->substr(at + mark.size());
  return before;
}

}  // namespace

std::string FlamePage(const std::vector<profile::Profile>& profiles, const Wording& wording, const FlamePageOptions& options) {
  std::string_view page = k_page_html;
  std::string out;
  out += TakeUpTo("{{title}}", &page);
  out += HtmlText(options.title);
  out += TakeUpTo("{{style}}", &page);
  out += k_page_css;
  out += TakeUpTo("{{data}}", &page);
  out += FlameData(profiles, wording, options);
  out += TakeUpTo("{{script}}", &page);
  out += k_page_js;
  out += page;
  return out;
}

}  // namespace heaptally::exporters
