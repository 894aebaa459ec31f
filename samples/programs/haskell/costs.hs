-- Cost-centre stacks: the examples of GHC's user's guide, and the effect of recursion.
module Main (main) where
import System.Environment

fib :: Int -> Int
fib n = if n < 2 then 1 else fib (n - 1) + fib (n - 2)

isEven, isOdd :: Int -> Bool
isEven n = n == 0 || isOdd (n - 1)
isOdd n = n /= 0 && isEven (n - 1)

outer :: Int -> Int
outer n = if n == 0 then 0 else n + {-# SCC inner #-} (outer (n - 1))

adder :: Int -> (Int -> Int)
adder k = let m = k + 0 in m `seq` (\x -> x + m)

main :: IO ()
main = do
  as <- getArgs
  let n = case as of { (a:_) -> read a; _ -> 25 }
  print (f n + g n)
  print (isEven n)
  print (outer n)
  let add = adder n
  add `seq` print ({-# SCC caller #-} (add 1))
  where
    f n = fib n
    g n = fib (n `div` 2)
