-- SPDX-License-Identifier: BSD-2-Clause
-- Texts that share memory, and lazy strings of bytes that are made in part.
{-# LANGUAGE OverloadedStrings #-}
import qualified Data.ByteString as B
import qualified Data.ByteString.Builder as Builder
import qualified Data.ByteString.Lazy as L
import qualified Data.Text as T
import Waits

main :: IO ()
main = do
  begins
  let whole = T.replicate 3000 "one two three "
      parts = T.words whole
      bytes = Builder.toLazyByteString (mconcat (map Builder.intDec [1 .. 40000]))
      short = [B.replicate n 65 | n <- [1 .. 400]]
  print (length parts, L.length (L.take 60000 bytes), sum (map B.length short))
  waits
  print (sum (map T.length parts), L.length bytes, B.length (B.concat short))
