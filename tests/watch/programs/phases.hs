-- SPDX-License-Identifier: BSD-2-Clause
--
-- Keeps what it makes under two thousand cost-centre stacks, in marked phases: two, and then one for
-- each line that comes, up to so many. GHC 9.0 hands its log out by 2 MiB, for each capability and
-- for the heap profile: samples are large here, and marks are followed by something that fills their
-- buffer.
module Main (main) where

import Control.Exception (evaluate)
import Control.Monad (foldM, forM_, replicateM_)
import Debug.Trace (traceEventIO, traceMarkerIO)
import System.Environment (getArgs)
import System.IO (hFlush, stdout)
import System.Mem (performMajorGC)

-- Has the next collection take a sample, however late the timer is.
foreign import ccall unsafe "take_sample" takeSample :: IO ()

-- One list for each way through some of the places, made under the stack of that way.
walk :: [Int] -> [[Int]]
walk places = concatMap (\p -> at p (filter (/= p) places)) places

at :: Int -> [Int] -> [[Int]]
at 0 left = {-# SCC "north" #-} stay left
at 1 left = {-# SCC "east" #-} stay left
at 2 left = {-# SCC "south" #-} stay left
at 3 left = {-# SCC "west" #-} stay left
at 4 left = {-# SCC "up" #-} stay left
at _ left = {-# SCC "down" #-} stay left
{-# NOINLINE at #-}

stay :: [Int] -> [[Int]]
stay left = [length left .. 10] : walk left
{-# NOINLINE stay #-}

fillBuffer :: IO ()
fillBuffer = replicateM_ 36 (traceEventIO (replicate 60000 '.'))

phase :: Int -> [[[Int]]] -> String -> IO [[[Int]]]
phase nSamples kept name = do
  traceMarkerIO name
  let ways = walk [0 .. 5]
  _ <- evaluate (sum (map sum ways))
  replicateM_ nSamples (evaluate (sum [1 .. 100000 :: Int]) >> takeSample >> performMajorGC)
  fillBuffer
  return (ways : kept)

phaseAfterLine :: Int -> [[[Int]]] -> String -> IO [[[Int]]]
phaseAfterLine nSamples kept name = do
  traceMarkerIO "waiting"
  putStrLn "waiting" >> hFlush stdout
  _ <- getLine
  phase nSamples kept name

main :: IO ()
main = do
  [n, nLines] <- getArgs
  kept <- foldM (phase (read n)) [] ["phase one", "phase two"]
  more <- foldM (phaseAfterLine (read n)) kept (take (read nLines) ["phase three", "phase four"])
  forM_ more (print . length)
