-- A server whose cache never drops an entry.
module Main (main) where
import Control.Monad
import Control.Exception (evaluate)
import Data.IORef
import qualified Data.Map.Strict as Map
import System.Environment

type Cache = Map.Map Int String

render :: Int -> String
render i = let s = concatMap show [i .. i + 20] in length s `seq` s

serve :: IORef Cache -> Int -> IO Int
serve ref i = do
  cache <- readIORef ref
  case Map.lookup i cache of
    Just page -> return $! length page
    Nothing -> do
      page <- evaluate (render i)
      writeIORef ref $! Map.insert i page cache
      return $! length page

main :: IO ()
main = do
  as <- getArgs
  let n = case as of { (a:_) -> read a; _ -> 2000 }
  ref <- newIORef Map.empty
  sizes <- forM [1 .. n] (serve ref)
  print (sum sizes)
