-- SPDX-License-Identifier: BSD-2-Clause
-- Maps of known sizes: variables at the top level hold three, of which one may change, a stable pointer holds
-- one, and a thread holds one. Each entry has a number of its own.
module Main (main, small, middle, table, add, count) where

import Control.Concurrent
import Data.IORef
import qualified Data.Map.Strict as Map
import Foreign.StablePtr
import GHC.Conc (labelThread)
import System.Environment
import System.IO.Unsafe
import Waits

type Numbers = Map.Map Int Int

numbers :: Int -> Numbers
numbers n = Map.fromDistinctAscList [(i, i) | i <- [1000 .. 999 + n]]
{-# NOINLINE numbers #-}

small, middle :: Numbers
small = numbers 1000
{-# NOINLINE small #-}
middle = numbers 10000
{-# NOINLINE middle #-}

table :: IORef Numbers
table = unsafePerformIO (newIORef Map.empty)
{-# NOINLINE table #-}

add, count :: Int -> IO Int
add n = writeIORef table (numbers n) >> count n
{-# NOINLINE add #-}
count n = (+ n) . Map.size <$> readIORef table
{-# NOINLINE count #-}

work :: MVar () -> MVar Int -> MVar () -> Int -> IO ()
work begun ended end n = do
  let own = numbers n
  print (Map.size own)
  putMVar begun ()
  takeMVar end
  putMVar ended (Map.size own)

main :: IO ()
main = do
  begins
  print (Map.size small, Map.size middle)
  add 20000 >>= print
  n <- (+ 5000) . length <$> getArgs
  stable <- newStablePtr $! numbers n
  begun <- newEmptyMVar
  ended <- newEmptyMVar
  end <- newEmptyMVar
  worker <- forkIO (work begun ended end (n * 8))
  labelThread worker "worker"
  takeMVar begun
  waits
  putMVar end ()
  held <- deRefStablePtr stable
  size <- takeMVar ended
  more <- count 1
  print (Map.size held, size, more, Map.size small, Map.size middle)
