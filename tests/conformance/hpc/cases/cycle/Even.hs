module Even where

import {-# SOURCE #-} Odd (isOdd)

isEven :: Int -> Bool
isEven 0 = True
isEven n = isOdd (n - 1)
