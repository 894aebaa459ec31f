module Text.Wrap (wrap) where

wrap :: Int -> String -> [String]
wrap width = map unwords . go 0 [] . words
  where
    go _ line [] = [reverse line | not (null line)]
    go n line (w : ws)
      | null line = go (length w) [w] ws
      | n + 1 + length w <= width = go (n + 1 + length w) (w : line) ws
      | otherwise = reverse line : go 0 [] (w : ws)
