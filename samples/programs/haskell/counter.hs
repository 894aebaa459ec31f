-- A counter that is incremented lazily: a chain of additions, until it is printed.
module Main (main) where
import Data.IORef
import System.Environment

count :: IORef Int -> Int -> IO ()
count ref n = mapM_ (\i -> modifyIORef ref (+ i)) [1 .. n]

main :: IO ()
main = do
  as <- getArgs
  let n = case as of { (a:_) -> read a; _ -> 20000 }
  ref <- newIORef 0
  count ref n
  readIORef ref >>= print
