-- SPDX-License-Identifier: BSD-2-Clause
--
-- The peer of bench_eventlog.py: reads the heap samples of an event log in the order of time with the
-- ghc-events library, and prints how many costs there are and their sum.
import Data.List (foldl')
import GHC.RTS.Events
import System.Environment (getArgs)

main :: IO ()
main = do
  [path] <- getArgs
  result <- readEventLogFromFile path
  case result of
    Left message -> error message
    Right log' -> print (foldl' add (0, 0) (sortEvents (events (dat log'))))

add :: (Int, Integer) -> Event -> (Int, Integer)
add (n, total) event = case cost (evSpec event) of
  Just bytes -> let n' = n + 1; t' = total + fromIntegral bytes in n' `seq` t' `seq` (n', t')
  Nothing -> (n, total)
 where
  cost (HeapProfSampleCostCentre {heapProfResidency = bytes}) = Just bytes
  cost (HeapProfSampleString {heapProfResidency = bytes}) = Just bytes
  cost _ = Nothing
