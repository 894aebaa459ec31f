-- SPDX-License-Identifier: BSD-2-Clause
-- Functions as data: partial applications, dictionaries in objects, and continuations.
{-# LANGUAGE ExistentialQuantification #-}
module Main (main, steps, shown) where

import Data.IORef
import Waits

data Shown = forall a. Show a => Shown a

steps :: [Int] -> [Int -> Int -> Int]
steps = map (\n a b -> a * n + b)
{-# NOINLINE steps #-}

shown :: Int -> Shown
shown n = if even n then Shown n else Shown [n]
{-# NOINLINE shown #-}

newtype Cont r a = Cont {run :: (a -> r) -> r}

countdown :: Int -> Cont r Int
countdown 0 = Cont ($ 0)
countdown n = Cont (\k -> run (countdown (n - 1)) (k . (+ n)))

main :: IO ()
main = do
  begins
  kept <- newIORef (zipWith ($) (steps [1 .. 4000]) [1 ..])
  objects <- newIORef (map shown [1 .. 4000])
  functions <- readIORef kept
  list <- readIORef objects
  pending <- newIORef (foldr (\n f -> f . (+ n)) id [1 .. 3000 :: Int])
  later <- readIORef pending
  print (length functions, length list, later 1, run (countdown 100) id)
  waits
  again <- readIORef kept
  same <- readIORef objects
  after <- readIORef pending
  print (sum (map ($ 2) again), sum [length (show x) | Shown x <- same], after 2)
