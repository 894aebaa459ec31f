module Main where

import Roman
import System.Environment
import Text.Wrap

main :: IO ()
main = do
  (width : rest) <- getArgs
  text <- getContents
  mapM_ number (zip [start rest ..] (wrap (read width) text))
  where
    number (n, line) = putStrLn (roman n ++ " " ++ line)
    start ("-" : _) = 0
    start words' = (if length words' > 1
      then 2 else 1) + 0
