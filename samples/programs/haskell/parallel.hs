-- Two threads with labels that build maps, sparks, and a pause, for event logs of GHC with a heap
-- profile, threads, collections and sparks:
--
--     ghc -O1 -prof -fprof-auto-top -threaded -rtsopts -eventlog parallel.hs
--     ./parallel +RTS -N2 -hc -i0.002 -lf
import Control.Concurrent
import Data.List (foldl')
import qualified Data.Map.Strict as M
import Debug.Trace (traceMarkerIO)
import GHC.Conc (labelThread, par, pseq)

-- The number of ways to place queens, with a spark for each place of the first two.
queens :: Int -> Int
queens n = parSum [count n [q, p] | p <- [1 .. n], q <- [1 .. n], abs (q - p) > 1]

parSum :: [Int] -> Int
parSum = foldr (\x rest -> x `par` (rest `pseq` (x + rest))) 0

count :: Int -> [Int] -> Int
count n placed
  | length placed == n = 1
  | otherwise = sum [count n (q : placed) | q <- [1 .. n], isSafe q]
  where
    isSafe q = and [q /= p && abs (q - p) /= d | (d, p) <- zip [1 ..] placed]

buildIndex :: Int -> M.Map Int [Int]
buildIndex n = foldl' (\m i -> M.insert (i * 7919 `mod` n) [i .. i + 5] m) M.empty [1 .. n]

worker :: String -> Int -> IO (MVar Int)
worker name n = do
  done <- newEmptyMVar
  _ <- forkIO $ do
    thread <- myThreadId
    labelThread thread name
    putMVar done $! sum (map length (M.elems (buildIndex n)))
  return done

main :: IO ()
main = do
  thread <- myThreadId
  labelThread thread "main"
  traceMarkerIO "queens"
  print (queens 8)
  traceMarkerIO "index"
  parsed <- worker "parser" 30000
  indexed <- worker "indexer" 50000
  total <- (+) <$> takeMVar parsed <*> takeMVar indexed
  print total
  threadDelay 40000
  traceMarkerIO "more queens"
  print (queens 9)
