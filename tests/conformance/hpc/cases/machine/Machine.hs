module Machine where

import State

data Instruction
  = Push Int
  | Add
  | Swap
  | Jump {target :: Int, condition :: Bool}
  | Halt
  deriving (Read, Show)

data Machine = Machine
  { stack :: [Int]
  , counter :: Int
  , steps :: Int
  }

run :: [Instruction] -> State Machine String
run program = loop
  where
    loop = do
      m <- get
      let i = counter m
      if i < 0 || i >= length program
        then return "out of the program"
        else
          if steps m > 200
            then return "too long"
            else do
              put m {counter = i + 1, steps = steps m + 1}
              execute (program !! i)
    execute Halt = do
      m <- get
      return (show (stack m))
    execute (Push n) = modify (\m -> m {stack = n : stack m}) >> loop
    execute Add = binary (\a b -> [a + b])
    execute Swap = binary (\a b -> [b, a])
    execute (Jump t isConditional) = do
      m <- get
      case stack m of
        (top : rest)
          | isConditional, top == 0 -> put m {stack = rest} >> loop
        _ -> put m {counter = t} >> loop
    binary f = do
      m <- get
      case stack m of
        (a : b : rest) -> put m {stack = f a b ++ rest} >> loop
        _ -> return "stack is empty"
