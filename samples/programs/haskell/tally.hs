-- A map whose values are not evaluated: each is a chain of additions.
module Main (main) where
import qualified Data.Map as Map
import System.Environment

tally :: [Int] -> Map.Map Int Int
tally = go Map.empty
  where go m [] = m
        go m (k:ks) = let m' = Map.insertWith (+) k 1 m in m' `seq` go m' ks

main :: IO ()
main = do
  as <- getArgs
  let n = case as of { (a:_) -> read a; _ -> 20000 }
  let m = tally [ i `mod` 100 | i <- [1 .. n] ]
  print (Map.size m)
  print (sum (Map.elems m))
