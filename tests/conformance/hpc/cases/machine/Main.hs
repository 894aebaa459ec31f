module Main (main) where

import Machine
import State

main :: IO ()
main = do
  program <- map read . lines <$> getContents
  let (answer, m) = runState (run program) (Machine [] 0 0)
  putStrLn answer
  print (steps m)
