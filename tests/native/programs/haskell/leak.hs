-- SPDX-License-Identifier: BSD-2-Clause
-- A map whose values are sums that nobody has asked for.
import qualified Data.Map as Map
import Waits

counted :: [Int] -> Map.Map Int Int
counted = foldr (\n -> Map.insertWith (+) (n `mod` 5000) n) Map.empty

main :: IO ()
main = do
  begins
  let sums = counted [1 .. 60000]
  print (Map.size sums)
  waits
  print (Map.foldr (+) 0 sums)
