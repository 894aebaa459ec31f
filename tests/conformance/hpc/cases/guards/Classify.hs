{-# LANGUAGE LambdaCase, MultiWayIf, TupleSections, ViewPatterns #-}
module Classify (classify, pairs, Kind (..)) where

import Data.Char (isDigit, toUpper)

data Kind = Word | Figure | Mixed | Nothing'
  deriving (Bounded, Enum, Eq, Ord, Show)

classify :: String -> Kind
classify (map toUpper -> s)
  | null s = Nothing'
  | all isDigit s, let n = length s, n < 4 = Figure
  | Just k <- special s
  , k /= Mixed = k
  | otherwise =
      if | any isDigit s -> Mixed
         | 'X' `elem` s, length s > 3 -> Nothing'
         | True -> Word

special :: String -> Maybe Kind
special = \case
  "ONE" -> Just Figure
  'Q' : _ -> Just Mixed
  _ -> Nothing

pairs :: [a] -> [(Bool, a)]
pairs xs = map (True,) (zipWith const xs (drop 1 xs))
