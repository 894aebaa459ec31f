module Roman (roman) where

roman :: Int -> String
roman n | n <= 0 = "nulla"
roman n = concat (replicate 1 (go n table))
  where
    go 0 _ = ""
    go k ((v, s) : rest)
      | k >= v = s ++ go (k - v) ((v, s) : rest)
      | otherwise = go k rest
    go _ [] = error "no numeral is left"
    table =
      [ (10, "X"), (9, "IX")
      , (5, "V"), (4, "IV")
      , (1, "I") ]
