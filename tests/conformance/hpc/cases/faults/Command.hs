module Command (obey) where

import Control.Exception
import Store

obey :: Store -> [String] -> IO String
obey store ["set", k, v] = set store k (read v) >> return "ok"
obey store ["get", k] = show <$> fetch store k
obey store ["try", k] = handle recover (show <$> fetch store k)
  where
    recover (Missing what) = return ("no " ++ what)
    recover fault = throwIO fault
obey _ ["div", a, b] = evaluate (show (read a `div` read b :: Int))
obey _ [] = return ""
obey _ (word : _) = error ("no command " ++ word)
