module Statistics (describe) where

import qualified Data.Map as Map

describe :: [[Int]] -> String
describe xs = concat
  [ show total
  , " solutions, first columns "
  , show [(k, v) | (k, v) <- Map.toList counts, v > 1, let w = v * 2, w < 100 || k == 0]
  ]
  where
    total = length xs
    counts = Map.fromListWith (+) [(x, 1 :: Int) | (x : _) <- xs]
