module Main (main) where

import Shape
import System.Environment
import Table

main :: IO ()
main = do
  args <- getArgs
  let shapes = concatMap shape args
  putStr (table [[name s, show (round (area s) :: Int)] | s <- shapes, area s > 0])
  if length shapes > 2
    then print (maximum (map area shapes))
    else return ()

shape :: String -> [Shape]
shape "circle" = [Circle 2]
shape "square" = [Rectangle 3 3]
shape "rectangle" = [Rectangle {width = 3, height = 4}]
shape "triangle" = [Polygon [(0, 0), (4, 0), (0, 3)]]
shape "big" = map (scale 10) (shape "circle")
shape _ = []
