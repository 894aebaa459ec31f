module Report (report) where

import Vector

report :: Vector -> Int -> String
report v n
  | v == 0 = "home after " ++ show n
  | dot v v > 4 = "far"
  | otherwise = show v
