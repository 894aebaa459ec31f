module Main where

import Board
import Statistics
import System.Environment

main :: IO ()
main = getArgs >>= mapM_ (solve . read)

solve :: Int -> IO ()
solve n = case solutions n of
  [] -> putStrLn "none"
  found@(first : _)
    | n < 5 -> mapM_ putStrLn (picture n first)
    | otherwise -> putStrLn (describe (map (map snd) found))
