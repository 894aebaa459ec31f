\begin{code}
module Words where

count :: [String] -> [(String, Int)]
count [] = []
count (w : ws) = (w, 1 + length same) : count others
  where
    same = filter (== w) ws
    others = filter (/= w) ws

isLong :: String -> Bool
isLong w = length w > limit && notElem '-' w

limit :: Int
limit = 5
\end{code}
