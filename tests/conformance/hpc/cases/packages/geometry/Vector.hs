module Vector where

data Vector = Vector {x, y :: Int} deriving (Eq, Ord, Show)

instance Num Vector where
  Vector a b + Vector c d = Vector (a + c) (b + d)
  Vector a b * Vector c d = Vector (a * c) (b * d)
  abs (Vector a b) = Vector (abs a) (abs b)
  signum v = v
  fromInteger n = Vector (fromInteger n) (fromInteger n)
  negate (Vector a b) = Vector (negate a) (negate b)

dot :: Vector -> Vector -> Int
dot a b = x p + y p where p = a * b
