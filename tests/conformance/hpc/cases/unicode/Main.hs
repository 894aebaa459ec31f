module Main where

import Größe
import System.IO
import Tabs

main :: IO ()
main = do
  hSetEncoding stdout utf8
  hSetEncoding stdin utf8
  input <- getContents
  mapM_ (\w -> putStrLn (λ (länge w) ++ tabs (länge w ⊕ 1))) (lines input)
  print (unter'strich_ (null input) True)
