module Path (path, turns) where

import Vector

path :: String -> Vector
path = foldr step 0
  where
    step c v
      | Just d <- lookup c moves = d + v
      | otherwise = v
    moves = [('u', Vector 0 1), ('d', Vector 0 (-1)), ('l', Vector (-1) 0), ('r', Vector 1 0)]

turns :: String -> Int
turns (a : b : cs) | a /= b = 1 + turns (b : cs)
                   | otherwise = turns (b : cs)
turns _ = 0
