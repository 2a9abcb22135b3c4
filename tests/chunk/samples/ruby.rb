# frozen_string_literal: true

require "json"
require_relative "line"

module Shop
  LIMIT = 10

  # Holds lines.
  class Cart < Base
    include Enumerable
    attr_reader :lines

    def initialize(shop)
      @shop = shop
      @lines = []
    end

    # Adds a line.
    def add(line, count: 1)
      raise Full, "full" if lines.size >= LIMIT

      lines << line
      self
    end

    def empty? = lines.empty?

    def self.open(name)
      new(Shop.find(name))
    end

    class << self
      def build(&block)
        cart = new(nil)
        cart.instance_eval(&block)
        cart
      end
    end

    private

    def [](i) lines[i] end
  end
end

task :default do
  puts Shop::Cart.open("main").lines.size
end
