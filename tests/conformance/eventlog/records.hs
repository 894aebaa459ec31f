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
  CreateThread {thread = t} -> Just ["CREATE_THREAD", show t]
  RunThread {thread = t} -> Just ["RUN_THREAD", show t]
  StopThread {thread = t, status = s} -> Just ["STOP_THREAD", show t, show s]
  ThreadLabel {thread = t, threadlabel = text} -> Just ["THREAD_LABEL", show t, T.unpack text]
  TaskCreate {taskId = t, cap = c, tid = kernel} ->
    Just ["TASK_CREATE", show t, show c, show (kernelThreadId kernel)]
  TaskDelete {taskId = t} -> Just ["TASK_DELETE", show t]
  CreateSparkThread {sparkThread = t} -> Just ["CREATE_SPARK_THREAD", show t]
  SparkCounters {sparksCreated = c, sparksDud = d, sparksOverflowed = o, sparksConverted = v,
                 sparksGCd = g, sparksFizzled = f, sparksRemaining = r} ->
    Just ("SPARK_COUNTERS" : map show [c, d, o, v, g, f, r])
  SparkCreate -> Just ["SPARK_CREATE"]
  SparkDud -> Just ["SPARK_DUD"]
  SparkOverflow -> Just ["SPARK_OVERFLOW"]
  SparkRun -> Just ["SPARK_RUN"]
  SparkFizzle -> Just ["SPARK_FIZZLE"]
  SparkGC -> Just ["SPARK_GC"]
  NonmovingHeapCensus {nonmovingCensusBlkSize = size, nonmovingCensusActiveSegs = a,
                       nonmovingCensusFilledSegs = f, nonmovingCensusLiveBlocks = n} ->
    Just ["NONMOVING_HEAP_CENSUS", show size, show a, show f, show n]
  TickyCounterDef {tickyCtrDefId = i, tickyCtrDefArity = n, tickyCtrDefKinds = k,
                   tickyCtrDefName = name} ->
    Just ["TICKY_COUNTER_DEF", show i, show n, T.unpack k, T.unpack name]
  TickyBeginSample -> Just ["TICKY_COUNTER_BEGIN_SAMPLE"]
  TickyCounterSample {tickyCtrSampleId = i, tickyCtrSampleEntryCount = n,
                      tickyCtrSampleAllocs = s, tickyCtrSampleAllocd = d} ->
    Just ("TICKY_COUNTER_SAMPLE" : map show [i, n, s, d])
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
