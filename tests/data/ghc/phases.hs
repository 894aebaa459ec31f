-- SPDX-License-Identifier: BSD-2-Clause
-- Lists, a map and an array, one after the other. Each phase has a mark, and three collections at which samples are taken.
module Main (main) where

import Control.Monad (forM_)
import Data.Array (Array, elems, listArray)
import qualified Data.Map as Map
import Debug.Trace (traceMarkerIO)
import System.Mem (performGC)

numbers :: Int -> [Int]
numbers n = [1 .. n]

table :: Int -> Map.Map Int [Int]
table n = Map.fromList [(k, [k, k + 1]) | k <- [1 .. n]]

squares :: Int -> Array Int Int
squares n = listArray (1, n) [k * k | k <- [1 .. n]]

phase :: String -> IO Int -> IO ()
phase name work = do
    traceMarkerIO name
    forM_ [1 :: Int .. 3] $ \_ -> work >>= print >> performGC

main :: IO ()
main = do
    let kept = numbers 3000
    phase "list" (return $! sum kept)
    phase "map" (return $! Map.foldl' (\s v -> s + length v) 0 (table 1500))
    phase "array" (return $! sum (elems (squares 2000)))
    print (length kept)
