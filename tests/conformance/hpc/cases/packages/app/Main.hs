module Main where

import Path
import Report
import System.Environment

main :: IO ()
main = do
  walks <- getArgs
  mapM_ (\w -> putStrLn (report (path w) (turns w))) walks
