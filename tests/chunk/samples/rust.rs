//! Carts and lines.

use std::collections::HashMap;

/// How many lines fit.
pub const LIMIT: usize = 10;

/// One line.
#[derive(Debug, Clone)]
pub struct Line {
    pub sku: String,
    pub count: u32,
}

#[derive(Debug)]
pub enum State {
    Open,
    Closed { at: u64 },
}

pub type Lines = Vec<Line>;

pub trait Priced {
    fn price(&self) -> u64;

    fn taxed(&self) -> u64 {
        self.price() * 119 / 100
    }
}

impl<T: Priced> Cart<T> {
    /// Makes an empty cart.
    pub fn new() -> Self {
        Self { lines: Vec::new() }
    }

    /// Adds a line.
    #[inline]
    pub fn add(&mut self, line: T) -> Result<(), Error> {
        if self.lines.len() >= LIMIT {
            return Err(Error::Full);
        }
        self.lines.push(line);
        Ok(())
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", self.count, self.sku)
    }
}

macro_rules! cart {
    ($($line:expr),*) => { Cart { lines: vec![$($line),*] } };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        let mut cart = Cart::new();
        cart.add(Line { sku: "a".into(), count: 1 }).unwrap();
        assert_eq!(cart.lines.len(), 1);
    }
}
