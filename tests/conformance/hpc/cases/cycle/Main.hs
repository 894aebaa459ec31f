module Main where

import Control.Concurrent
import Control.Monad
import Even
import Odd
import System.Environment

main :: IO ()
main = do
  numbers <- map read <$> getArgs
  results <- forM numbers $ \n -> do
    result <- newEmptyMVar
    _ <- forkIO (putMVar result $! (if isEven n then "even" else if isOdd n then "odd" else "neither"))
    return result
  mapM_ (takeMVar >=> putStrLn) results
