# Builds the shop.
cmake_minimum_required(VERSION 3.20)
project(shop LANGUAGES CXX)

set(SHOP_SOURCES
  cart.cpp
  line.cpp)

# Adds a test.
function(shop_add_test name)
  add_executable(${name} ${name}.cpp)
  target_link_libraries(${name} PRIVATE shop)
  add_test(NAME ${name} COMMAND ${name})
endfunction()

macro(shop_warn message)
  message(WARNING "${message}")
endmacro()

if(SHOP_TESTS)
  enable_testing()
  shop_add_test(cart_test)
endif()

add_library(shop ${SHOP_SOURCES})
