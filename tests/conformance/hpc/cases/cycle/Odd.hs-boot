module Odd where

isOdd :: Int -> Bool
