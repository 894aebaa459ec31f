-- SPDX-License-Identifier: BSD-2-Clause
-- Threads that wait for each other's messages, with what they have received on their stacks.
import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import Waits

worker :: Chan Int -> TVar Int -> MVar () -> MVar Int -> IO ()
worker from total go done = do
  received <- replicateM 50 (readChan from)
  atomically (modifyTVar' total (+ length received))
  takeMVar go
  putMVar done (sum received)

main :: IO ()
main = do
  begins
  total <- newTVarIO 0
  all' <- forM [1 .. 40] $ \n -> do
    from <- newChan
    go <- newEmptyMVar
    done <- newEmptyMVar
    _ <- forkIO (worker from total go done)
    writeList2Chan from [n .. n + 80]
    return (from, go, done)
  atomically (readTVar total >>= \n -> when (n < 2000) retry)
  print (length all')
  waits
  forM_ all' $ \(_, go, _) -> putMVar go ()
  sums <- forM all' $ \(from, _, done) -> (+) <$> takeMVar done <*> readChan from
  print (sum sums)
