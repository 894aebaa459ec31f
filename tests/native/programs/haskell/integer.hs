-- SPDX-License-Identifier: BSD-2-Clause
-- Large numbers, fractions, and the powers that a list has not computed yet.
import Data.Ratio
import Waits

main :: IO ()
main = do
  begins
  let large = scanl (\a n -> (a * 3 + n) `mod` (2 ^ (400 :: Int))) 1 [1 .. 2000 :: Integer]
      parts = [n % (n + 1) | n <- [1 .. 2000 :: Integer]]
      powers = map (2 ^) [1 .. 3000 :: Int] :: [Integer]
      reals = map sqrt [1 .. 3000] :: [Double]
  print (last large `mod` 1000, maximum parts, powers !! 500 `mod` 1000, length reals)
  print (truncate (sum reals) :: Int)
  waits
  print (sum large `mod` 1000, numerator (parts !! 7), sum powers `mod` 1000, maximum reals)
