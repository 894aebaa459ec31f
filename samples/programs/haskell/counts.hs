-- SPDX-License-Identifier: BSD-2-Clause
-- Counts the words of a made-up text. The counts are asked for at the end only: until then, each is a
-- chain of additions. With Data.Map.Strict instead of Data.Map, the program needs a few hundred KiB.
import Data.List (foldl')
import qualified Data.Map as Map

text :: Int -> [String]
text n = [word (i * 7919 `mod` 1000003) | i <- [1 .. n]]
  where
    word i = "word" ++ show (i `mod` 2003)

count :: Map.Map String Int -> String -> Map.Map String Int
count counts word = Map.insertWith (+) word 1 counts

main :: IO ()
main = do
  let counts = foldl' count Map.empty (text 3000000)
  print (Map.size counts)
  print (maximum (Map.elems counts))
