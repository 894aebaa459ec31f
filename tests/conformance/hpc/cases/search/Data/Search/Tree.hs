{-# LANGUAGE BangPatterns #-}
module Data.Search.Tree
  ( Tree
  , empty
  , insert
  , member
  , toList
  , depth
  , (<+>)
  ) where

data Tree a = Leaf | Node !(Tree a) a !(Tree a)

empty :: Tree a
empty = Leaf

insert :: Ord a => a -> Tree a -> Tree a
insert x Leaf = Node Leaf x Leaf
insert x t@(Node l y r) = case compare x y of
  LT -> Node (insert x l) y r
  GT -> Node l y (insert x r)
  EQ -> t

member :: Ord a => a -> Tree a -> Bool
member _ Leaf = False
member x (Node l y r)
  | x < y = member x l
  | x > y = member x r
  | otherwise = True

toList :: Tree a -> [a]
toList t = go t []
  where
    go Leaf rest = rest
    go (Node l x r) rest = go l (x : go r rest)

depth :: Tree a -> Int
depth Leaf = 0
depth (Node l _ r) =
  let !a = depth l
      !b = depth r
   in 1 + max a b

infixr 5 <+>

(<+>) :: Ord a => Tree a -> Tree a -> Tree a
a <+> b = foldr insert b (toList a)

instance Foldable Tree where
  foldMap f = foldMap f . toList
