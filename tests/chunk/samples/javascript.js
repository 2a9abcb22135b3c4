#!/usr/bin/env node
"use strict";

const fs = require("fs");
const path = require("path");

/**
 * Reads a cart.
 */
function readCart(file, { encoding = "utf-8" } = {}) {
  const text = fs.readFileSync(path.resolve(file), encoding);
  return JSON.parse(text);
}

// Adds a line.
exports.add = function (cart, line) {
  cart.lines.push(line);
  cart.lines.sort((a, b) => a.sku.localeCompare(b.sku));
};

Cart.prototype.total = function total() {
  return this.lines.reduce((sum, line) => sum + line.price, 0);
};

const double = (n) => n * 2, half = (n) => n / 2;

class Cart extends Base {
  #lines = [];
  static limit = 10;

  static { Cart.ready = true; }

  constructor(lines) {
    super();
    this.#lines = lines;
  }

  *[Symbol.iterator]() {
    yield* this.#lines;
  }

  handle = (event) => {
    event.preventDefault();
  };
}

module.exports = {
  readCart,
  Cart,
  greet(name) {
    return `hello ${name}`;
  },
};

if (require.main === module) {
  readCart(process.argv[2]);
}
