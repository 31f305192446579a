#include "base/small_vector.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"

namespace fuselane {
namespace {

using List = SmallVector<uint64_t, 3>;
using Reference = std::vector<uint64_t>;

void expect_same(const List& list, const Reference& reference) {
  ASSERT_EQ(list.size(), reference.size());
  EXPECT_EQ(list.empty(), reference.empty());
  EXPECT_EQ(Reference(list.begin(), list.end()), reference);
}

TEST(SmallVector, DoesWhatAVectorDoes) {
  Rng rng(1);
  List list;
  Reference reference;
  for (int i = 0; i < 2000; ++i) {
    const size_t at = rng.below(reference.size() + 1);
    const auto place = static_cast<ptrdiff_t>(at);
    switch (rng.below(7)) {
      case 0:
        list.push_back(rng.next());
        reference.push_back(list[list.size() - 1]);
        break;
      case 1:
      case 2: {
        const uint64_t inserted = rng.next();
        EXPECT_EQ(*list.insert(list.begin() + place, inserted), inserted);
        reference.insert(reference.begin() + place, inserted);
        break;
      }
      case 3:
      case 4:
        if (at == reference.size()) break;
        EXPECT_EQ(list.erase(list.begin() + place) - list.begin(), place);
        reference.erase(reference.begin() + place);
        break;
      case 5: {
        List copy = list;
        EXPECT_EQ(copy, list);
        const List moved = std::move(copy);
        expect_same(moved, reference);
        copy = moved;
        list.clear();
        list = std::move(copy);
        break;
      }
      case 6:
        if (rng.below(8) == 0) list.clear(), reference.clear();
        break;
    }
    expect_same(list, reference);
  }
}

TEST(SmallVector, IsOrderedLikeAVector) {
  Rng rng(2);
  auto random_list = [&] {
    SmallVector<uint32_t, 2> list;
    for (uint64_t n = rng.below(5); n > 0; --n) list.push_back(static_cast<uint32_t>(rng.below(3)));
    return list;
  };
  for (int i = 0; i < 500; ++i) {
    const auto a = random_list(), b = random_list();
    const std::vector<uint32_t> x(a.begin(), a.end()), y(b.begin(), b.end());
    EXPECT_EQ(a == b, x == y);
    EXPECT_EQ(a <=> b, x <=> y);
  }
}

}  // namespace
}  // namespace fuselane
