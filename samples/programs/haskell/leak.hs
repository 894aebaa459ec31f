-- Two space leaks: a lazy sum is a chain of thunks, and the list is kept for its length.
module Main (main) where
import System.Environment

mean :: [Int] -> Int
mean xs = {-# SCC total #-} (foldl (+) 0 xs) `div` {-# SCC count #-} (length xs)

main :: IO ()
main = do
  as <- getArgs
  let n = case as of { (a:_) -> read a; _ -> 20000 }
  print (mean [1 .. n])
