#include "tests/fuzz/wire_tree.h"

#include <array>
#include <utility>

namespace fuselane {
namespace {

bool read_varint(std::string_view& bytes, uint64_t& value) {
  value = 0;
  for (size_t i = 0; i < bytes.size() && i < 10; ++i) {
    value |= (uint64_t{static_cast<uint8_t>(bytes[i])} & 0x7f) << (7 * i);
    if (bytes[i] & 0x80) continue;
    bytes.remove_prefix(i + 1);
    return true;
  }
  return false;
}

void write_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>((value & 0x7f) | 0x80));
  out.push_back(static_cast<char>(value));
}

bool take(std::string_view& bytes, uint64_t count, std::string& out) {
  if (count > bytes.size()) return false;
  out = bytes.substr(0, static_cast<size_t>(count));
  bytes.remove_prefix(static_cast<size_t>(count));
  return true;
}

bool parse_field(std::string_view& bytes, WireNode& node, int depth) {
  if (!read_varint(bytes, node.key) || node.key < 8) return false;
  uint64_t length = 0;
  switch (node.key & 7) {
    case 0:
      return read_varint(bytes, node.value);
    case 1:
      return take(bytes, 8, node.bytes);
    case 2:
      if (!read_varint(bytes, length) || !take(bytes, length, node.bytes)) return false;
      node.is_message =
          depth < 12 && node.bytes.size() > 1 && parse_wire(node.bytes, node.children, depth + 1);
      if (!node.is_message) node.children.clear();
      return true;
    case 5:
      return take(bytes, 4, node.bytes);
    default:
      return false;
  }
}

void collect(std::vector<WireNode>& fields, std::vector<std::vector<WireNode>*>& lists) {
  if (!fields.empty()) lists.push_back(&fields);
  for (WireNode& field : fields) collect(field.children, lists);
}

// 0, 1, -1, sizes around powers of two, and the ends of the range.
uint64_t telling_number(uint64_t old, Rng& rng) {
  constexpr std::array<uint64_t, 8> kTelling = {
      0, 1, 2, ~uint64_t{0}, 1u << 16, 0x7fffffff, uint64_t{1} << 40, uint64_t{1} << 63};
  if (rng.below(2) == 0) return old + static_cast<uint64_t>(rng.between(-2, 2));
  return kTelling[static_cast<size_t>(rng.below(kTelling.size()))];
}

}  // namespace

bool parse_wire(std::string_view bytes, std::vector<WireNode>& fields, int depth) {
  while (!bytes.empty()) {
    if (!parse_field(bytes, fields.emplace_back(), depth)) return false;
  }
  return true;
}

std::string write_wire(const std::vector<WireNode>& fields) {
  std::string out;
  for (const WireNode& field : fields) {
    write_varint(out, field.key);
    if ((field.key & 7) == 0) {
      write_varint(out, field.value);
      continue;
    }
    const std::string bytes = field.is_message ? write_wire(field.children) : field.bytes;
    if ((field.key & 7) == 2) write_varint(out, bytes.size());
    out += bytes;
  }
  return out;
}

void mutate_wire(std::vector<WireNode>& fields, Rng& rng) {
  std::vector<std::vector<WireNode>*> lists;
  collect(fields, lists);
  if (lists.empty()) return;
  auto any_list = [&]() -> std::vector<WireNode>& {
    return *lists[static_cast<size_t>(rng.below(lists.size()))];
  };
  auto any_index = [&](const std::vector<WireNode>& list) {
    return static_cast<size_t>(rng.below(list.size()));
  };
  std::vector<WireNode>& list = any_list();
  size_t at = any_index(list);
  std::vector<WireNode>& other_list = any_list();
  WireNode other = other_list[any_index(other_list)];
  switch (rng.below(10)) {
    case 0:
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    case 1:
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), list[any_index(list)]);
      return;
    case 2:
      std::swap(list[at], list[any_index(list)]);
      return;
    case 3:
      list[at] = std::move(other);
      return;
    case 4:
      list[at].key = other.key;
      return;
    default:
      break;
  }
  WireNode& field = list[at];
  if ((field.key & 7) == 0) {
    field.value = telling_number(field.value, rng);
  } else if (!other.is_message && (other.key & 7) == (field.key & 7)) {
    field.bytes = std::move(other.bytes);
    field.is_message = false;
    field.children.clear();
  } else if (!field.bytes.empty()) {
    size_t place = static_cast<size_t>(rng.below(field.bytes.size()));
    field.bytes[place] = static_cast<char>(rng.next());
  }
}

}  // namespace fuselane
