#ifndef CART_H
#define CART_H

#include <string>

namespace shop {

class Cart {
 public:
  int size() const;
};

}  // namespace shop

#endif
