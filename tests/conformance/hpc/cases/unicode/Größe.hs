module Größe where

-- Länge von Wörtern: ein Zeichen ist eine Spalte, auch außerhalb von ASCII.
länge :: String -> Int
länge wort = if null wort then nichts else summe [1 | c <- wort, c /= 'ß', c /= 'λ']
  where
    nichts = 0; summe = sum

λ :: Int -> String
λ n | n > 3 = "größer als drei → ‘λ’" | n < 0 = "𝔘nter null" | otherwise = "klein"

a ⊕ b = a + b
