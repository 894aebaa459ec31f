{-# LANGUAGE MagicHash, UnboxedTuples #-}
-- SPDX-License-Identifier: BSD-2-Clause
-- A structure, by its name, that the program walks itself with ghc-heap: it prints how many closures of each kind and
-- size there are, "CONSTRUCTOR BYTES COUNT", or "- BYTES COUNT" for other closures.
module Main (main) where

import Control.Concurrent.MVar
import Control.Exception
import Control.Monad
import Data.Array
import Data.Bits
import qualified Data.ByteString.Short as Short
import Data.IORef
import qualified Data.Map as Map
import qualified Data.Sequence as Seq
import qualified Data.Set as Set
import qualified Data.Text as Text
import Foreign.StablePtr
import GHC.Exts
import GHC.Exts.Heap
import GHC.IO (IO (..))
import GHC.Word
import System.Environment
import System.Mem
import Unsafe.Coerce
import Waits

data Walked = Walked Any

data Record = Record !Int {-# UNPACK #-} !Double String (Maybe Record)

data Ring = Ring Int Ring

numbers :: [Int]
numbers = [1001 .. 1300]

square :: Int -> Int -> Int
square k n = n * n + k
{-# NOINLINE square #-}

sums :: Int -> Int -> Int -> Int
sums a b c = a + b + c
{-# NOINLINE sums #-}

-- Evaluates a list up to its end.
spine :: [a] -> IO [a]
spine list = evaluate (length list) >> return list

shown :: Show a => a -> IO a
shown value = evaluate (length (show value)) >> return value

any' :: IO a -> IO Any
any' = fmap unsafeCoerce

structures :: Int -> [(String, IO Any)]
structures k =
  [ ("list", any' (shown (map (+ k) numbers)))
  , ("map", any' (shown (Map.fromList [(n, show (n + k)) | n <- numbers])))
  , ("thunks", any' (spine (map (square k) numbers)))
  , ("functions", any' (spine (map (sums k) (map (+ k) numbers) ++ map (\n m -> square m (n + k)) numbers)))
  , ("array", any' (shown (listArray (1, 300) (map (+ k) numbers))))
  , ("references", any' (forM numbers (\n -> newIORef (Just n) >>= newMVar) >>= spine))
  , ("ring", any' (let ring = foldr Ring ring (map (+ k) numbers) in evaluate (walkRing 900 ring) >> return ring))
  , ("bytes", any' (shown [Short.pack (replicate (n `mod` 40) (fromIntegral k)) | n <- numbers]))
  , ("records", any' (let records = [Record n (fromIntegral k) (show n) (Just (Record k 1 "" Nothing)) | n <- numbers]
                      in evaluate (sum (map size records)) >> return records))
  , ("sequence", any' (shown (Seq.fromList [Text.pack (show (n + k)) | n <- numbers])))
  ]
  where
    walkRing :: Int -> Ring -> Int
    walkRing 0 (Ring n _) = n
    walkRing n (Ring m next) = m `seq` walkRing (n - 1) next
    size (Record n x text other) = n + round x + length text + maybe 0 size other

-- Only closures in the heap move, and are walked.
addressOf :: Box -> IO Word64
addressOf (Box a) = IO $ \s -> case anyToAddr# a s of
  (# s', address #) -> (# s', fromIntegral (W# (int2Word# (addr2Int# address))) .&. complement 7 #)

isInHeap :: Word64 -> Bool
isInHeap address = address >= 0x4200000000 && address < 0x14200000000

type Found = Map.Map (String, Int) Int

walk :: Found -> Set.Set Word64 -> [Box] -> IO Found
walk found _ [] = return found
walk found seen (box@(Box a) : left) = do
  address <- addressOf box
  if not (isInHeap address) || Set.member address seen
    then walk found seen left
    else do
      closure <- getBoxedClosureData box
      let name = case closure of
            ConstrClosure {pkg = package, modl = modul, name = constructor} ->
              package ++ ":" ++ modul ++ "." ++ constructor
            _ -> "-"
          found' = Map.insertWith (+) (name, 8 * I# (closureSize# a)) 1 found
      walk found' (Set.insert address seen) (allClosures closure ++ left)

main :: IO ()
main = do
  [name] <- getArgs
  begins
  Just make <- return (lookup name (structures (length name)))
  walked <- Walked <$> make
  stable <- evaluate walked >>= newStablePtr
  performMajorGC
  performMajorGC
  kept <- deRefStablePtr stable
  found <- walk Map.empty Set.empty [asBox kept]
  forM_ (Map.toList found) $ \((kind, n), count) -> putStrLn (unwords [kind, show n, show count])
  waits
  freeStablePtr stable
