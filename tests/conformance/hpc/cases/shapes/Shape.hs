module Shape where

-- A record with fields, an instance by hand and derived ones.
data Shape
  = Circle {radius :: Double}
  | Rectangle {width, height :: Double}
  | Polygon [(Double, Double)]
  deriving (Eq, Show)

class Solid a where
  area :: a -> Double
  name :: a -> String
  name _ = "nameless"

instance Solid Shape where
  area (Circle r) = pi * r * r
  area (Rectangle w h) = w * h
  area (Polygon points) = abs (sum (zipWith cross points (drop 1 points ++ take 1 points))) / 2
    where
      cross (x, y) (x', y') = x * y' - x' * y
  name (Circle _) = "circle"
  name (Rectangle w h)
    | w == h = "square"
    | otherwise = "rectangle"
  name (Polygon ps) = if length ps == 3 then "triangle" else "polygon"

scale :: Double -> Shape -> Shape
scale k (Circle r) = Circle (k * r)
scale k (Rectangle w h) = Rectangle (k * w) (k * h)
scale k (Polygon ps) = Polygon [(k * x, k * y) | (x, y) <- ps, k /= 0]
