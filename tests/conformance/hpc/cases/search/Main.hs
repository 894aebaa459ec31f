import Data.Search
import System.Environment
import System.Exit

main = do
  words' <- getArgs
  let t = fromList words'
      more = fromList ["x", "y"] <+> t
  print (toList t)
  if depth t > 2 && not (member "quiet" t)
    then print (depth more, sum (fmap length (toList more)))
    else putStrLn "flat"
  if member "fail" t then exitWith (ExitFailure 3) else return ()
