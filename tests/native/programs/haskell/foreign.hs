-- SPDX-License-Identifier: BSD-2-Clause
-- Keeps 100 blocks of C of 1001 to 1100 bytes.
import Kept

main :: IO ()
main = mapM (\n -> kept' (1000 + n)) [1 .. 100] >>= print . length
