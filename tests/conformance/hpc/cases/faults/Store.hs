module Store where

import Control.Exception
import qualified Data.Map.Strict as Map
import Data.IORef

data Fault = Missing String | Full Int deriving (Show)

instance Exception Fault

type Store = IORef (Map.Map String Int)

set :: Store -> String -> Int -> IO ()
set store key n = do
  m <- readIORef store
  if Map.size m >= 3 && Map.notMember key m
    then throwIO (Full (Map.size m))
    else writeIORef store (Map.insert key n m)

fetch :: Store -> String -> IO Int
fetch store key = readIORef store >>= maybe (throwIO (Missing key)) return . Map.lookup key
