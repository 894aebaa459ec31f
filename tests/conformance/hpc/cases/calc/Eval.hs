module Eval where

import Parser

eval :: Expression -> Maybe Integer
eval (Literal n) = Just n
eval (Negate e) = negate <$> eval e
eval (Binary o a b) = do
  x <- eval a
  y <- eval b
  case o of
    '+' -> Just (x + y)
    '-' -> Just (x - y)
    '*' -> Just (x * y)
    _ | y == 0 -> Nothing
      | otherwise -> Just (x `div` y)

unused :: Int -> Int
unused n = if n > 0 then helper n else 0
  where
    helper m = m * 2
