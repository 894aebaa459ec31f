module Main where

import Control.Monad
import Eval
import Lexer
import Parser

main :: IO ()
main = do
  input <- getContents
  forM_ (zip [1 :: Int ..] (lines input)) $ \(n, line) ->
    unless (null line) $
      putStrLn (show n ++ ": " ++ answer line)

answer :: String -> String
answer line = case tokens line >>= parse of
  Left why -> "error: " ++ why
  Right e -> maybe "no value" show (eval e)
