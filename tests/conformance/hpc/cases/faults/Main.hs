module Main where

import Command
import qualified Data.Map.Strict as Map
import Data.IORef

main :: IO ()
main = do
  store <- newIORef Map.empty
  interactive store . lines =<< getContents
  where
    interactive _ [] = putStrLn "end"
    interactive store (line : rest) = do
      answer <- obey store (words line)
      putStrLn answer
      interactive store rest
