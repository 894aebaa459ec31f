module Table (table, Align (..)) where

data Align = L | R

pad :: Align -> Int -> String -> String
pad a n s =
  case a of
    L -> s ++ blanks
    R -> blanks ++ s
  where
    blanks = replicate (n - length s) ' '

table :: [[String]] -> String
table [] = "nothing\n"
table rows = unlines (map line rows)
  where
    line cells = unwords (zipWith3 pad (L : repeat R) widths cells)
    widths = [maximum (map (length . (!! i)) rows) | i <- [0 .. columns - 1]]
    columns = minimum (map length rows)
