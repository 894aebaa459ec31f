-- SPDX-License-Identifier: BSD-2-Clause
-- Weak pointers with keys that live, and such that do not, stable pointers and names, and threads with handlers.
import Control.Concurrent
import Control.Exception
import Control.Monad
import Data.IORef
import Foreign.StablePtr
import GHC.Conc
import System.Mem.StableName
import System.Mem.Weak
import Waits

main :: IO ()
main = do
  begins
  keys <- forM [1 .. 500 :: Int] $ \n -> newIORef [n .. n + 5]
  weaks <- forM keys $ \key -> mkWeakIORef key (return ())
  lost <- forM [1 .. 500 :: Int] $ \n -> newIORef n >>= \key -> mkWeak key (replicate 3 n) Nothing
  stables <- forM [1 .. 300 :: Int] $ \n -> newStablePtr (replicate n (show n))
  names <- mapM makeStableName keys
  block <- newEmptyMVar
  done <- newEmptyMVar
  handlers <- forM [1 .. 20 :: Int] $ \n -> forkIO $
    (mask (\restore -> restore (takeMVar block)) `catch` \e -> print (e :: ArithException)) `finally` putMVar done n
  let settle = do
        states <- mapM threadStatus handlers
        unless (all (== ThreadBlocked BlockedOnMVar) states) (yield >> settle)
  settle
  waits
  alive <- length . filter (maybe False (const True)) <$> mapM deRefWeak weaks
  gone <- length . filter (maybe True (const False)) <$> mapM deRefWeak lost
  texts <- mapM deRefStablePtr stables
  replicateM_ 20 (putMVar block ())
  threads <- replicateM 20 (takeMVar done)
  lists <- mapM readIORef keys
  print (alive, gone, sum (map length texts), sum threads, length (filter (== head names) names), sum (map sum lists))
