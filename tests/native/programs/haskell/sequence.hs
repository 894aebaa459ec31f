-- SPDX-License-Identifier: BSD-2-Clause
-- Finger trees, maps by number, and sets.
import qualified Data.IntMap as IntMap
import qualified Data.Sequence as Seq
import qualified Data.Set as Set
import Waits

main :: IO ()
main = do
  begins
  let queue = foldl (\q n -> if even n then q Seq.|> n else n Seq.<| q) Seq.empty [1 .. 20000 :: Int]
      table = IntMap.fromList [(n * 7919 `mod` 65537, Seq.fromList [n, n + 1]) | n <- [1 .. 5000]]
      words' = Set.fromList [show (n * n `mod` 7001) | n <- [1 .. 3000 :: Int]]
  print (Seq.length queue, IntMap.size table, Set.size words')
  waits
  print (sum queue, sum (fmap sum table), sum (map length (Set.toList words')))
