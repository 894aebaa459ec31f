-- SPDX-License-Identifier: BSD-2-Clause
-- Keeps a list of numbers, two closures each, and collects garbage every millisecond until it gets a line. Prints the
-- longest times of these rounds in microseconds, the longest first.
import Control.Concurrent
import Data.IORef
import Data.List (insert)
import GHC.Clock
import System.Environment
import System.IO
import System.Mem

main :: IO ()
main = do
  n <- read . head <$> getArgs
  list <- newIORef [1 .. n :: Int]
  readIORef list >>= print . sum
  performMajorGC
  hFlush stdout
  done <- newEmptyMVar
  _ <- forkIO (getLine >>= putMVar done)
  let rounds longest before = do
        threadDelay 1000
        performMinorGC
        now <- getMonotonicTimeNSec
        let next = drop (length longest - 99) (insert (now - before) longest)
        isEmpty <- sum next `seq` isEmptyMVar done
        if isEmpty then rounds next now else return (reverse next)
  longest <- getMonotonicTimeNSec >>= rounds []
  print (map (`div` 1000) longest)
  readIORef list >>= print . length
