-- SPDX-License-Identifier: BSD-2-Clause
-- Each thread has a map of 10000 keys, and replaces its values until a line comes.
import Control.Concurrent
import Control.Monad
import Data.IORef
import qualified Data.Map.Strict as Map
import System.Environment
import System.IO

replace :: IORef Bool -> Map.Map Int Int -> Int -> IO Int
replace ends numbers n = do
  isOver <- readIORef ends
  let next = Map.insert (n `mod` 10000) n numbers
  next `seq` if isOver then return (Map.size next) else replace ends next (n + 1)

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  [nThreads] <- map read <$> getArgs
  ends <- newIORef False
  results <- forM [1 .. nThreads :: Int] $ \_ -> do
    result <- newEmptyMVar
    _ <- forkIO (replace ends (Map.fromList [(k, k) | k <- [0 .. 9999]]) 0 >>= putMVar result)
    return result
  putStrLn "works"
  _ <- getLine
  writeIORef ends True
  mapM takeMVar results >>= print
