-- SPDX-License-Identifier: BSD-2-Clause
-- Threads that wait in two functions: for jobs, and for each other.
module Main (main, worker, starts) where

import Control.Concurrent
import Control.Monad
import Waits

worker :: MVar Int -> IO ()
worker jobs = do
  job <- takeMVar jobs
  print job
  worker jobs
{-# NOINLINE worker #-}

starts :: Int -> IO [MVar Int]
starts n = replicateM n $ do
  jobs <- newEmptyMVar
  _ <- forkIO (worker jobs)
  return jobs
{-# NOINLINE starts #-}

sleeper :: Chan Int -> IO ()
sleeper numbers = do
  number <- readChan numbers
  print (number * number)
{-# NOINLINE sleeper #-}

main :: IO ()
main = do
  begins
  jobs <- starts 400
  numbers <- newChan
  replicateM_ 300 (forkIO (sleeper numbers))
  yield
  waits
  print (length jobs)
  writeChan numbers 1
