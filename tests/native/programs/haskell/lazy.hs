-- SPDX-License-Identifier: BSD-2-Clause
-- A state whose parts are sums that nobody has asked for, and a list of numbers that wait for a function.
module Main (main, add, scaled) where

import Data.IORef
import Data.List (foldl')
import Waits

data Totals = Totals Int Int

add :: Totals -> Int -> Totals
add (Totals count weight) n = Totals (count + 1) (weight + n * n)
{-# NOINLINE add #-}

scaled :: (Int -> Int) -> [Int] -> [Int]
scaled scale = foldr (\n rest -> scale n : rest) []
{-# NOINLINE scaled #-}

main :: IO ()
main = do
  begins
  let totals = foldl' add (Totals 0 0) [1 .. 30000]
  totals `seq` return ()
  kept <- newIORef (scaled (* 3) [1 .. 20000])
  list <- readIORef kept
  print (length list)
  waits
  let Totals count weight = totals
  again <- readIORef kept
  print (count, weight, sum again)
