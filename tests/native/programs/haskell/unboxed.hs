-- SPDX-License-Identifier: BSD-2-Clause
-- Arrays of numbers, of references, and of arrays.
import Data.Array.IArray
import Data.Array.IO
import Data.Array.Unboxed (UArray)
import Waits

main :: IO ()
main = do
  begins
  let numbers = listArray (0, 49999) [1 ..] :: UArray Int Int
      rows = listArray (1, 150) [listArray (1, n) [1 ..] | n <- [1 .. 150]] :: Array Int (UArray Int Double)
      table = listArray (0, 3000) [if n < 2 then n else (table ! (n - 1) + table ! (n - 2)) `mod` 1000 | n <- [0 .. 3000]]
        :: Array Int Int
  cells <- newArray (0, 999) [] :: IO (IOArray Int [Int])
  bits <- newArray (0, 99999) False :: IO (IOUArray Int Bool)
  mapM_ (\n -> readArray cells (n `mod` 1000) >>= writeArray cells (n `mod` 1000) . (n :)) [1 .. 8000]
  writeArray bits 77 True
  print (numbers ! 7, (rows ! 3) ! 1, table ! 1500)
  waits
  lists <- getElems cells
  set <- getElems bits
  print (sum (concat lists), length (filter id set), sum (elems table), sum (concatMap elems (elems rows)))
  print (sum (elems numbers))
