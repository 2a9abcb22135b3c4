//! Shipping labels.

use std::fmt;

/// Why a label cannot be printed.
#[derive(Debug)]
pub enum LabelError {
    UnknownCountry(String),
    TooHeavy { grams: u32 },
}

impl fmt::Display for LabelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabelError::UnknownCountry(code) => write!(f, "no carrier ships to country {code}"),
            LabelError::TooHeavy { grams } => write!(f, "parcel of {grams} g exceeds the carrier limit"),
        }
    }
}

/// Prints shipping labels.
pub trait LabelPrinter {
    fn print(&self, parcel: &Parcel) -> Result<String, LabelError>;
}

/// What is shipped.
pub struct Parcel {
    pub grams: u32,
    pub country: String,
}

impl Parcel {
    /// Computes the postage in cents by weight.
    pub fn postage(&self) -> Result<u32, LabelError> {
        if self.grams > 31_500 {
            return Err(LabelError::TooHeavy { grams: self.grams });
        }
        Ok(400 + self.grams / 100)
    }
}
