module Main where

import Classify
import Histogram
import System.Environment

main :: IO ()
main = do
  args <- getArgs
  putStr (histogram (map classify args))
  print (length (pairs args))
  case args of
    ("all" : _) | [minBound ..] == map classify args -> putStrLn "all"
                | length args > 5 -> putStrLn "many"
    _ -> return ()
