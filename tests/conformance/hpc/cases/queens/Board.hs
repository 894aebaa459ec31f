module Board where

type Queen = (Int, Int)

safe :: Queen -> [Queen] -> Bool
safe (r, c) qs = and [c /= c' && r - r' /= abs (c - c') | (r', c') <- qs]

solutions :: Int -> [[Queen]]
solutions n = go n
  where
    go 0 = [[]]
    go r = [(r, c) : qs | qs <- go (r - 1), c <- [1 .. n], safe (r, c) qs]

picture :: Int -> [Queen] -> [String]
picture n qs = [[if (r, c) `elem` qs then 'Q' else dot r c | c <- [1 .. n]] | r <- [1 .. n], n > 1]
  where
    dot r c
      | even (r + c), r > 0 = '.'
      | odd r, even c = ','
      | otherwise = ' '
