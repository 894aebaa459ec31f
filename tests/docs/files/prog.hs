-- SPDX-License-Identifier: BSD-2-Clause
-- The program of docs/haskell.md: it has a table at the top level, and stays for a while if its argument says so.
module Main (main, table) where

import Control.Concurrent (threadDelay)
import Control.Monad (when)
import Data.IORef
import qualified Data.Map.Strict as Map
import System.Environment (getArgs)
import System.IO.Unsafe (unsafePerformIO)

table :: IORef (Map.Map Int Int)
table = unsafePerformIO (newIORef Map.empty)
{-# NOINLINE table #-}

main :: IO ()
main = do
  arguments <- getArgs
  mapM_ (\n -> modifyIORef' table (Map.insert n (n * n))) [1 .. 20000]
  threadDelay 300000
  when (arguments == ["stay"]) (threadDelay 600000000)
  readIORef table >>= print . Map.size
