module Data.Search (module Data.Search.Tree, fromList) where

import Data.Search.Tree

fromList :: Ord a => [a] -> Tree a
fromList = foldl (flip insert) empty
