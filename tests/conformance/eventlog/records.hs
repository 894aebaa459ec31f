-- SPDX-License-Identifier: BSD-2-Clause
--
-- The peer of run.py: prints the records of an event log besides the costs of its heap profile, as
-- the ghc-events library reads them: time in nanoseconds, name, fields.
import Data.Maybe (mapMaybe)
import qualified Data.Text as T
import GHC.RTS.Events
import System.Environment (getArgs)

main :: IO ()
main = do
  [path] <- getArgs
  result <- readEventLogFromFile path
  case result of
    Left message -> error message
    Right log' -> putStr (unlines (mapMaybe line (events (dat log'))))

line :: Event -> Maybe String
line event = fmap (\words' -> unwords (show (evTime event) : words')) (record (evSpec event))

record :: EventInfo -> Maybe [String]
record spec = case spec of
  StartGC -> Just ["GC_START"]
  EndGC -> Just ["GC_END"]
  GCStatsGHC {gen = g, copied = bytes} -> Just ["GC_STATS_GHC", show g, show bytes]
  HeapAllocated {allocBytes = bytes} -> Just ["HEAP_ALLOCATED", show bytes]
  HeapSize {sizeBytes = bytes} -> Just ["HEAP_SIZE", show bytes]
  HeapLive {liveBytes = bytes} -> Just ["HEAP_LIVE", show bytes]
  RunThread {thread = t} -> Just ["RUN_THREAD", show t]
  StopThread {thread = t} -> Just ["STOP_THREAD", show t]
  UserMessage {msg = text} -> Just ["USER_MSG", T.unpack text]
  UserMarker {markername = text} -> Just ["USER_MARKER", T.unpack text]
  HeapProfBegin {heapProfModuleFilter = m, heapProfTypeDescrFilter = y,
                 heapProfBiographyFilter = b} ->
    Just ["HEAP_PROF_BEGIN", T.unpack m, T.unpack y, T.unpack b]
  HeapBioProfSampleBegin {heapProfSampleTime = t} ->
    Just ["HEAP_BIO_PROF_SAMPLE_BEGIN", show t]
  ProfBegin {profTickInterval = ns} -> Just ["PROF_BEGIN", show ns]
  ProfSampleCostCentre {profTicks = tick, profStackDepth = depth} ->
    Just ["PROF_SAMPLE_COST_CENTRE", show tick, show depth]
  _ -> Nothing
