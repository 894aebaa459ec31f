-- The example of GHC's user's guide: cost centres set by hand.
module Main (main) where
import System.Environment

main :: IO ()
main = do
  as <- getArgs
  let n = case as of { (a:_) -> read a; _ -> 100000 }
  let xs = [1 .. n] :: [Int]
  let ys = [1 .. 2 * n] :: [Int]
  print $ {-# SCC last_xs #-} last xs
  print $ {-# SCC last_init_xs #-} (last $ init xs)
  print $ {-# SCC last_ys #-} last ys
  print $ {-# SCC last_init_ys #-} (last $ init ys)
