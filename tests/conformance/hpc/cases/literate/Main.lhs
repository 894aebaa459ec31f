A literate program: only lines with a mark are Haskell.

> module Main where
>
> import Words

The program counts.

> main :: IO ()
> main = interact $ \ text ->
>   if null text
>     then "empty\n"
>     else unlines [ w ++ replicate n '*' | (w, n) <- count (words text), n > 1 || isLong w ]
