-- Lag and void: a table that is created long before it is used, and one that is never used.
module Main (main) where
import Control.Exception (evaluate)
import Data.IORef
import System.Environment

-- A chain of functions: see drag.hs.
newtype Table = Table (Bool -> Table)

table :: Int -> Table
table n = go n (Table (const (table 0)))
  where go 0 t = t
        go i t = go (i - 1) $! Table (\end -> if end then table 0 else t)

look :: Int -> Table -> Int
look n = go 0
  where go i (Table t) = if i == n then n else go (i + 1) $! t False

churn :: Int -> IO ()
churn n = {-# SCC churn #-} () <$ evaluate (length [1 .. n])

main :: IO ()
main = do
  as <- getArgs
  let n = case as of { (a:_) -> read a; _ -> 20000 }
  lag <- newIORef =<< {-# SCC lag_table #-} evaluate (table n)
  never <- newIORef =<< {-# SCC void_table #-} evaluate (table (2 * n))
  churn (10 * n)
  churn (10 * n)
  t <- readIORef lag
  print ({-# SCC use #-} look n t)
  writeIORef lag (table 0)
  writeIORef never (table 0)
  churn (10 * n)
