module Lexer (Token (..), tokens) where

import Data.Char

data Token
  = Number Integer
  | Operator Char
  | Open
  | Close
  deriving (Eq, Show)

tokens :: String -> Either String [Token]
tokens [] = Right []
tokens (c : cs)
  | isSpace c = tokens cs
  | isDigit c =
      let (digits, rest) = span isDigit (c : cs)
       in (Number (read digits) :) <$> tokens rest
  | c `elem` "+-*/" = (Operator c :) <$> tokens cs
  | c == '(' = (Open :) <$> tokens cs
  | c == ')' = (Close :) <$> tokens cs
  | otherwise = Left ("strange character " ++ show c)
