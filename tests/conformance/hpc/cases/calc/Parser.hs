module Parser (Expression (..), parse) where

import Lexer

data Expression
  = Literal Integer
  | Binary Char Expression Expression
  | Negate Expression

-- Grammar: sum = product {(+|-) product}; product = atom {(*|/) atom}.
parse :: [Token] -> Either String Expression
parse ts = case summands ts of
  Right (e, []) -> Right e
  Right (_, t : _) -> Left ("unexpected " ++ show t)
  Left why -> Left why

summands, factors, atom :: [Token] -> Either String (Expression, [Token])
summands ts = factors ts >>= uncurry (chain "+-" factors)
factors ts = atom ts >>= uncurry (chain "*/" atom)
atom (Number n : ts) = Right (Literal n, ts)
atom (Operator '-' : ts) = do
  (e, rest) <- atom ts
  return (Negate e, rest)
atom (Open : ts) = do
  (e, rest) <- summands ts
  case rest of
    Close : rest' -> return (e, rest')
    _ -> Left "missing )"
atom _ = Left "expected a number"

chain :: String -> ([Token] -> Either String (Expression, [Token])) -> Expression -> [Token] -> Either String (Expression, [Token])
chain ops next = go
  where
    go left (Operator o : ts)
      | o `elem` ops = do
          (right, rest) <- next ts
          go (Binary o left right) rest
    go left ts = Right (left, ts)
