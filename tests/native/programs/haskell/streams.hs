-- SPDX-License-Identifier: BSD-2-Clause
-- Endless lists, of which a part is there, lazy pairs, and a ring.
module Main (main, halves) where

import Data.IORef
import Waits

data Ring = Ring {value :: Int, next :: Ring, previous :: Ring}

ring :: [Int] -> Ring
ring list = first
  where
    (first, last') = go last' list first
    go before [] after = (after, before)
    go before (n : rest) after = (this, end)
      where
        this = Ring n following before
        (following, end) = go this rest after

halves :: [a] -> ([a], [a])
halves [] = ([], [])
halves (x : rest) = let (a, b) = halves rest in (x : b, a)
{-# NOINLINE halves #-}

fibonacci :: [Integer]
fibonacci = 0 : 1 : zipWith (+) fibonacci (tail fibonacci)

main :: IO ()
main = do
  begins
  pairs <- newIORef (halves [1 .. 20000 :: Int])
  circle <- newIORef (ring [1 .. 20000])
  (odd', even') <- readIORef pairs
  around <- readIORef circle
  print (length odd', take 2 even', fibonacci !! 1000 `mod` 1000, value (previous (next around)))
  waits
  (a, b) <- readIORef pairs
  again <- readIORef circle
  print (sum a - sum b, sum (map value (take 7000 (iterate next again))), fibonacci !! 1001 `mod` 1000)
