-- SPDX-License-Identifier: BSD-2-Clause
-- Four threads fill a cache of texts and bytes, and wait.
import Control.Concurrent
import Control.Monad
import qualified Data.ByteString.Char8 as Bytes
import Data.IORef
import qualified Data.Map.Strict as Map
import qualified Data.Text as Text
import Waits

data Entry = Entry {key :: String, bytes :: Bytes.ByteString, text :: Text.Text, hits :: IORef Int}

fill :: IORef (Map.Map Int Entry) -> Int -> IO ()
fill cache thread = forM_ [thread * 2000 .. thread * 2000 + 1999] $ \i -> do
  counter <- newIORef 0
  let entry = Entry (show i) (Bytes.pack (replicate (i `mod` 200) 'x')) (Text.pack (show i)) counter
  atomicModifyIORef' cache (\entries -> (Map.insert i entry entries, ()))

main :: IO ()
main = do
  begins
  cache <- newIORef Map.empty
  ends <- newEmptyMVar
  filled <- forM [0 .. 3] $ \thread -> do
    done <- newEmptyMVar
    _ <- forkIO (fill cache thread >> putMVar done () >> takeMVar ends)
    return done
  mapM_ takeMVar filled
  waits
  mapM_ (const (putMVar ends ())) filled
  entries <- readIORef cache
  print (sum [Bytes.length (bytes e) + Text.length (text e) + length (key e) | e <- Map.elems entries])
  print . sum =<< mapM (readIORef . hits) (Map.elems entries)
