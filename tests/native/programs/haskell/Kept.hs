-- SPDX-License-Identifier: BSD-2-Clause
-- Memory of C that a Haskell function allocates, and keeps.
module Kept (kept') where

import Data.Word
import Foreign.Marshal.Alloc
import Foreign.Ptr
import Foreign.Storable

kept' :: Int -> IO (Ptr Word8)
kept' n = do
  place <- mallocBytes n
  pokeByteOff place 0 (1 :: Word8)
  return place
{-# NOINLINE kept' #-}
