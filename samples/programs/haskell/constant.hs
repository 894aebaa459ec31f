-- A constant at the top level: the list stays once it is evaluated.
module Main (main) where
import System.Environment

squares :: [Int]
squares = map (\x -> x * x) [1 ..]

main :: IO ()
main = do
  as <- getArgs
  let n = case as of { (a:_) -> read a; _ -> 20000 }
  print (sum (take n squares))
  print (length (filter even (take n squares)))
  print (squares !! n)
