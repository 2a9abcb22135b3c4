{-# LANGUAGE LambdaCase #-}
-- | Shapes and their areas.
module Geometry.Shape
  ( Shape (..)
  , area
  ) where

import qualified Data.Map as Map
import Data.Maybe (fromMaybe)

-- | What can be drawn.
data Shape
  = Circle Double
  | Square Double
  deriving (Eq, Show)

newtype Name = Name { unName :: String }

type Table = Map.Map String Shape

class HasArea a where
  areaOf :: a -> Double
  areaOf _ = 0

instance HasArea Shape where
  areaOf = area

-- | The area, in square units.
area :: Shape -> Double
area (Circle r) = pi * r * r
area (Square a) = a * a

lookupArea :: String -> Table -> Double
lookupArea name table =
  maybe 0 area found
  where
    found = Map.lookup name table

infixl 6 <+>
(<+>) :: Double -> Double -> Double
a <+> b = a + b
