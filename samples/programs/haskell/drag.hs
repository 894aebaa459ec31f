-- Drag: a table that is used early and kept until the end.
module Main (main) where
import Control.Exception (evaluate)
import Data.IORef
import System.Environment

-- A table is a chain of functions, each of which returns the next one: GHC records a use when a
-- function is called, but not when a constructor is read through a tagged pointer.
newtype Table = Table (Bool -> Table)

table :: Int -> Table
table n = go n (Table (const (table 0)))
  where go 0 t = t
        go i t = go (i - 1) $! Table (\end -> if end then table 0 else t)

-- Calls each of the functions.
look :: Int -> Table -> Int
look n = go 0
  where go i (Table t) = if i == n then n else go (i + 1) $! t False

churn :: Int -> IO ()
churn n = {-# SCC churn #-} () <$ evaluate (length [1 .. n])

main :: IO ()
main = do
  as <- getArgs
  let n = case as of { (a:_) -> read a; _ -> 20000 }
  ref <- newIORef =<< {-# SCC make #-} evaluate (table n)
  t <- readIORef ref
  print ({-# SCC use #-} look n t)
  churn (10 * n)
  churn (10 * n)
  writeIORef ref (table 0)
  churn (10 * n)
