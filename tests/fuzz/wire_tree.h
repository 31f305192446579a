// A protobuf file as a tree that can be changed and written again, with lengths that fit: damage that reaches
// behind the wire reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"

namespace fuselane {

struct WireNode {
  uint64_t key = 0;                // number and kind
  uint64_t value = 0;              // of a varint
  std::string bytes;               // of fixed-size numbers, and of texts
  std::vector<WireNode> children;  // of what reads as a message
  bool is_message = false;
};

// The fields of a message; bytes that read as a message to their end are taken for one. Fails, with false, on
// what is no message.
bool parse_wire(std::string_view bytes, std::vector<WireNode>& fields, int depth = 0);
std::string write_wire(const std::vector<WireNode>& fields);

// Changes one thing somewhere in the tree: a number, a text (often to that of another field, so that names
// refer elsewhere), or a field that is dropped, repeated, moved or copied from another place.
void mutate_wire(std::vector<WireNode>& fields, Rng& rng);

}  // namespace fuselane
