//! A ring buffer.
const std = @import("std");

pub const capacity: usize = 16;

/// A ring of bytes.
pub const Ring = struct {
    items: [capacity]u8 = undefined,
    head: usize = 0,

    /// Adds one byte.
    pub fn push(self: *Ring, byte: u8) void {
        self.items[self.head % capacity] = byte;
        self.head += 1;
    }

    fn full(self: Ring) bool {
        return self.head >= capacity;
    }
};

pub const Error = error{ Full, Empty };

pub fn main() !void {
    var ring = Ring{};
    ring.push('a');
    std.debug.print("{d}\n", .{ring.head});
}

test "push moves the head" {
    var ring = Ring{};
    ring.push('x');
    try std.testing.expect(ring.head == 1);
}
