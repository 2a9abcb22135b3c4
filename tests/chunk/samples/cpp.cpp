#include "cart.hpp"
#include <vector>

using namespace std;
using Lines = std::vector<Line>;

namespace shop {
namespace {

constexpr int kLimit = 10;

}  // namespace

// Holds lines.
template <typename T>
class Cart : public Base<T> {
 public:
  explicit Cart(Shop* shop) : shop_(shop) {}
  virtual ~Cart() = default;

  // Adds a line.
  void Add(const T& line) {
    if (lines_.size() >= kLimit) throw std::runtime_error("full");
    lines_.push_back(line);
  }

  int size() const noexcept;
  bool operator==(const Cart& other) const { return lines_ == other.lines_; }

  struct Line {
    int price() const { return 3; }
  };

 private:
  std::vector<T> lines_;
};

template <typename T>
int Cart<T>::size() const noexcept {
  return static_cast<int>(lines_.size());
}

enum class State : int { kOpen, kClosed };

/// Adds up.
auto Total(const Lines& lines) -> int {
  int sum = 0;
  for (const auto& line : lines) sum += line.price();
  return sum;
}

Line& Shop::operator[](int i) { return lines_[i]; }

template <typename T>
concept Priced = requires(T t) { t.price(); };

}  // namespace shop

extern "C" {
int cart_open(const char* name);
}

int main() { return shop::Total({}); }

SHOP_NAMESPACE_BEGIN

class SHOP_EXPORT SHOP_ALIGNED(8) Till
    : public Base {
  int open_ = 0;
};

SHOP_NAMESPACE_END
