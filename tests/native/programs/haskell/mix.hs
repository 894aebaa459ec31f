-- SPDX-License-Identifier: BSD-2-Clause
-- One of each: arrays, variables of transactions, weak and stable pointers, blocked threads, a compact
-- region, partial applications.
import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import Data.Array
import qualified Data.Array.IO as IOArray
import Data.IORef
import Foreign.StablePtr
import qualified GHC.Compact as Compact
import System.Mem.StableName
import System.Mem.Weak
import Waits

data Tree = Leaf | Node Tree Int Tree

build :: Int -> Int -> Tree
build 0 _ = Leaf
build depth n = Node (build (depth - 1) (2 * n)) n (build (depth - 1) (2 * n + 1))

total :: Tree -> Int
total Leaf = 0
total (Node left n right) = total left + n + total right

main :: IO ()
main = do
  begins
  variables <- replicateM 3000 (newTVarIO (0 :: Int))
  boxes <- IOArray.newListArray (0, 9999) [0 ..] :: IO (IOArray.IOArray Int Integer)
  numbers <- IOArray.newListArray (0, 49999) [0 ..] :: IO (IOArray.IOUArray Int Int)
  let lazy = listArray (0, 4999) [x * 3 | x <- [1 ..]] :: Array Int Integer
      held = build 12 1
      functions = [foldr (+) n | n <- [1 .. 500]] :: [[Int] -> Int]
  print (total held)
  stable <- newStablePtr held
  region <- Compact.compact [(n, show n) | n <- [1 .. 2000 :: Int]]
  reference <- newIORef (build 10 5)
  tree <- readIORef reference
  print (total tree)
  weak <- mkWeakPtr tree (Just (return ()))
  cells <- forM [1 .. 500 :: Int] $ \i -> do
    cell <- newIORef i
    _ <- mkWeakIORef cell (return ())
    return cell
  name <- makeStableName reference
  gate <- newEmptyMVar
  open <- newTVarIO False
  ended <- newTVarIO (0 :: Int)
  forM_ (take 20 variables) $ \variable -> forkIO $ do
    atomically (modifyTVar' variable (+ 1))
    readMVar gate
    atomically (modifyTVar' ended (+ 1))
  _ <- forkIO $ atomically (readTVar open >>= check) >> atomically (modifyTVar' ended (+ 1))
  print (length functions, lazy ! 7)
  yield
  waits
  again <- deRefStablePtr stable
  values <- mapM readTVarIO (drop 20 variables)
  elements <- IOArray.getElems boxes
  number <- IOArray.readArray numbers 77
  alive <- deRefWeak weak
  cellValues <- mapM readIORef cells
  putMVar gate ()
  atomically (writeTVar open True)
  atomically (readTVar ended >>= check . (== 21))
  print (total again, sum values, sum elements, number, maybe 0 total alive, sum cellValues)
  print (sum (map fst (Compact.getCompact region)), sum (map ($ [1, 2]) functions), lazy ! 4999)
  print (hashStableName name == hashStableName name)
  readIORef reference >>= print . total
