-- SPDX-License-Identifier: BSD-2-Clause
-- How these programs work with the test: they begin when they get a line, collect all garbage, and wait
-- for another line in C, which leaves the heap as the collection did.
module Waits (begins, waits) where

import Foreign.C.Types
import System.IO
import System.Mem

foreign import ccall safe "getchar" nextByte :: IO CInt

skipLine :: IO ()
skipLine = do
  byte <- nextByte
  if byte == 10 || byte < 0 then return () else skipLine

begins :: IO ()
begins = do
  hSetBuffering stdout LineBuffering
  skipLine
  putStrLn "begins"

waits :: IO ()
waits = do
  performMajorGC
  performMajorGC
  putStrLn "waits"
  collectsAgain

-- Collects at each line "again".
collectsAgain :: IO ()
collectsAgain = do
  byte <- nextByte
  if byte == 10 || byte < 0 then return () else skipLine
  if byte /= 97 then return () else do
    performMajorGC
    putStrLn "again"
    collectsAgain
