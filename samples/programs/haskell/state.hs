-- A counter in a lazy state monad: its value is a chain of additions, until it is printed.
module Main (main) where
import Control.Monad.Trans.State.Lazy
import System.Environment

step :: Int -> State Int ()
step i = modify (+ i)

main :: IO ()
main = do
  as <- getArgs
  let n = case as of { (a:_) -> read a; _ -> 20000 }
  print (execState (mapM_ step [1 .. n]) 0)
