module Histogram where

histogram :: (Bounded a, Enum a, Eq a, Show a) => [a] -> String
histogram xs = unlines
  [ show k ++ bar
  | k <- [minBound .. maxBound]
  , let n = length (filter (== k) xs)
        bar | n > 3 = " many"
            | n == 0 = ""
            | otherwise = ' ' : replicate n '#'
  , n > 0 || show k == "Word"
  ]
