module Odd where

import Even (isEven)

isOdd :: Int -> Bool
isOdd 0 = False
isOdd n
  | n < 0 = isOdd (negate n)
  | otherwise = isEven (n - 1)
