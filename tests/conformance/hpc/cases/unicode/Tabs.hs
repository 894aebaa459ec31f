module Tabs (tabs, unter'strich_) where

tabs :: Int -> String
tabs n
	| n > 10	= "many\ttabs"
	| even n	= let	x = n
				y = x + 1
		  in show y
	| otherwise	=
	case n of
	  1 ->	"one"	
	  _	-> "odd <&> \"quoted\""


unter'strich_ :: Bool -> Bool -> Bool
unter'strich_ a b = a && b
	|| not a	
